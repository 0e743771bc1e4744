//! What was seen while a simulation ran, by all of its machines together.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<Seen>);

#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) granted: u64,
    pub(super) refused: u64,
    pub(super) kills: u64,
    pub(super) stalls: u64,
    pub(super) cuts: u64,
    pub(super) slow: u64,
    /// Leases that their holders gave up by themselves, because they were over.
    pub(super) given_up: u64,
    /// Late ends of leases that changed nothing.
    pub(super) too_late: u64,
    pub(super) operations: u64,
    pub(super) unreachable: u64,
    pub(super) takeovers: u64,
    pub(super) longest_overdue: Duration,
    /// How often each task was ended as done with effect.
    pub(super) done: HashMap<String, u32>,
    /// How many events each worker has written, by the worker's name.
    pub(super) written: HashMap<String, u64>,
}

impl Tally {
    pub(super) fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// A task was begun, and somebody had left it behind that long after the end of their
    /// lease.
    pub(super) fn taken_over(&mut self, overdue: Option<Duration>) {
        if let Some(overdue) = overdue {
            self.takeovers += 1;
            self.longest_overdue = self.longest_overdue.max(overdue);
        }
    }
}
