//! What Claude Code hands to hooks, and what it understands.
//!
//! Standard output is read whatever the exit code, and exit code 2 blocks in any case. A stop
//! of everything (`continue: false`) beats all other fields.

use serde_json::json;

use super::{settings, transcript};
use crate::hook::{AboutHooks, Answer, HookPoint, Hooks, Known, ReadTraces, Reply, Tool, Touch};

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
    ("LSP", Tool::Harmless),
    ("SlashCommand", Tool::Harmless),
    ("NotebookRead", Tool::Harmless),
    ("WebFetch", Tool::Harmless),
    ("WebSearch", Tool::Harmless),
    ("TodoWrite", Tool::Harmless),
    ("Task", Tool::Harmless),
    ("Agent", Tool::Harmless),
];

const ABOUT: AboutHooks = AboutHooks {
    name: "claude",
    title: "Claude Code",
    shell_tool: "Bash",
    tools: TOOLS,
    marks: &["CLAUDECODE"],
    registration: settings::REGISTRATION,
};

impl Hooks for ClaudeHooks {
    fn about(&self) -> &'static AboutHooks {
        &ABOUT
    }

    fn reply(&self, point: HookPoint, answer: &Answer) -> Reply {
        let text = answer.text();
        match (point, answer) {
            (HookPoint::BeforeTool | HookPoint::BeforeCommand, Answer::Deny(_)) => {
                Reply::refusal(Some(&denial(&text)), &text)
            }
            (HookPoint::BeforeTool | HookPoint::BeforeCommand, Answer::Halt(_)) => {
                let mut object = denial(&text);
                object["continue"] = json!(false);
                object["stopReason"] = json!(text);
                Reply::refusal(Some(&object), &text)
            }
            _ => Reply::spoken(point, event_name(point), answer),
        }
    }

    fn traces(&self) -> Option<ReadTraces> {
        Some(transcript::traces)
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
