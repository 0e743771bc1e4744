//! Whether the process that started this one is stopped, and where it stands.
//!
//! The system tells a parent about its children and not the other way round,
//! so there is nothing to wait for: one has to look.

use rustix::process::getppid;

use crate::ancestry::ancestry_of;
use crate::process::{Process, ProcessId};

/// The process that was the parent when this was made.
pub(crate) struct Parent(Option<ProcessId>);

impl Parent {
    pub(crate) fn now() -> Self {
        let process = getppid().and_then(|parent| Process::read(parent.as_raw_pid()));
        Self(process.map(|process| process.id))
    }

    pub(crate) fn is_stopped(&self) -> bool {
        let seen = self.0.and_then(|id| Process::read(id.pid));
        seen.is_some_and(|seen| Some(seen.id) == self.0 && seen.stopped)
    }

    /// Whether it stands in the tree of a keeper.
    pub(crate) fn has_keeper(&self) -> bool {
        let line = self.0.map(|id| ancestry_of(id.pid).line);
        line.is_some_and(|line| line.iter().any(|one| one.is_keeper))
    }
}
