//! What Codex hands to hooks, and what it understands.
//!
//! It is the strictest of all: a key that it does not know, a stop before a tool, a no without
//! a reason, and the tool runs as if nobody had been asked. So before a tool it is given the
//! three keys of a denial and nothing else.

use serde_json::json;

use super::{settings, transcript};
use crate::hook::{AboutHooks, Answer, HookPoint, Hooks, Known, ReadTraces, Reply, Tool};

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

const ABOUT: AboutHooks = AboutHooks {
    name: "codex",
    title: "Codex",
    shell_tool: "Bash",
    tools: TOOLS,
    marks: &[
        "CODEX_THREAD_ID",
        "CODEX_CI",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
    ],
    registration: settings::REGISTRATION,
};

impl Hooks for CodexHooks {
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
                let output = json!({
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": text,
                });
                Reply::refusal(Some(&json!({ "hookSpecificOutput": output })), &text)
            }
            _ => Reply::spoken(point, event_name(point), answer),
        }
    }

    fn traces(&self) -> Option<ReadTraces> {
        Some(transcript::traces)
    }

    /// There they are numbered items, and every command is one of the shell that runs it.
    fn speaks_as_its_stream(&self) -> bool {
        false
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
