//! What `/proc` says about processes, and the one safe way to signal them.
//!
//! A process id alone names nobody: it may have been given to someone else by
//! the time it is used. Here a process is a pid *and* its start time, and a
//! signal is sent only through a pidfd that was opened first and compared
//! afterwards, so a number that changed hands in between is never hit.

use std::collections::HashSet;
use std::fs;
use std::io;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The kernel reports times in units of 1/100 s to user space on every
/// architecture this runs on, whatever its own timer frequency is.
pub(crate) const TICKS_PER_SECOND: u64 = 100;

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ProcessId {
    pub(crate) pid: i32,
    /// Start time in ticks since boot.
    pub(crate) start: u64,
}

/// One row of the process table: the parts of `/proc/<pid>/stat` used here.
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
    /// Processor time of the process itself, in ticks.
    pub(crate) own_ticks: u64,
    /// Processor time of the children it has waited for, in ticks.
    pub(crate) waited_ticks: u64,
}

impl Process {
    /// The process with this number right now, or `None` if there is none.
    pub(crate) fn read(pid: i32) -> Option<Self> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse_stat(&String::from_utf8_lossy(&stat))
    }
}

impl ProcessId {
    /// Sends `signal` to exactly this process. It being gone is no error.
    pub(crate) fn signal(self, signal: Signal) -> io::Result<()> {
        let Some(pid) = Pid::from_raw(self.pid) else {
            return Ok(());
        };
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Err(rustix::io::Errno::SRCH) => return Ok(()),
            opened => opened?,
        };
        // Only now is the comparison worth anything: the pidfd pins whoever
        // had the number when it was opened.
        if Process::read(self.pid).is_none_or(|now| now.id != self) {
            return Ok(());
        }
        match pidfd_send_signal(&pidfd, signal) {
            Err(rustix::io::Errno::SRCH) => Ok(()),
            sent => Ok(sent?),
        }
    }
}

/// Reads one `stat` line. The name is in parentheses and may itself contain
/// parentheses, blanks and line breaks, so everything is counted from the last
/// closing one.
fn parse_stat(stat: &str) -> Option<Process> {
    let (before, after) = (stat.find('(')?, stat.rfind(')')?);
    let pid = stat[..before].trim().parse().ok()?;
    let fields: Vec<&str> = stat[after + 1..].split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let id_number = |index: usize| fields.get(index)?.parse::<i32>().ok();
    // A main thread that ended before its siblings shows as a zombie although
    // the process runs on; only the last thread makes it a dead one.
    let state = *fields.first()?;
    let dead = matches!(state, "Z" | "X") && number(17)? <= 1;
    Some(Process {
        id: ProcessId {
            pid,
            start: number(19)?,
        },
        name: stat.get(before + 1..after)?.to_owned(),
        parent: id_number(1)?,
        group: id_number(2)?,
        session: id_number(3)?,
        dead,
        stopped: state == "T",
        own_ticks: number(11)? + number(12)?,
        waited_ticks: number(13)? + number(14)?,
    })
}

/// As many words of a command line as it takes to recognise a program behind
/// its interpreter.
const WORDS: usize = 4;

/// The first words of a process's command line; empty if it has none.
pub(crate) fn command_words(pid: i32) -> Vec<String> {
    let cmdline = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if cmdline.is_empty() {
        return Vec::new();
    }
    let words = cmdline
        .strip_suffix(b"\0")
        .unwrap_or(&cmdline)
        .split(|byte| *byte == 0);
    let words = words.take(WORDS).map(String::from_utf8_lossy);
    words.map(|word| word.into_owned()).collect()
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
        let mut pids = Vec::new();
        for entry in fs::read_dir("/proc")? {
            pids.extend(
                entry?
                    .file_name()
                    .to_str()
                    .and_then(|name| name.parse::<i32>().ok()),
            );
        }
        pids.sort_unstable();
        let newest_first = pids.into_iter().rev().filter_map(Process::read);
        let mut processes: Vec<Process> = newest_first.inspect(|row| sight(row)).collect();
        processes.reverse();
        Ok(Self(processes))
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
mod tests {
    use super::*;

    fn row(pid: i32, parent: i32) -> Process {
        let stat = format!("{pid} (x) S {parent} 1 1 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 99");
        parse_stat(&stat).unwrap()
    }

    #[test]
    fn a_name_may_look_like_the_rest_of_the_line() {
        let stat = "42 (a) Z 1 (\n) R 7 8 9 0 -1 4194304 0 0 0 0 10 20 30 40 20 0 3 0 555 0 0";
        let process = parse_stat(stat).unwrap();
        assert_eq!(
            process.id,
            ProcessId {
                pid: 42,
                start: 555
            }
        );
        assert_eq!(process.name, "a) Z 1 (\n");
        assert_eq!((process.parent, process.group, process.session), (7, 8, 9));
        assert_eq!((process.own_ticks, process.waited_ticks), (30, 70));
        assert!(!process.dead);
    }

    #[test]
    fn a_zombie_with_living_threads_is_not_dead() {
        for (threads, dead) in [(1, true), (2, false)] {
            let stat = format!("5 (x) Z 1 5 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 9");
            assert_eq!(parse_stat(&stat).unwrap().dead, dead, "{threads} threads");
        }
    }

    #[test]
    fn a_torn_line_is_no_process() {
        for stat in ["", "5", "5 (x", "5 (x) R 1 2", ")5 ("] {
            assert_eq!(parse_stat(stat), None, "{stat:?}");
        }
    }

    #[test]
    fn the_closure_finds_children_with_smaller_numbers() {
        let table = Table(vec![row(3, 9), row(4, 1), row(9, 20), row(20, 1)]);
        let inside = table.closure(|process| process.id.pid == 20);
        assert_eq!(inside, HashSet::from([20, 9, 3]));
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
        std::thread::sleep(std::time::Duration::from_millis(50));
        let spared = child.try_wait().unwrap().is_none();
        Process::read(pid).unwrap().id.signal(Signal::KILL).unwrap();
        child.wait().unwrap();
        assert!(spared, "a process with another start time was killed");
    }
}
