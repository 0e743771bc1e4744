//! What Gemini CLI hands to hooks, and what it understands.
//!
//! Anything on standard output that is no JSON is taken for consent. With exit code 2 it
//! blocks and passes standard error on, and never looks at the JSON; a stop of everything
//! can only be told in JSON, with exit code 0.

use serde_json::json;

use super::settings;
use crate::hook::{
    Answer, HookCall, HookPoint, Hooks, Known, Registration, Reply, Tool, Touch, Unreadable, read,
};

/// The hooks of Gemini CLI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GeminiHooks;

const TOOLS: Known = &[
    ("run_shell_command", Tool::Shell),
    ("write_file", Tool::File(Touch::Update)),
    ("replace", Tool::File(Touch::Update)),
    ("read_file", Tool::Harmless),
    ("read_many_files", Tool::Harmless),
    ("list_directory", Tool::Harmless),
    ("glob", Tool::Harmless),
    ("grep_search", Tool::Harmless),
    ("search_file_content", Tool::Harmless),
    ("web_fetch", Tool::Harmless),
    ("google_web_search", Tool::Harmless),
    ("write_todos", Tool::Harmless),
    ("save_memory", Tool::Harmless),
];

impl Hooks for GeminiHooks {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn read(&self, point: HookPoint, payload: &str) -> Result<HookCall, Unreadable> {
        read(point, payload, TOOLS)
    }

    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply {
        let text = answer.text();
        match (point, answer) {
            (_, Answer::Silence) => Reply::silence(),
            (HookPoint::BeforeTool | HookPoint::BeforeCommand, Answer::Deny(_)) => {
                Reply::refusal(Some(&json!({"decision": "deny", "reason": text})), &text)
            }
            (HookPoint::BeforeTool | HookPoint::BeforeCommand, Answer::Halt(_)) => {
                Reply::json(&json!({
                    "decision": "deny",
                    "reason": text,
                    "continue": false,
                    "stopReason": text,
                }))
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
        "run_shell_command"
    }

    fn registration(&self) -> Registration {
        settings::REGISTRATION
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("GEMINI_PROJECT_DIR")
    }
}

pub(super) const fn event_name(point: HookPoint) -> &'static str {
    match point {
        HookPoint::SessionStart => "SessionStart",
        HookPoint::Prompt => "BeforeAgent",
        HookPoint::BeforeTool | HookPoint::BeforeCommand => "BeforeTool",
        HookPoint::AfterTool | HookPoint::AfterFailure => "AfterTool",
        HookPoint::Stop => "AfterAgent",
        HookPoint::SessionEnd => "SessionEnd",
    }
}
