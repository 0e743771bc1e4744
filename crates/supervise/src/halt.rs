//! Making a whole tree stand still, and letting it go on.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::process::ProcessId;
use crate::tree::Tree;

/// A process inside a long system call stops only when that returns; it is not
/// waited for longer than this. It stops all the same.
const BUDGET: Duration = Duration::from_secs(2);

const ROUND: Duration = Duration::from_millis(5);

/// Those that were stopped from here. Who had stopped already for reasons of
/// its own is not among them, and is not continued either.
#[derive(Default)]
pub(crate) struct Halted(BTreeSet<ProcessId>);

impl Halted {
    /// Stops everyone of `tree`, round by round until nobody runs: a process
    /// with SIGSTOP pending cannot fork, so a round leaves only those that
    /// were born during it.
    pub(crate) fn halt(&mut self, tree: &Tree<'_>) {
        let until = Instant::now() + BUDGET;
        while self.round(tree) && Instant::now() < until {
            thread::sleep(ROUND);
        }
    }

    /// Whether anyone was running.
    fn round(&mut self, tree: &Tree<'_>) -> bool {
        let mut members = tree.members().unwrap_or_default();
        members.retain(|member| !member.dead && !member.stopped);
        for member in &members {
            // Who may not be signalled by us goes on; there is no way.
            if member.id.signal(Signal::STOP).is_ok() {
                self.0.insert(member.id);
            }
        }
        !members.is_empty()
    }

    /// Continues them, the youngest first: a parent that wakes to look after
    /// its children should find none stopped.
    pub(crate) fn resume(&mut self) {
        for id in std::mem::take(&mut self.0).into_iter().rev() {
            let _ = id.signal(Signal::CONT);
        }
    }
}
