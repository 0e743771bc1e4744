//! The trajectories of OpenHands up to its first version: a list of actions and
//! observations, one a line or as a document, by themselves or as the `history`
//! of an evaluated instance.

use std::collections::BTreeMap;

use fusebox_agents::json::{Text, lenient_object, parse};
use fusebox_agents::prose::Prose;
use fusebox_agents::{EpochMs, ToolOutcome};
use serde_json::value::RawValue;

use super::LineReader;
use super::openhands_sdk;
use crate::heard::{Answered, Called, Heard, Identity, Listener};
use crate::labels::Labels;
use crate::times;

/// Arguments that say how an action came about and not what it does.
const ASIDE: [&str; 6] = [
    "thought",
    "confirmation_state",
    "is_confirmed",
    "hidden",
    "security_risk",
    "blocking",
];
/// Actions that are no work of the agent's.
const HOUSEKEEPING: [&str; 6] = [
    "recall",
    "change_agent_state",
    "system",
    "null",
    "pause",
    "resume",
];

lenient_object! {
    /// One action or observation.
    Event<'a> {
        kind: Text<'a>,
        id: i64,
        timestamp: Text<'a>,
        source: Text<'a>,
        action: Text<'a>,
        observation: Text<'a>,
        cause: i64,
        content: Prose<'a>,
        extras: Extras,
        tool_call_metadata: CallMetadata<'a>,
    }
    raw {
        args,
    }
}

lenient_object! {
    /// What else an observation tells.
    Extras {
        exit_code: i64,
        metadata: CommandMetadata,
    }
}

lenient_object! {
    /// How a command ended.
    CommandMetadata {
        exit_code: i64,
    }
}

lenient_object! {
    /// The call behind an action.
    CallMetadata<'a> {
        function_name: Text<'a>,
    }
}

lenient_object! {
    /// What is said in a message, or thought beside an action.
    Words<'a> {
        content: Text<'a>,
        thought: Text<'a>,
    }
}

lenient_object! {
    /// An evaluated instance.
    Instance<'a> {
        instance_id: Text<'a>,
        history: Vec<&'a RawValue>,
    }
}

/// Histories hold events, or pairs of an action and what came of it. They are
/// kept as written until here, because an event is one of two generations.
fn events<'a>(history: &[&'a RawValue]) -> Vec<&'a RawValue> {
    let events = history.iter().flat_map(|entry| {
        let pair = entry.get().starts_with('[').then(|| parse(entry.get()));
        pair.flatten().unwrap_or_else(|| vec![*entry])
    });
    events.collect()
}

/// Reads OpenHands' trajectories line by line.
pub(crate) struct OpenHands;

impl LineReader for OpenHands {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        if !json.contains("\"history\"") {
            return tell(json, to);
        }
        let instance: Instance<'_> = parse(json)?;
        let Some(history) = &instance.history else {
            return tell(json, to);
        };
        let identity = Identity {
            session: instance.instance_id.as_deref().unwrap_or(""),
            ..Identity::default()
        };
        to.hear(None, Heard::Session(identity));
        for event in events(history) {
            tell(event.get(), to);
        }
        to.hear(None, Heard::Ended(Labels::default()));
        Some(())
    }
}

/// Reads a document that is nothing but a list of events.
pub(crate) struct OpenHandsList;

impl LineReader for OpenHandsList {
    fn line(&mut self, json: &str, to: &mut dyn Listener) -> Option<()> {
        let list: Vec<&RawValue> = parse(json)?;
        let events = events(&list).into_iter();
        let told = events.filter_map(|event| tell(event.get(), to)).count();
        (told > 0).then_some(())
    }
}

/// Tells one event of either generation; `None` if it is none.
fn tell(json: &str, to: &mut dyn Listener) -> Option<()> {
    let event: Event<'_> = parse(json)?;
    if let Some(kind) = event.kind.as_deref() {
        return openhands_sdk::tell(kind, json, to);
    }
    let at = event.timestamp.as_deref().and_then(times::parse);
    match (event.action.as_deref(), event.observation.as_deref()) {
        (Some(action), _) => act(action, &event, at, to),
        (None, Some(observation)) => observe(observation, &event, at, to),
        (None, None) => return None,
    }
    Some(())
}

fn act(action: &str, event: &Event<'_>, at: Option<EpochMs>, to: &mut dyn Listener) {
    let arguments = event.args.map_or("{}", RawValue::get);
    let words = parse::<Words<'_>>(arguments);
    let said =
        |text: fn(&Words<'_>) -> Option<String>| words.as_ref().and_then(text).unwrap_or_default();
    let by_agent = event.source.as_deref() != Some("user");
    match action {
        "message" if by_agent => {
            to.hear(
                at,
                Heard::Said(&said(|words| words.content.as_deref().map(str::to_owned))),
            );
        }
        "message" => {
            to.hear(
                at,
                Heard::User(&said(|words| words.content.as_deref().map(str::to_owned))),
            );
        }
        "condensation" => to.hear(at, Heard::Compacted),
        other if HOUSEKEEPING.contains(&other) || !by_agent => {}
        other => {
            let thought = said(|words| words.thought.as_deref().map(str::to_owned));
            if !thought.is_empty() {
                to.hear(at, Heard::Thought(&thought));
            }
            let call = event.tool_call_metadata.as_ref();
            let tool = call.and_then(|call| call.function_name.as_deref());
            to.hear(
                at,
                Heard::Called(Called {
                    id: &event.id.map(|id| id.to_string()).unwrap_or_default(),
                    tool: tool.unwrap_or(other),
                    arguments: &what_it_does(arguments),
                }),
            );
        }
    }
}

/// The arguments without those that say nothing about the action itself.
fn what_it_does(arguments: &str) -> String {
    let all: Option<BTreeMap<String, &RawValue>> = parse(arguments);
    let kept = all.map(|mut all| {
        all.retain(|name, _| !ASIDE.contains(&name.as_str()));
        serde_json::to_string(&all)
    });
    match kept {
        Some(Ok(kept)) => kept,
        _ => arguments.to_owned(),
    }
}

fn observe(observation: &str, event: &Event<'_>, at: Option<EpochMs>, to: &mut dyn Listener) {
    let Some(cause) = event.cause else {
        return;
    };
    let extras = event.extras.as_ref();
    let code = extras.and_then(|extras| {
        let metadata = extras
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.exit_code);
        metadata.or(extras.exit_code)
    });
    let outcome = match (observation, code) {
        ("user_rejected", _) => ToolOutcome::Denied,
        ("error", _) => ToolOutcome::Failed,
        // -1 says that the command still runs.
        (_, Some(code)) if code > 0 => ToolOutcome::Failed,
        _ => ToolOutcome::Succeeded,
    };
    let text = event.content.as_ref().map(Prose::text).unwrap_or_default();
    to.hear(
        at,
        Heard::Answered(Answered {
            id: &cause.to_string(),
            outcome,
            text: &text,
            bytes: text.len(),
        }),
    );
}
