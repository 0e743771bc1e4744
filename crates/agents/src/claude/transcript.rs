//! The lines that Claude Code writes down of a session.

use serde::Deserialize;

use super::hook::TOOLS;
use crate::hook::{Trace, can_change_files};
use crate::json::{Maybe, Text, lenient};

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Line<'a> {
    /// The work of a sub-agent, which has hooks of its own.
    #[serde(default, rename = "isSidechain", deserialize_with = "lenient")]
    is_sidechain: Option<bool>,
    #[serde(default, deserialize_with = "lenient")]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Message<'a> {
    #[serde(default, deserialize_with = "lenient")]
    content: Option<Vec<Maybe<Part<'a>>>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Part<'a> {
    #[serde(default, rename = "type", deserialize_with = "lenient")]
    kind: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    name: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    tool_use_id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
}

pub(super) fn traces(line: &str, traces: &mut Vec<Trace>) {
    let Ok(line) = serde_json::from_str::<Line<'_>>(line) else {
        return;
    };
    if line.is_sidechain == Some(true) {
        return;
    }
    let parts = line.message.and_then(|message| message.content);
    for part in parts.into_iter().flatten().filter_map(|part| part.0) {
        match (part.kind.as_deref(), part.id, part.tool_use_id) {
            (Some("tool_use"), Some(id), _)
                if part.name.is_some_and(|name| can_change_files(TOOLS, &name)) =>
            {
                traces.push(Trace::Called { id: id.to_string() });
            }
            (Some("tool_result"), _, Some(id)) if part.is_error != Some(true) => {
                traces.push(Trace::Ran { id: id.to_string() });
            }
            _ => {}
        }
    }
}
