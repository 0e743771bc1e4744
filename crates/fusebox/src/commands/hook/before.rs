//! Before a tool: may it be used at all, and would it take something precious away?
//!
//! No process is started here, and nothing is read of a protected file that has not changed:
//! an agent waits.

use std::path::Path;

use fusebox_agents::hook::{Answer, Deed, ToolUse, Touch};
use fusebox_core::decision::{Denial, DeniedBy, Gate};
use fusebox_guard::{Decision, Stop, Verdict, Write};

use super::{Desk, place, words};
use crate::failure::Failure;
use crate::session::Outcome;

impl Desk {
    pub(super) fn before_tool(&self, tool: &ToolUse) -> Result<Answer, Failure> {
        if let Some(answer) = self.gate() {
            return Ok(answer);
        }
        let judged = self.judge(&tool.tool, &tool.deeds);
        let denied = judged.iter().find(|one| one.decision == Decision::Deny);
        if let Some(verdict) = denied {
            // What was denied for want of time says nothing about the agent.
            let ours = verdict.stopped.as_ref().is_some_and(Stop::is_environment);
            if !ours && let halt @ Answer::Halt(_) = self.note_call(tool, false, true)? {
                return Ok(halt);
            }
            return Ok(Answer::Deny(words::protected(verdict)));
        }
        let lost = self.settle_before(&judged, tool)?;
        if let Some(halt @ Answer::Halt(_)) = lost {
            return Ok(halt);
        }
        let attempts = judged.iter().any(|verdict| !verdict.affected.is_empty());
        Ok(match self.note_call(tool, attempts, false)? {
            Answer::Silence => lost.unwrap_or(Answer::Silence),
            answer => answer,
        })
    }

    pub(super) fn before_command(&self, deed: &Deed) -> Result<Answer, Failure> {
        if let Some(answer) = self.gate() {
            return Ok(answer);
        }
        let judged = self.judge("Shell", std::slice::from_ref(deed));
        let denied = judged.iter().find(|one| one.decision == Decision::Deny);
        Ok(denied.map_or(Answer::Silence, |verdict| {
            Answer::Deny(words::protected(verdict))
        }))
    }

    fn gate(&self) -> Option<Answer> {
        let standing = &self.standing;
        let denied = self.denial(standing);
        denied.then(|| Answer::Halt(words::open(standing)))
    }

    /// The breaker's no. What an iteration was granted for may be done within it: a probe
    /// that is under way, or the last call of an hour.
    pub(super) fn denial(&self, outcome: &Outcome) -> bool {
        let granted = outcome.circuit.core.pending.is_some();
        match &outcome.decision.gate {
            Gate::Allow | Gate::AllowOnce => false,
            Gate::Deny(Denial { by, .. }) => match by {
                DeniedBy::Open { .. } => true,
                DeniedBy::ProbeUnderWay | DeniedBy::Complete => false,
                _ => !granted,
            },
        }
    }

    fn judge(&self, tool: &str, deeds: &[Deed]) -> Vec<Verdict> {
        let verdicts = deeds.iter().map(|deed| self.verdict(tool, deed));
        verdicts.collect()
    }

    fn verdict(&self, tool: &str, deed: &Deed) -> Verdict {
        let (guard, root) = (&self.guard, &self.session.located.root);
        let within = |named: Option<&Path>| place::working_directory(&self.call, root, named);
        match deed {
            Deed::Shell { command, directory } => {
                guard.judge_command(command.as_bytes(), &within(directory.as_deref()))
            }
            Deed::Patch { text, directory } => {
                guard.judge_patch(text, &within(directory.as_deref()))
            }
            Deed::Write { path, touch } => {
                let write = match touch {
                    Touch::Update => Write::Update,
                    Touch::Delete => Write::Delete,
                    Touch::Rename => Write::Rename,
                    Touch::Unknown => Write::Unknown,
                };
                guard.judge_write(tool, path, &within(None), write)
            }
        }
    }
}
