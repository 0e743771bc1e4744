//! Whether the process that started this one is stopped, and where it stands.
//!
//! The system tells a parent about its children and not the other way round,
//! so there is nothing to wait for: one has to look.

use std::time::Instant;

use rustix::process::getppid;

use crate::ancestry::ancestry_of;
use crate::held::Looked;
use crate::process::{Process, ProcessId};

/// The process that was the parent when this was made.
pub(crate) struct Parent {
    id: Option<ProcessId>,
    looked: Looked,
}

impl Parent {
    pub(crate) fn now() -> Self {
        let process = getppid().and_then(|parent| Process::read(parent.as_raw_pid()));
        Self {
            id: process.map(|process| process.id),
            looked: Looked::default(),
        }
    }

    /// Whether it is stopped by a signal, or held for longer by somebody who traces it.
    pub(crate) fn is_stopped(&mut self) -> bool {
        let Some(id) = self.id else {
            return false;
        };
        let seen = Process::read(id.pid);
        seen.is_some_and(|seen| seen.id == id && seen.stopped)
            || self.looked.is_held(id, Instant::now())
    }

    /// Whether it stands in the tree of a keeper.
    pub(crate) fn has_keeper(&self) -> bool {
        let line = self.id.map(|id| ancestry_of(id.pid).line);
        line.is_some_and(|line| line.iter().any(|one| one.is_keeper))
    }
}
