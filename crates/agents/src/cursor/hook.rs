//! What Cursor hands to hooks, and what it understands.
//!
//! Releases differ in the spelling of the messages that go with a no, so they get both.

use serde_json::json;

use super::settings;
use crate::hook::{
    Answer, HookCall, HookPoint, Hooks, Known, Registration, Reply, Tool, Touch, Unreadable, read,
};

/// The hooks of Cursor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CursorHooks;

const TOOLS: Known = &[
    ("Shell", Tool::Shell),
    ("Write", Tool::File(Touch::Update)),
    ("Edit", Tool::File(Touch::Update)),
    ("StrReplace", Tool::File(Touch::Update)),
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

impl Hooks for CursorHooks {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn read(&self, point: HookPoint, payload: &str) -> Result<HookCall, Unreadable> {
        read(point, payload, TOOLS)
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

    fn shell_tool(&self) -> &'static str {
        "Shell"
    }

    fn registration(&self) -> Registration {
        settings::REGISTRATION
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CURSOR_PROJECT_DIR")
    }
}
