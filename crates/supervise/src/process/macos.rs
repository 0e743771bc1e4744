//! Processes as macOS shows them: the table that `ps` reads, and `kill`.
//!
//! There is nothing here that holds on to a process while it is compared. A
//! number is looked at right before it is signalled; in the moment between the
//! two, a few microseconds, the process could end, be collected, and its number
//! be given to somebody else. The system hands numbers out in turn, so all
//! hundred thousand of them would have to go round in that moment.

use std::io;
use std::path::PathBuf;

use fusebox_darwin::{Record, State};
use rustix::process::{Pid, Signal, getsid, kill_process};

use super::{Cpu, Process, ProcessId, WORDS, Written};

/// Start times are microseconds of the wall clock, and a clock may be set back
/// while a tree grows. A day of it is allowed for; it costs a look at more
/// environments, and nobody carries a cookie by accident.
pub(crate) const START_SLACK: u64 = 24 * 60 * 60 * 1_000_000;

/// The table says nothing of processor time: it is asked for one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times;

impl Process {
    /// The process with this number right now, or `None` if there is none.
    pub(crate) fn read(pid: i32) -> Option<Self> {
        fusebox_darwin::process(pid).map(Self::of)
    }

    fn of(record: Record) -> Self {
        // The table leaves the session out.
        let session = Pid::from_raw(record.pid).and_then(|pid| getsid(Some(pid)).ok());
        Self {
            id: ProcessId {
                pid: record.pid,
                start: record.start,
            },
            name: record.name,
            parent: record.parent,
            group: record.group,
            session: session.map_or(0, Pid::as_raw_pid),
            dead: record.state == State::Dead,
            stopped: record.state == State::Stopped,
            // Those whom a debugger holds are in the same state.
            held: record.state == State::Stopped,
            times: Times,
        }
    }

    /// Its processor time by now; nothing of a process of somebody else.
    pub(crate) fn cpu(&self) -> Cpu {
        let usage = fusebox_darwin::usage(self.id.pid);
        usage.map_or_else(Cpu::default, |usage| Cpu {
            own: usage.own,
            waited: usage.waited,
        })
    }
}

impl ProcessId {
    /// Sends `signal` to this process, if its number is still its own. It being
    /// gone is no error.
    pub(crate) fn signal(self, signal: Signal) -> io::Result<()> {
        let now = Process::read(self.pid).filter(|now| now.id == self);
        let Some(pid) = now.and_then(|now| Pid::from_raw(now.id.pid)) else {
            return Ok(());
        };
        match kill_process(pid, signal) {
            Err(rustix::io::Errno::SRCH) => Ok(()),
            sent => Ok(sent?),
        }
    }
}

/// The file of the running program. If it has been replaced meanwhile, the
/// newer one is what is started.
pub(crate) fn own_program() -> PathBuf {
    // Whoever cannot tell will be told by whoever tries to start it.
    std::env::current_exe().unwrap_or_default()
}

/// Everyone in the table, the largest numbers first.
pub(super) fn newest_first() -> io::Result<impl Iterator<Item = Process>> {
    let mut records = fusebox_darwin::processes()?;
    records.sort_unstable_by_key(|record| std::cmp::Reverse(record.pid));
    Ok(records.into_iter().map(Process::of))
}

/// The first words of a process's command line; empty if it has none, or is
/// somebody else's.
pub(crate) fn command_words(pid: i32) -> Vec<String> {
    let words = fusebox_darwin::arguments(pid).map(|arguments| arguments.words);
    let words = words.unwrap_or_default().into_iter().take(WORDS);
    words
        .map(|word| String::from_utf8_lossy(&word).into_owned())
        .collect()
}

/// Whether all processes can be seen that this one may descend from.
pub(crate) fn shows_everybody() -> bool {
    true
}

/// There is one table for all.
pub(crate) fn standpoint() -> io::Result<Option<String>> {
    Ok(None)
}

/// Whether everybody who stands at `other` is seen from `own`.
pub(crate) fn overlooks(own: &str, other: &str) -> bool {
    own == other
}

/// Whether a standpoint is the machine's own; there is no other.
pub(crate) fn is_outside_of_all(_standpoint: &str) -> bool {
    true
}

/// The environment a process was started with, each variable with a zero
/// behind it. The system shows neither that of other users' processes nor that
/// of its own programs, the shells in `/bin` among them.
pub(crate) fn environment(pid: i32) -> io::Result<Vec<u8>> {
    let environment = fusebox_darwin::arguments(pid)?.environment;
    environment.ok_or_else(|| io::ErrorKind::PermissionDenied.into())
}

/// What a process has written into files. What the children wrote that it has
/// buried is lost with them.
pub(crate) fn written_by(pid: i32) -> Option<Written> {
    fusebox_darwin::usage(pid).map(|usage| Written {
        by_calls: usage.written,
        to_storage: usage.written_to_disk,
    })
}
