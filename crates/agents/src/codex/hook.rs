//! What Codex hands to hooks, and what it understands.
//!
//! It is the strictest of all: a key that it does not know, a stop before a tool, a no without
//! a reason, and the tool runs as if nobody had been asked. So before a tool it is given the
//! three keys of a denial and nothing else.

use serde_json::json;

use super::{settings, transcript};
use crate::hook::{
    Answer, HookCall, HookPoint, Hooks, Known, ReadTraces, Registration, Reply, Tool, Unreadable,
    read,
};

/// The hooks of Codex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodexHooks;

const TOOLS: Known = &[
    ("Bash", Tool::Shell),
    ("shell", Tool::Shell),
    ("exec_command", Tool::Shell),
    ("apply_patch", Tool::Patch),
    ("update_plan", Tool::Harmless),
    ("view_image", Tool::Harmless),
    ("web_search", Tool::Harmless),
    ("spawn_agent", Tool::Harmless),
    ("wait", Tool::Harmless),
    ("send_input", Tool::Harmless),
];

impl Hooks for CodexHooks {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn read(&self, point: HookPoint, payload: &str) -> Result<HookCall, Unreadable> {
        read(point, payload, TOOLS)
    }

    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply {
        let text = answer.text();
        match (point, answer) {
            (_, Answer::Silence) => Reply::silence(),
            (
                HookPoint::BeforeTool | HookPoint::BeforeCommand,
                Answer::Deny(_) | Answer::Halt(_),
            ) => {
                let output = json!({
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": text,
                });
                Reply::refusal(Some(&json!({ "hookSpecificOutput": output })), &text)
            }
            (_, Answer::Halt(_)) => Reply::json(&json!({"continue": false, "stopReason": text})),
            (HookPoint::Stop | HookPoint::SessionEnd, _) | (_, Answer::Notice(_)) => {
                Reply::json(&json!({ "systemMessage": text }))
            }
            (_, Answer::Context(_) | Answer::Deny(_)) => {
                let output = json!({"hookEventName": event_name(point), "additionalContext": text});
                Reply::json(&json!({ "hookSpecificOutput": output }))
            }
        }
    }

    fn shell_tool(&self) -> &'static str {
        "Bash"
    }

    fn traces(&self) -> Option<ReadTraces> {
        Some(transcript::traces)
    }

    fn registration(&self) -> Registration {
        settings::REGISTRATION
    }
}

pub(super) const fn event_name(point: HookPoint) -> &'static str {
    match point {
        HookPoint::SessionStart => "SessionStart",
        HookPoint::Prompt => "UserPromptSubmit",
        HookPoint::BeforeTool | HookPoint::BeforeCommand => "PreToolUse",
        HookPoint::AfterTool | HookPoint::AfterFailure => "PostToolUse",
        HookPoint::Stop => "Stop",
        HookPoint::SessionEnd => "SessionEnd",
    }
}
