//! What Claude Code hands to hooks, and what it understands.
//!
//! Standard output is read whatever the exit code, and exit code 2 blocks in any case. A stop
//! of everything (`continue: false`) beats all other fields.

use serde_json::json;

use super::{settings, transcript};
use crate::hook::{
    Answer, HookCall, HookPoint, Hooks, Known, ReadTraces, Registration, Reply, Tool, Touch,
    Unreadable, read,
};

/// The hooks of Claude Code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaudeHooks;

pub(super) const TOOLS: Known = &[
    ("Bash", Tool::Shell),
    ("Monitor", Tool::Shell),
    ("Edit", Tool::File(Touch::Update)),
    ("MultiEdit", Tool::File(Touch::Update)),
    ("Write", Tool::File(Touch::Update)),
    ("NotebookEdit", Tool::File(Touch::Update)),
    ("Read", Tool::Harmless),
    ("Grep", Tool::Harmless),
    ("Glob", Tool::Harmless),
    ("LS", Tool::Harmless),
    ("NotebookRead", Tool::Harmless),
    ("WebFetch", Tool::Harmless),
    ("WebSearch", Tool::Harmless),
    ("TodoWrite", Tool::Harmless),
    ("Task", Tool::Harmless),
    ("Agent", Tool::Harmless),
];

impl Hooks for ClaudeHooks {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn read(&self, point: HookPoint, payload: &str) -> Result<HookCall, Unreadable> {
        read(point, payload, TOOLS)
    }

    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply {
        let event = event_name(point);
        let text = answer.text();
        match (point, answer) {
            (_, Answer::Silence) => Reply::silence(),
            (HookPoint::BeforeTool | HookPoint::BeforeCommand, Answer::Deny(_)) => {
                Reply::refusal(Some(&denial(&text)), &text)
            }
            (HookPoint::BeforeTool | HookPoint::BeforeCommand, Answer::Halt(_)) => {
                let mut object = denial(&text);
                object["continue"] = json!(false);
                object["stopReason"] = json!(text);
                Reply::refusal(Some(&object), &text)
            }
            (_, Answer::Halt(_)) => Reply::json(&json!({"continue": false, "stopReason": text})),
            (HookPoint::Stop | HookPoint::SessionEnd, _) | (_, Answer::Notice(_)) => {
                Reply::json(&json!({ "systemMessage": text }))
            }
            (_, Answer::Context(_) | Answer::Deny(_)) => {
                let output = json!({"hookEventName": event, "additionalContext": text});
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

    fn project_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_PROJECT_DIR")
    }

    fn unattended(&self) -> Option<(&'static str, &'static str)> {
        Some(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"))
    }
}

fn denial(why: &str) -> serde_json::Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": why,
    }})
}

pub(super) const fn event_name(point: HookPoint) -> &'static str {
    match point {
        HookPoint::SessionStart => "SessionStart",
        HookPoint::Prompt => "UserPromptSubmit",
        HookPoint::BeforeTool | HookPoint::BeforeCommand => "PreToolUse",
        HookPoint::AfterTool => "PostToolUse",
        HookPoint::AfterFailure => "PostToolUseFailure",
        HookPoint::Stop => "Stop",
        HookPoint::SessionEnd => "SessionEnd",
    }
}
