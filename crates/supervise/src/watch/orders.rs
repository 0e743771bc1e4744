//! What the loop and the keeper tell each other: news of the tree, and the order to end it.

use std::time::{Duration, Instant};

use super::Watch;
use crate::ladder::{SHORT_GRACE, longest};
use crate::report::{Limit, StepEnd, StopCause};
use crate::tree::KILL_BUDGET;
use crate::wire::{News, Order};

/// What a keeper on a crowded machine may take beyond its own deadlines before
/// it counts as lost.
const KEEPER_SLACK: Duration = Duration::from_secs(3);

impl Watch<'_> {
    pub(super) fn listen(&mut self) {
        self.keeper.control.receive();
        while let Some(line) = self.keeper.control.next_line() {
            match News::parse(&line) {
                Some(News::Leader(end)) => {
                    self.told.leader = Some(end);
                    self.expect_keeper_within(SHORT_GRACE);
                }
                Some(News::NotStarted(failure)) => {
                    self.told.not_started = Some(StepEnd::NotStarted(failure));
                    self.expect_keeper_within(SHORT_GRACE);
                }
                Some(News::Overdue) => {
                    self.intent.get_or_insert(StepEnd::TimedOut(Limit::Overall));
                    self.expect_keeper_within(longest(self.step.limits.grace));
                }
                Some(News::Stood(time)) => self.forget(time, Instant::now()),
                Some(News::Escaped(survivor)) => self.told.escaped.push(survivor),
                Some(News::Done(tally)) => self.told.tally = Some(tally),
                Some(News::Failed(why)) => self.told.failed = Some(why),
                None => self.told.failed = Some(format!("it said something strange: {line:?}")),
            }
        }
    }

    /// Whether a signal has asked for the end already.
    pub(super) fn is_asked_to_end(&self) -> bool {
        matches!(self.intent, Some(StepEnd::Stopped { by }) if by != StopCause::Observer)
    }

    /// The first signal asks, the second kills. A signal is never lost on a
    /// stop that is already under way for another reason: whoever reads the
    /// report must learn that a person wants out.
    pub(super) fn signal_received(&mut self, signal: i32) {
        let stopped = StepEnd::Stopped {
            by: StopCause::Signal(signal),
        };
        match self.intent {
            None => self.stop(stopped),
            Some(StepEnd::Stopped {
                by: StopCause::Signal(_),
            }) => self.kill(stopped),
            Some(_) => self.intent = Some(stopped),
        }
    }

    pub(super) fn stop(&mut self, end: StepEnd) {
        self.intent = Some(end);
        self.keeper.control.send(Order::Stop.encode());
        self.expect_keeper_within(longest(self.step.limits.grace));
    }

    /// Ends at once what may be ending politely already, for its own reason.
    pub(super) fn kill(&mut self, end: StepEnd) {
        self.intent.get_or_insert(end);
        if !self.killing {
            self.killing = true;
            self.keeper.control.send(Order::Kill.encode());
            self.expect_keeper_within(Duration::ZERO);
        }
    }

    fn expect_keeper_within(&mut self, polite: Duration) {
        let patience = polite
            .saturating_add(KILL_BUDGET)
            .saturating_add(KEEPER_SLACK);
        self.keeper_due = Instant::now().checked_add(patience);
    }
}
