//! Loops inside a session, seen call by call.
//!
//! Under a supervisor the calls are its to judge: it reads all of them in the agent's own
//! stream, and alone writes down what it makes of them.

use fusebox_agents::ToolOutcome;
use fusebox_agents::hook::{Answer, ToolUse};
use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{Arguments, CallEvent, CallPolicy, CallVerdict, Level, step};
use fusebox_supervise::COOKIE_VARIABLE;

use super::turn::{self, Turn};
use super::{Desk, words};
use crate::failure::Failure;

impl Desk {
    pub(super) fn turn_file(&self) -> std::path::PathBuf {
        let workspace = self.session.located.workspace_dir();
        let call = &self.call;
        turn::file(&workspace, self.agent, &call.session, call.agent.as_deref())
    }

    /// Whether this agent was started by a supervisor.
    pub(super) fn is_supervised(&self) -> bool {
        std::env::var_os(COOKIE_VARIABLE).is_some()
    }

    /// Changes what is remembered of the session.
    pub(super) fn remember<T>(
        &self,
        change: impl FnOnce(&mut Turn) -> T,
    ) -> Result<Option<T>, Failure> {
        self.session.located.register()?;
        let mut changed = None;
        turn::update(&self.turn_file(), |turn| changed = Some(change(turn)))?;
        Ok(changed)
    }

    /// A call is about to be made, or was kept from being made by the guard. Answers with
    /// what the detector has to say to it.
    pub(super) fn note_call(
        &self,
        tool: &ToolUse,
        attempts: bool,
        denied: bool,
    ) -> Result<Answer, Failure> {
        if self.is_supervised() {
            return Ok(Answer::Silence);
        }
        self.know(tool.id.as_deref());
        let policy = self.standing.policy.calls_in_force();
        let answer = self.remember(|turn| {
            turn.attempted |= attempts;
            if let Some(why) = &turn.over {
                return Answer::Halt(why.clone());
            }
            let verdict = turn.take(&policy, &[call_event(tool)]);
            let answer = turn.follow(verdict);
            let refused = matches!(answer, Answer::Deny(_) | Answer::Halt(_));
            if denied || refused {
                let later = turn.take(&policy, &[result_event(tool, Outcome::Blocked, "")]);
                if !refused {
                    return turn.follow(later);
                }
            }
            answer
        })?;
        Ok(answer.unwrap_or(Answer::Silence))
    }

    /// A call was answered.
    pub(super) fn note_result(
        &self,
        tool: &ToolUse,
        outcome: ToolOutcome,
        text: &str,
    ) -> Result<Answer, Failure> {
        if self.is_supervised() {
            return Ok(Answer::Silence);
        }
        let outcome = match outcome {
            ToolOutcome::Succeeded => Outcome::Ran,
            ToolOutcome::Failed => Outcome::Failed,
            ToolOutcome::Denied => Outcome::Denied,
        };
        let policy = self.standing.policy.calls_in_force();
        let answer = self.remember(|turn| {
            let verdict = turn.take(&policy, &[result_event(tool, outcome, text)]);
            turn.follow(verdict)
        })?;
        Ok(answer.unwrap_or(Answer::Silence))
    }
}

impl Turn {
    /// Takes events in; answers with the gravest verdict.
    pub(super) fn take(
        &mut self,
        policy: &CallPolicy,
        events: &[CallEvent],
    ) -> Option<CallVerdict> {
        let verdicts = events
            .iter()
            .filter_map(|event| step(&mut self.calls, policy, event));
        verdicts.max_by_key(|verdict| verdict.level)
    }

    /// What follows from a verdict. One that ends the iteration is remembered: not every
    /// agent can be ended, but each can be refused every further tool.
    fn follow(&mut self, verdict: Option<CallVerdict>) -> Answer {
        let Some(verdict) = verdict else {
            return Answer::Silence;
        };
        match verdict.level {
            Level::Observe => Answer::Silence,
            Level::Steer => Answer::Context(words::circles(&verdict)),
            Level::Block => Answer::Deny(words::circles(&verdict)),
            Level::Trip => {
                let why = words::turn_over(&verdict);
                self.over = Some(why.clone());
                Answer::Halt(why)
            }
        }
    }
}

fn call_event(tool: &ToolUse) -> CallEvent {
    let arguments = Arguments::read(&tool.arguments);
    CallEvent::Call(reading::call(&id(tool), &tool.tool, &arguments))
}

fn result_event(tool: &ToolUse, outcome: Outcome, text: &str) -> CallEvent {
    CallEvent::Result(reading::result(&id(tool), outcome, text, text.len()))
}

/// What ties a result to its call; where the agent tells no id, the call itself.
pub(super) fn id(tool: &ToolUse) -> String {
    match &tool.id {
        Some(id) => id.clone(),
        None => format!("{}\0{}", tool.tool, tool.arguments),
    }
}
