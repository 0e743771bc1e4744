//! What was seen while a simulation ran, by all of its machines together.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::boot_clock::BootInstant;

/// Counts, and what is needed to tell how long a takeover took.
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
    pub(super) longest_takeover: Duration,
    /// How often each task was ended as done with effect.
    pub(super) done: HashMap<String, u32>,
    /// How many events each worker has written, by the worker's name.
    pub(super) written: HashMap<String, u64>,
    /// When the lease on a task was last given or renewed.
    renewed: HashMap<String, BootInstant>,
}

impl Tally {
    pub(super) fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Somebody has a lease that was asked for at `asked`.
    pub(super) fn leased(&mut self, task: &str, attempt: u32, asked: BootInstant) {
        let before = self.renewed.insert(task.to_owned(), asked);
        if let Some(before) = before.filter(|_| attempt > 1) {
            self.takeovers += 1;
            self.longest_takeover = self.longest_takeover.max(asked.since(before));
        }
    }

    pub(super) fn renewed(&mut self, task: &str, at: BootInstant) {
        self.renewed.insert(task.to_owned(), at);
    }
}
