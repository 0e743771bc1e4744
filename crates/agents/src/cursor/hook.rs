//! What Cursor hands to hooks, and what it understands.
//!
//! Releases differ in the spelling of the messages that go with a no, so they get both.

use serde_json::json;

use super::settings;
use crate::hook::{AboutHooks, Answer, HookPoint, Hooks, Known, Reply, Tool, Touch};

/// The hooks of Cursor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CursorHooks;

const TOOLS: Known = &[
    ("Shell", Tool::Shell),
    ("Write", Tool::File(Touch::Update)),
    ("Edit", Tool::File(Touch::Update)),
    ("StrReplace", Tool::File(Touch::Update)),
    // Those of earlier releases.
    ("edit_file", Tool::File(Touch::Update)),
    ("search_replace", Tool::File(Touch::Update)),
    ("TabWrite", Tool::File(Touch::Update)),
    ("EditNotebook", Tool::File(Touch::Update)),
    ("Delete", Tool::File(Touch::Delete)),
    ("Read", Tool::Harmless),
    ("TabRead", Tool::Harmless),
    ("Grep", Tool::Harmless),
    ("Glob", Tool::Harmless),
    ("LS", Tool::Harmless),
    ("SemanticSearch", Tool::Harmless),
    ("WebSearch", Tool::Harmless),
    ("WebFetch", Tool::Harmless),
    ("TodoWrite", Tool::Harmless),
    ("Task", Tool::Harmless),
];

const ABOUT: AboutHooks = AboutHooks {
    name: "cursor",
    title: "Cursor",
    shell_tool: "Shell",
    tools: TOOLS,
    marks: &["CURSOR_AGENT"],
    registration: settings::REGISTRATION,
};

impl Hooks for CursorHooks {
    fn about(&self) -> &'static AboutHooks {
        &ABOUT
    }

    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply {
        let text = answer.text();
        match (point, answer) {
            (
                HookPoint::BeforeTool | HookPoint::BeforeCommand,
                Answer::Deny(_) | Answer::Halt(_),
            ) => {
                let object = json!({
                    "permission": "deny",
                    "user_message": text,
                    "agent_message": text,
                    "userMessage": text,
                    "agentMessage": text,
                });
                Reply::refusal(Some(&object), &text)
            }
            (
                HookPoint::SessionStart | HookPoint::AfterTool,
                Answer::Context(_) | Answer::Deny(_) | Answer::Halt(_),
            ) => Reply::json(&json!({ "additional_context": text })),
            _ => Reply::silence(),
        }
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CURSOR_PROJECT_DIR")
    }
}
