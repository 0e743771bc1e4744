//! Processes as Linux shows them: `/proc`, and pidfds for signals.
//!
//! A signal is sent only through a pidfd that was opened first and compared
//! afterwards, so a number that changed hands in between is never hit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_files::kernel;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

use super::{Cpu, Process, ProcessId, WORDS, Written};

/// The kernel reports times in units of 1/100 s to user space on every
/// architecture this runs on, whatever its own timer frequency is.
const TICKS_PER_SECOND: u64 = 100;

/// Start times are ticks since boot, which nobody sets back.
pub(crate) const START_SLACK: u64 = 0;

/// Processor time, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    own_ticks: u64,
    waited_ticks: u64,
}

impl Process {
    /// The process with this number right now, or `None` if there is none.
    pub(crate) fn read(pid: i32) -> Option<Self> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse_stat(&String::from_utf8_lossy(&stat))
    }

    /// Its processor time when this row was read.
    pub(crate) fn cpu(&self) -> Cpu {
        Cpu {
            own: ticks(self.times.own_ticks),
            waited: ticks(self.times.waited_ticks),
        }
    }
}

fn ticks(count: u64) -> Duration {
    Duration::from_millis(count.saturating_mul(1000 / TICKS_PER_SECOND))
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

/// The running program, even if its file has been replaced by a newer one
/// meanwhile.
pub(crate) fn own_program() -> PathBuf {
    "/proc/self/exe".into()
}

/// Everyone in the table, the largest numbers first. Processes that end
/// meanwhile are left out.
pub(super) fn newest_first() -> io::Result<impl Iterator<Item = Process>> {
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
    Ok(pids.into_iter().rev().filter_map(Process::read))
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
        held: matches!(state, "T" | "t"),
        times: Times {
            own_ticks: number(11)?.checked_add(number(12)?)?,
            waited_ticks: number(13)?.checked_add(number(14)?)?,
        },
    })
}

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

/// Whether all processes can be seen that this one may descend from. Any user can make
/// namespaces, in which lines begin anew and the table is another one; but then the user is
/// alone in there.
pub(crate) fn shows_everybody() -> bool {
    if !is_ours() {
        return false;
    }
    match kernel::read(Path::new("/proc"), Path::new("/proc/self/uid_map")) {
        Ok(users) => !is_of_one_user(&users),
        // A kernel without such namespaces.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Whether the table is that of our own numbers: one that was mounted elsewhere calls us by
/// another, and shows somebody else's line as ours.
fn is_ours() -> bool {
    let own = kernel::read_link(Path::new("/proc"), Path::new("/proc/self"));
    own.is_ok_and(|own| own.parse() == Ok(getpid().as_raw_pid()))
}

/// The namespaces in which the system itself runs, outside of all containers. Their numbers
/// are fixed.
const THE_MACHINES: &str = "pid:[4026531836] user:[4026531837]";

/// The namespaces of processes and of users that this process is in; nothing on a kernel
/// without them. As long as one lives, no other has its number.
pub(crate) fn standpoint() -> io::Result<Option<String>> {
    let named = |kind: &str| {
        let link = format!("/proc/self/ns/{kind}");
        kernel::read_link(Path::new("/proc"), Path::new(&link))
    };
    let both = named("pid").and_then(|pid| Ok(format!("{pid} {}", named("user")?)));
    match both {
        Ok(both) => Ok(Some(both)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether everybody who stands at `other` is seen from `own`.
pub(crate) fn overlooks(own: &str, other: &str) -> bool {
    own == other || is_outside_of_all(own)
}

/// Whether a standpoint is the machine's own.
pub(crate) fn is_outside_of_all(standpoint: &str) -> bool {
    standpoint == THE_MACHINES
}

/// Lines of `uid_map` have two numbers, and how many users they stand for.
fn is_of_one_user(map: &str) -> bool {
    let mut counts = map.lines().map(|line| line.split_whitespace().nth(2));
    counts.next() == Some(Some("1")) && counts.next().is_none()
}

/// The environment a process was started with, each variable with a zero
/// behind it.
pub(crate) fn environment(pid: i32) -> io::Result<Vec<u8>> {
    fs::read(format!("/proc/{pid}/environ"))
}

/// What a process and the children it has buried have written. Nobody may look
/// into a process of another user; such a one is left out.
pub(crate) fn written_by(pid: i32) -> Option<Written> {
    parse_io(&fs::read_to_string(format!("/proc/{pid}/io")).ok()?)
}

fn parse_io(io: &str) -> Option<Written> {
    let field = |name: &str| {
        let mut values = io.lines().filter_map(|line| line.strip_prefix(name));
        values.next()?.trim().parse().ok()
    };
    Some(Written {
        by_calls: field("wchar:")?,
        to_storage: field("write_bytes:")?,
    })
}

/// A door for the fuzzer: whatever name a process gives itself, the rest of its line is read.
#[cfg(feature = "fuzzing")]
pub(super) fn read_rows(text: &str) {
    if let Some(process) = parse_stat(text) {
        let _ = process.cpu();
    }
    let stat = format!("42 ({text}) S 7 8 9 0 -1 4194304 0 0 0 0 10 20 30 40 20 0 3 0 555 0 0");
    let process = parse_stat(&stat).expect("a whole line");
    assert_eq!((process.id.pid, process.id.start), (42, 555));
    assert_eq!((process.parent, process.group, process.session), (7, 8, 9));
    assert_eq!(process.name, text);
    let _ = parse_io(text);
    let _ = is_of_one_user(text);
    assert!(overlooks(text, text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_who_is_alone_in_a_namespace_has_made_it() {
        for (map, alone) in [
            ("         0          0 4294967295\n", false),
            ("         0     100000      65536\n", false),
            ("         0       1000          1\n", true),
            ("  0  1  1000\n  1000  0  1\n  1001  1001  64536\n", false),
            ("", false),
        ] {
            assert_eq!(is_of_one_user(map), alone, "{map}");
        }
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
        assert_eq!(
            (process.times.own_ticks, process.times.waited_ticks),
            (30, 70)
        );
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
    fn a_signal_and_a_tracer_hold_a_process_and_only_a_signal_stops_it() {
        for (state, stopped, held) in [
            ("R", false, false),
            ("S", false, false),
            ("T", true, true),
            ("t", false, true),
        ] {
            let stat = format!("5 (x) {state} 1 5 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9");
            let process = parse_stat(&stat).unwrap();
            assert_eq!((process.stopped, process.held), (stopped, held), "{state}");
        }
    }

    #[test]
    fn a_torn_line_is_no_process() {
        let most = format!(
            "5 (x) R 1 5 5 0 -1 0 0 0 0 0 {0} {0} 0 0 20 0 1 0 9",
            u64::MAX
        );
        for stat in ["", "5", "5 (x", "5 (x) R 1 2", ")5 (", &most] {
            assert_eq!(parse_stat(stat), None, "{stat:?}");
        }
    }

    #[test]
    fn what_was_written_is_read_in_both_ways() {
        let io = "rchar: 1\nwchar: 22\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 4096\n\
                  cancelled_write_bytes: 7\n";
        let expected = Written {
            by_calls: 22,
            to_storage: 4096,
        };
        assert_eq!(parse_io(io), Some(expected));
        assert_eq!(parse_io("rchar: 1\n"), None);
        assert_eq!(parse_io("wchar: x\nwrite_bytes: 1\n"), None);
    }
}
