//! Whether somebody holds a process still: the keeper, or its supervisor by tracing it.
//!
//! A keeper that is stopped hears nothing and ends nobody, and the tree below it goes on. It
//! stands still for a moment together with its supervisor, where that is itself in a tree that
//! is halted, and who is only watched (`strace`) does so at each call; for longer only if
//! somebody means it to.

use std::time::{Duration, Instant};

use crate::process::{Process, ProcessId};

/// How often it is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Who stood still for this long, while whoever looks did not, is held.
const MOMENT: Duration = Duration::from_secs(2);

/// What was seen of a process.
#[derive(Default)]
pub(crate) struct Looked {
    last: Option<Instant>,
    still_since: Option<Instant>,
}

impl Looked {
    /// Looks, if it is time to, and says whether the process is held.
    pub(crate) fn is_held(&mut self, process: ProcessId, now: Instant) -> bool {
        let is_due = |last: Instant| now.saturating_duration_since(last) >= LOOK;
        if self.last.is_none_or(is_due) {
            self.last = Some(now);
            let seen = Process::read(process.pid);
            let still = seen.is_some_and(|seen| seen.id == process && seen.held);
            self.still_since = still.then(|| self.still_since.unwrap_or(now));
        }
        let for_long = |since: Instant| now.saturating_duration_since(since) >= MOMENT;
        self.still_since.is_some_and(for_long)
    }

    /// This process was itself stopped: what was seen before says nothing.
    pub(crate) fn begin_anew(&mut self) {
        *self = Self::default();
    }
}
