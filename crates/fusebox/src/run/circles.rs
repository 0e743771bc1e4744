//! Loops inside the session that is running, seen in the agent's own stream.
//!
//! Calls of sub-agents are left out: they come between those of the agent that
//! started them, and belong to conversations of their own.

use fusebox_agents::{AgentEvent, ToolOutcome, ToolResult};
use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{Arguments, CallEvent, CallPolicy, CallState, CallVerdict, Level, step};

/// The session as far as loops are concerned.
pub(super) struct Circles {
    policy: CallPolicy,
    state: CallState,
    /// The agent has written something and called nothing since.
    wrote: bool,
    /// The gravest thing that was said of it so far.
    pub(super) verdict: Option<CallVerdict>,
}

impl Circles {
    pub(super) fn watch(policy: CallPolicy) -> Self {
        Self {
            policy,
            state: CallState::default(),
            wrote: false,
            verdict: None,
        }
    }

    /// Takes one event in; answers with what is to be said of it, if the agent
    /// should hear of it.
    pub(super) fn take(&mut self, event: &AgentEvent) -> Option<&CallVerdict> {
        let event = self.event_of(event)?;
        let verdict = step(&mut self.state, &self.policy, &event)?;
        if verdict.level < Level::Steer {
            return None;
        }
        let graver = |before: &CallVerdict| verdict.level > before.level;
        if !self.verdict.as_ref().is_none_or(graver) {
            return None;
        }
        self.verdict = Some(verdict);
        self.verdict.as_ref()
    }

    /// Whether the iteration is to end.
    pub(super) fn are_enough(&self) -> bool {
        let trips = |verdict: &CallVerdict| verdict.level == Level::Trip;
        self.verdict.as_ref().is_some_and(trips)
    }

    /// What an event means to the detector.
    fn event_of(&mut self, event: &AgentEvent) -> Option<CallEvent> {
        Some(match event {
            AgentEvent::ToolCall(call) if call.parent.is_none() => {
                self.wrote = false;
                let arguments = Arguments::read(&call.arguments.text);
                CallEvent::Call(reading::call(&call.id, &call.tool, &arguments))
            }
            AgentEvent::ToolResult(result) => CallEvent::Result(reading::result(
                &result.call,
                outcome(result),
                &result.text.text,
                result.text.bytes,
            )),
            AgentEvent::Said(text) => {
                self.wrote = true;
                CallEvent::Said(reading::said(&text.text))
            }
            AgentEvent::TurnStarted | AgentEvent::Finished { .. } => {
                std::mem::take(&mut self.wrote).then_some(CallEvent::TurnEnded)?
            }
            AgentEvent::Compacted => CallEvent::Compacted,
            AgentEvent::Spent(usage) => CallEvent::Spent {
                tokens: usage.tokens()?,
            },
            _ => return None,
        })
    }
}

/// How a call went. Some agents call a command that failed a success.
fn outcome(result: &ToolResult) -> Outcome {
    match result.outcome {
        ToolOutcome::Denied => Outcome::Denied,
        ToolOutcome::Failed => Outcome::Failed,
        ToolOutcome::Succeeded if result.exit_code.is_some_and(|code| code != 0) => Outcome::Failed,
        ToolOutcome::Succeeded => Outcome::Ran,
    }
}
