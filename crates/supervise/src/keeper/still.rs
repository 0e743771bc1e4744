//! Standing still with the supervisor.
//!
//! Ctrl-Z does not reach the tree, nor does a supervisor hear of every stop: SIGSTOP it cannot
//! catch, and a handler for SIGTTOU would make the write that caused it start over for ever. So
//! the supervisor stops as any program does, and the keeper, which sees that in the process
//! table, makes the tree stand still as long as the supervisor does.

use std::time::{Duration, Instant};

use super::{Keeper, LOOK, OVERSLEPT};
use crate::ladder::Cause;

impl Keeper<'_> {
    /// If the supervisor is stopped, stops the tree until it goes on; returns
    /// how long it was seen standing still. If the tree must be taken down instead,
    /// it is still stopped. Once that has begun, it is never halted any more.
    pub(super) fn stand_still(&mut self) -> Result<Duration, Cause> {
        let mut stood = Duration::ZERO;
        if !self.supervisor.is_stopped() {
            return Ok(stood);
        }
        self.halted.halt(&self.tree);
        while self.supervisor.is_stopped() {
            let since = Instant::now();
            let event = self.next_event(Some(since + LOOK));
            if let Some(cause) = self.cause_in(&event) {
                return Err(cause);
            }
            let time = since.elapsed();
            if time < LOOK + OVERSLEPT || self.is_kept_itself() {
                stood += time;
            } else {
                // Whoever stopped this process may have let others go on.
                self.halted.halt(&self.tree);
            }
        }
        self.halted.resume();
        Ok(stood)
    }

    /// Whether supervisor and keeper stand in another keeper's tree, which stops them
    /// and all that is below them together.
    pub(super) fn is_kept_itself(&self) -> bool {
        self.supervisor.has_keeper()
    }
}
