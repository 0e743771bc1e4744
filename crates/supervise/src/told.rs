//! What the keeper has said so far, and how the step has ended by that.

use crate::report::{LeaderEnd, StepEnd, Survivor};
use crate::wire::Tally;

#[derive(Default)]
pub(crate) struct Told {
    pub(crate) leader: Option<LeaderEnd>,
    pub(crate) not_started: Option<StepEnd>,
    pub(crate) escaped: Vec<Survivor>,
    pub(crate) failed: Option<String>,
    pub(crate) tally: Option<Tally>,
}

impl Told {
    /// Whether the command has ended, or never ran.
    pub(crate) fn is_over(&self) -> bool {
        self.leader.is_some() || self.not_started.is_some()
    }

    /// Whether nothing more is going to be said.
    pub(crate) fn is_final(&self) -> bool {
        self.tally.is_some() || self.failed.is_some()
    }

    /// How the step has ended; `intent` is what it was brought to, if it was.
    pub(crate) fn end(&self, intent: Option<StepEnd>) -> StepEnd {
        let by_itself = self.leader.map(|end| match end {
            LeaderEnd::Exited(code) => StepEnd::Exited(code),
            LeaderEnd::Signaled(signal) => StepEnd::Signaled(signal),
        });
        let ends = [self.not_started, intent, by_itself];
        let end = ends.into_iter().flatten().next();
        let end = end.filter(|_| self.tally.is_some());
        end.unwrap_or(StepEnd::KeeperLost)
    }
}
