//! What a session looked like, call by call, small enough to be drawn.

use std::collections::HashSet;

use fusebox_core::calls::{CallEvent, CallKind, Digest, Status};

/// The most calls that are told apart; a longer session is drawn more coarsely.
const TICKS: usize = 2000;
/// Calls that are remembered as made before.
const CALLS_KEPT: usize = 10_000;

/// What a call was, the least remarkable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tick {
    /// A call that was not made before, or one whose answer is not known.
    Fresh,
    /// A change of a file.
    Edit,
    /// A call that was made before.
    Again,
    /// A call that failed.
    Failed,
    /// A call that failed, and was made before.
    FailedAgain,
    /// A call that was not permitted.
    Denied,
}

/// The calls of a session, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    ticks: Vec<Tick>,
    /// Calls that one tick stands for.
    width: u32,
    /// Calls of the last tick.
    filled: u32,
    seen: HashSet<Digest>,
}

impl Strip {
    /// The calls, or groups of them, in order.
    #[must_use]
    pub fn ticks(&self) -> &[Tick] {
        &self.ticks
    }

    /// How many calls one tick stands for.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width.max(1)
    }

    pub(crate) fn event(&mut self, event: &CallEvent) {
        match event {
            CallEvent::Call(call) => {
                let fresh = if self.seen.len() < CALLS_KEPT {
                    self.seen.insert(call.digest)
                } else {
                    !self.seen.contains(&call.digest)
                };
                self.push(match (fresh, call.kind) {
                    (false, _) => Tick::Again,
                    (true, CallKind::Edit) => Tick::Edit,
                    (true, _) => Tick::Fresh,
                });
            }
            CallEvent::Result(result) => self.answer(result.status),
            _ => {}
        }
    }

    /// No more calls follow, so nothing has to be remembered.
    pub(crate) fn seal(&mut self) {
        self.seen = HashSet::new();
    }

    fn push(&mut self, tick: Tick) {
        self.width = self.width.max(1);
        if self.filled < self.width && !self.ticks.is_empty() && self.width > 1 {
            self.raise(tick);
            self.filled += 1;
            return;
        }
        if self.ticks.len() == TICKS {
            let pairs = self.ticks.chunks(2);
            self.ticks = pairs
                .filter_map(|pair| pair.iter().max().copied())
                .collect();
            self.width *= 2;
        }
        self.ticks.push(tick);
        self.filled = 1;
    }

    fn answer(&mut self, status: Status) {
        let again = self.ticks.last() == Some(&Tick::Again);
        match status {
            Status::Failed if again => self.raise(Tick::FailedAgain),
            Status::Failed => self.raise(Tick::Failed),
            Status::Denied | Status::Blocked => self.raise(Tick::Denied),
            Status::Answered | Status::Silent | Status::Outage => {}
        }
    }

    fn raise(&mut self, tick: Tick) {
        if let Some(last) = self.ticks.last_mut() {
            *last = tick.max(*last);
        }
    }
}
