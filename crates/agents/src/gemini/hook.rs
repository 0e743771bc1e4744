//! What Gemini CLI hands to hooks, and what it understands.
//!
//! Anything on standard output that is no JSON is taken for consent. With exit code 2 it
//! blocks and passes standard error on, and never looks at the JSON; a stop of everything
//! can only be told in JSON, with exit code 0.

use serde_json::json;

use super::settings;
use crate::hook::{AboutHooks, Answer, HookPoint, Hooks, Known, Reply, Tool, Touch};

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

const ABOUT: AboutHooks = AboutHooks {
    name: "gemini",
    title: "Gemini CLI",
    shell_tool: "run_shell_command",
    tools: TOOLS,
    marks: &["GEMINI_CLI"],
    registration: settings::REGISTRATION,
};

impl Hooks for GeminiHooks {
    fn about(&self) -> &'static AboutHooks {
        &ABOUT
    }

    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply {
        let text = answer.text();
        match (point, answer) {
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
            _ => Reply::spoken(point, event_name(point), answer),
        }
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
