//! Loops inside the session that is running: one account of its calls, which the agent's
//! stream moves and its hooks ask.

mod aside;
mod streamed;
#[cfg(test)]
mod tests;
mod told;
mod voice;

use fusebox_agents::AgentEvent;
use fusebox_core::calls::{CallPolicy, CallVerdict, Level};

use self::aside::Asides;
use self::streamed::Streamed;
use self::told::told;
use crate::switchboard::{Reply, Report};

/// The session as far as loops are concerned.
pub(super) struct Circles {
    policy: CallPolicy,
    streamed: Streamed,
    asides: Asides,
    /// The gravest thing that was said of it so far.
    pub(super) verdict: Option<CallVerdict>,
}

impl Circles {
    pub(super) fn watch(policy: CallPolicy) -> Self {
        Self {
            policy,
            streamed: Streamed::default(),
            asides: Asides::default(),
            verdict: None,
        }
    }

    /// Takes one event of the stream in; answers with a line for people, if it is
    /// graver than anything before.
    pub(super) fn take(&mut self, event: &AgentEvent) -> Option<String> {
        let verdict = self.streamed.take(&self.policy, event)?;
        self.note(verdict)
    }

    /// Answers a hook, and with a line for people as above.
    pub(super) fn answer(&mut self, report: &Report) -> (Reply, Option<String>) {
        if self.streamed.is_about(report) {
            let verdict = self.streamed.answer(&self.policy, report);
            let line = verdict.clone().and_then(|verdict| self.note(verdict));
            return (verdict.map_or(Reply::Nothing, Reply::Verdict), line);
        }
        let reply = self.asides.answer(&self.policy, report);
        let line = match &reply {
            // A sub-agent that is stopped says so to the one that started it.
            Reply::Verdict(verdict) if report.whose.part.is_none() => self.note(verdict.clone()),
            _ => None,
        };
        (reply, line)
    }

    /// Whether the iteration is to end.
    pub(super) fn are_enough(&self) -> bool {
        let trips = |verdict: &CallVerdict| verdict.level == Level::Trip;
        self.verdict.as_ref().is_some_and(trips)
    }

    fn note(&mut self, verdict: CallVerdict) -> Option<String> {
        let before = self.verdict.as_ref().map(|before| before.level);
        if verdict.level < Level::Steer || before.is_some_and(|before| verdict.level <= before) {
            return None;
        }
        let line = told(&verdict);
        self.verdict = Some(verdict);
        Some(line)
    }
}
