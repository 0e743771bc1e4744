//! Loops inside the session that is running, seen in the agent's own stream.

use fusebox_agents::AgentEvent;
use fusebox_core::calls::{CallPolicy, CallState, CallVerdict, Level, step};
use fusebox_replay::{Conversation, heard};
use fusebox_view::escape;

/// The widest that a message is shown.
const WIDTH: usize = 600;

/// The session as far as loops are concerned.
pub(super) struct Circles {
    policy: CallPolicy,
    state: CallState,
    conversation: Conversation,
    /// The gravest thing that was said of it so far.
    pub(super) verdict: Option<CallVerdict>,
}

impl Circles {
    pub(super) fn watch(policy: CallPolicy) -> Self {
        Self {
            policy,
            state: CallState::default(),
            conversation: Conversation::default(),
            verdict: None,
        }
    }

    /// Takes one event in; answers with a line for people, if it is graver than
    /// anything before.
    pub(super) fn take(&mut self, event: &AgentEvent) -> Option<String> {
        let Self {
            policy,
            state,
            conversation,
            verdict: gravest,
        } = self;
        let mut said = None;
        conversation.hear(&heard(event)?, |event| {
            let verdict = step(state, policy, &event).filter(|new| new.level >= Level::Steer);
            let graver = |new: &CallVerdict| {
                let before = gravest.as_ref().map(|before| before.level);
                before.is_none_or(|before| new.level > before)
            };
            if let Some(verdict) = verdict.filter(graver) {
                said = Some(told(&verdict));
                *gravest = Some(verdict);
            }
        });
        said
    }

    /// Whether the iteration is to end.
    pub(super) fn are_enough(&self) -> bool {
        let trips = |verdict: &CallVerdict| verdict.level == Level::Trip;
        self.verdict.as_ref().is_some_and(trips)
    }
}

fn told(verdict: &CallVerdict) -> String {
    let evidence = verdict.evidence.first().map_or_else(String::new, |one| {
        let signal = one.signal.name().replace('_', " ");
        format!(", {signal}: {} of {}", one.value, one.threshold)
    });
    format!(
        "! round in circles at call {} ({}{evidence}): {}",
        verdict.call,
        verdict.level.name(),
        escape::line(&verdict.message, WIDTH)
    )
}
