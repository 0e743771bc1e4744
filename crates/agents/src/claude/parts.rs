//! Parts of Claude Code's lines that need no memory to be read.

use std::time::Duration;

use serde_json::value::RawValue;

use crate::class::EndClass;
use crate::event::{AgentEvent, Retrying, ToolCall};
use crate::excerpt::{self, Excerpt};
use crate::message::Block;

use super::texts;
use super::wire::System;

pub(super) fn said_or_called(block: &Block<'_>, parent: Option<&str>) -> Option<AgentEvent> {
    match block.kind.as_deref()? {
        "text" => Some(AgentEvent::Said(Excerpt::of(block.text.as_deref()?))),
        "thinking" | "redacted_thinking" => Some(AgentEvent::Thought),
        "tool_use" | "server_tool_use" => Some(AgentEvent::ToolCall(ToolCall {
            id: excerpt::name(block.id.as_deref().unwrap_or("")),
            tool: excerpt::name(block.name.as_deref()?),
            arguments: Excerpt::of(block.input.map_or("", RawValue::get)),
            parent: parent.map(str::to_owned),
        })),
        _ => None,
    }
}

pub(super) fn retrying(system: &System<'_>) -> Retrying {
    let by_code = system.error.as_deref().and_then(texts::of_error_code);
    let by_status = system.error_status.and_then(EndClass::of_status);
    let delay = system
        .retry_delay_ms
        .and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok());
    Retrying {
        trouble: by_code.or(by_status).unwrap_or(EndClass::Unclear),
        attempt: system.attempt,
        of: system.max_retries,
        delay,
    }
}

/// A failed command's answer begins with `Exit code 3`.
pub(super) fn exit_code(text: &str) -> Option<i64> {
    let rest = text.strip_prefix("Exit code ")?;
    rest.lines().next()?.trim().parse().ok()
}
