//! The events of OpenHands since its SDK, told apart by their `kind`.

use fusebox_agents::ToolOutcome;
use fusebox_agents::json::{Text, lenient_object, parse};
use fusebox_agents::prose::Prose;
use serde_json::value::RawValue;

use crate::heard::{Answered, Called, Heard, Listener};
use crate::times;

lenient_object! {
    /// One event, all kinds together.
    Event<'a> {
        timestamp: Text<'a>,
        source: Text<'a>,
        thought: Prose<'a>,
        tool_name: Text<'a>,
        tool_call_id: Text<'a>,
        observation: Observation<'a>,
        error: Text<'a>,
        rejection_reason: Text<'a>,
        llm_message: Message<'a>,
    }
    raw {
        action,
    }
}

lenient_object! {
    /// What a tool answered.
    Observation<'a> {
        content: Prose<'a>,
        output: Prose<'a>,
        is_error: bool,
        exit_code: i64,
    }
}

lenient_object! {
    /// What was said.
    Message<'a> {
        content: Prose<'a>,
    }
}

/// Tells one event; `None` if it is of no known kind.
pub(super) fn tell(kind: &str, json: &str, to: &mut dyn Listener) -> Option<()> {
    let event: Event<'_> = parse(json)?;
    let at = event.timestamp.as_deref().and_then(times::parse);
    let id = event.tool_call_id.as_deref().unwrap_or("");
    let answer = |outcome, text: &str, to: &mut dyn Listener| {
        let bytes = text.len();
        to.hear(
            at,
            Heard::Answered(Answered {
                id,
                outcome,
                text,
                bytes,
            }),
        );
    };
    match kind {
        "ActionEvent" => {
            let thought = event.thought.as_ref().map(Prose::text).unwrap_or_default();
            if !thought.is_empty() {
                to.hear(at, Heard::Thought(&thought));
            }
            to.hear(
                at,
                Heard::Called(Called {
                    id,
                    tool: event.tool_name.as_deref().unwrap_or(""),
                    arguments: event.action.map_or("", RawValue::get),
                }),
            );
        }
        "ObservationEvent" => {
            let observation = event.observation.as_ref()?;
            let prose = observation.content.as_ref().or(observation.output.as_ref());
            let text = prose.map(Prose::text).unwrap_or_default();
            let failed = observation.is_error == Some(true)
                || observation.exit_code.is_some_and(|code| code > 0);
            let outcome = if failed {
                ToolOutcome::Failed
            } else {
                ToolOutcome::Succeeded
            };
            answer(outcome, &text, to);
        }
        "AgentErrorEvent" => {
            answer(
                ToolOutcome::Failed,
                event.error.as_deref().unwrap_or(""),
                to,
            );
        }
        "UserRejectObservation" => {
            answer(
                ToolOutcome::Denied,
                event.rejection_reason.as_deref().unwrap_or(""),
                to,
            );
        }
        "MessageEvent" => {
            let message = event
                .llm_message
                .as_ref()
                .and_then(|message| message.content.as_ref());
            let text = message.map(Prose::text).unwrap_or_default();
            to.hear(
                at,
                match event.source.as_deref() {
                    Some("user") => Heard::User(&text),
                    _ => Heard::Said(&text),
                },
            );
        }
        "Condensation" => to.hear(at, Heard::Compacted),
        "SystemPromptEvent"
        | "ConversationStateUpdateEvent"
        | "CondensationRequest"
        | "PauseEvent"
        | "TokenEvent" => {}
        _ => return None,
    }
    Some(())
}
