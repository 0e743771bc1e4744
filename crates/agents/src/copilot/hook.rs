//! What Copilot CLI hands to hooks, and what it understands.
//!
//! Only a no before a tool is heard, and only there does a hook that fails stop anything.

use serde_json::json;

use super::settings;
use crate::hook::{AboutHooks, Answer, HookPoint, Hooks, Known, Reply, Tool, Touch};

/// The hooks of Copilot CLI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopilotHooks;

const TOOLS: Known = &[
    ("bash", Tool::Shell),
    ("Bash", Tool::Shell),
    ("shell", Tool::Shell),
    ("create", Tool::File(Touch::Update)),
    ("edit", Tool::File(Touch::Update)),
    ("str_replace_editor", Tool::File(Touch::Update)),
    ("Write", Tool::File(Touch::Update)),
    ("Edit", Tool::File(Touch::Update)),
    ("apply_patch", Tool::Patch),
    ("view", Tool::Harmless),
    ("Read", Tool::Harmless),
    ("grep", Tool::Harmless),
    ("rg", Tool::Harmless),
    ("lsp", Tool::Harmless),
    ("glob", Tool::Harmless),
    ("web_fetch", Tool::Harmless),
    ("report_intent", Tool::Harmless),
    ("update_todo", Tool::Harmless),
    ("task", Tool::Harmless),
];

const ABOUT: AboutHooks = AboutHooks {
    name: "copilot",
    title: "Copilot CLI",
    shell_tool: "bash",
    tools: TOOLS,
    marks: &["COPILOT_CLI"],
    registration: settings::REGISTRATION,
};

impl Hooks for CopilotHooks {
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
                let object =
                    json!({"permissionDecision": "deny", "permissionDecisionReason": text});
                Reply::refusal(Some(&object), &text)
            }
            (
                HookPoint::SessionStart | HookPoint::AfterTool | HookPoint::AfterFailure,
                Answer::Context(_) | Answer::Deny(_) | Answer::Halt(_),
            ) => Reply::json(&json!({ "additionalContext": text })),
            _ => Reply::silence(),
        }
    }
}
