//! What a system says about processes, and the one way to signal them.
//!
//! A process id alone names nobody: it may have been given to someone else by
//! the time it is used. Here a process is a pid *and* its start time, and a
//! signal goes to a number only after it was seen to be still the same one's.
//! How tightly the two are tied together is for each system to say:
//! `linux` holds on to the process while it compares, `macos` cannot.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

pub(crate) use system::{
    START_SLACK, command_words, environment, is_outside_of_all, overlooks, own_program,
    shows_everybody, standpoint, written_by,
};

/// As many words of a command line as it takes to recognise a program behind
/// its interpreter, and its command behind all options that may stand before it.
const WORDS: usize = 32;

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProcessId {
    pub(crate) pid: i32,
    /// Start time, in whatever unit the system counts it.
    pub(crate) start: u64,
}

/// One row of the process table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) id: ProcessId,
    pub(crate) name: String,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// Nothing runs any more; only the entry waits to be collected.
    pub(crate) dead: bool,
    /// A signal such as SIGSTOP holds it until SIGCONT comes.
    pub(crate) stopped: bool,
    /// It stands still for that, or because somebody who traces it holds it: for as long as
    /// a system call takes, or until they let go.
    pub(crate) held: bool,
    /// What the row itself says of processor time.
    times: system::Times,
}

/// Processor time that a process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cpu {
    /// By itself.
    pub(crate) own: Duration,
    /// By the children it has waited for.
    pub(crate) waited: Duration,
}

/// Bytes written so far, counted in two ways that are wrong in different ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Handed to the system. On Linux also into pipes and to wake other
    /// threads.
    pub(crate) by_calls: u64,
    /// Bound for a disk, in whole pages; nothing for files in memory.
    pub(crate) to_storage: u64,
}

/// All processes at (nearly) one moment.
pub(crate) struct Table(Vec<Process>);

impl Table {
    /// Reads the table. Processes that end meanwhile are left out.
    pub(crate) fn read() -> io::Result<Self> {
        Self::read_with(|_| {})
    }

    /// Reads the table and shows each row to `sight` at once, the newest
    /// processes first.
    pub(crate) fn read_with(mut sight: impl FnMut(&Process)) -> io::Result<Self> {
        let newest_first = system::newest_first()?;
        let mut processes: Vec<Process> = newest_first.inspect(|row| sight(row)).collect();
        processes.reverse();
        Ok(Self(processes))
    }

    /// A table for tests.
    #[cfg(test)]
    pub(crate) fn of(processes: Vec<Process>) -> Self {
        Self(processes)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Process> {
        self.0.iter()
    }

    /// The pids of everyone for whom `seed` holds, and of all below them.
    pub(crate) fn closure(&self, seed: impl Fn(&Process) -> bool) -> HashSet<i32> {
        let mut inside: HashSet<i32> = self
            .0
            .iter()
            .filter(|p| seed(p))
            .map(|p| p.id.pid)
            .collect();
        // Numbers mostly grow from parent to child, so this is one pass and
        // one more to see that nothing was added; after the numbers have
        // wrapped around it may take a few.
        loop {
            let before = inside.len();
            for process in &self.0 {
                if inside.contains(&process.parent) {
                    inside.insert(process.id.pid);
                }
            }
            if inside.len() == before {
                return inside;
            }
        }
    }
}

/// A door for the fuzzer: reads what the system says of a process.
#[cfg(all(feature = "fuzzing", target_os = "linux"))]
pub(crate) fn read_rows(text: &str) {
    system::read_rows(text);
}

/// The numbers of this process and of all its ancestors.
pub(crate) fn own_line() -> HashSet<i32> {
    let mut line = HashSet::new();
    let mut pid = rustix::process::getpid().as_raw_pid();
    while pid > 0 && line.insert(pid) {
        pid = Process::read(pid).map_or(0, |process| process.parent);
    }
    line
}

#[cfg(test)]
pub(crate) mod tests {
    use rustix::process::{Pid, Signal};

    use super::*;

    /// A process as it stands in a table.
    pub(crate) fn process(pid: i32, parent: i32, session: i32) -> Process {
        Process {
            id: ProcessId { pid, start: 99 },
            name: "x".into(),
            parent,
            group: session,
            session,
            dead: false,
            stopped: false,
            held: false,
            times: system::Times::default(),
        }
    }

    #[test]
    fn the_closure_finds_children_with_smaller_numbers() {
        let table = Table(vec![
            process(3, 9, 1),
            process(4, 1, 1),
            process(9, 20, 1),
            process(20, 1, 1),
        ]);
        let inside = table.closure(|process| process.id.pid == 20);
        assert_eq!(inside, HashSet::from([20, 9, 3]));
    }

    /// One who names everything that can be named is a supervisor all the same.
    #[test]
    fn a_command_is_seen_behind_many_options() {
        let options = "-C /w --preset native --state-dir /s --config /c --circuit x --color never";
        let line = format!("{options} --quiet --verbose --json run");
        let mut child = std::process::Command::new("sh")
            .args(["-c", "echo; read -r held"])
            .args(line.split(' '))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Just when it begins it has no words yet.
        let mut said = child.stdout.take().unwrap();
        io::Read::read_exact(&mut said, &mut [0]).unwrap();
        let words = command_words(Pid::from_child(&child).as_raw_pid());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(words.last().map(String::as_str), Some("run"), "{words:?}");
    }

    #[test]
    fn a_number_that_changed_hands_is_not_signalled() {
        let mut child = std::process::Command::new("sleep")
            .arg("30")
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child).as_raw_pid();
        let mut stale = Process::read(pid).unwrap();
        stale.id.start -= 1;
        stale.id.signal(Signal::KILL).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let spared = child.try_wait().unwrap().is_none();
        Process::read(pid).unwrap().id.signal(Signal::KILL).unwrap();
        child.wait().unwrap();
        assert!(spared, "a process with another start time was killed");
    }
}
