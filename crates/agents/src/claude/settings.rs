//! Where Claude Code is told of hooks.
//!
//! In the project's settings that stay on this machine: the path of the program is this
//! machine's, and a hook that is not found elsewhere is silently passed over there.

use serde_json::{Value, json};

use super::hook::event_name;
use crate::hook::{
    Caller, Decisive, Element, HookPoint, OffSwitch, Registered, Registration, calls_us, groups,
    is_ours, patience,
};

pub(super) const REGISTRATION: Registration = Registration {
    variable: Some(("CLAUDE_CONFIG_DIR", "settings.json")),
    user: ".claude/settings.json",
    project: ".claude/settings.local.json",
    registered: Registered::Elements {
        defaults: &[],
        elements,
        ours,
    },
    afterwards: None,
    decisive: Decisive {
        at_home: &[".claude/settings.json"],
        in_project: &[".claude/settings.json", ".claude/settings.local.json"],
    },
    off: Some(OffSwitch {
        key: "disableAllHooks",
        of_the_machine: &[
            "/etc/claude-code/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
        ],
    }),
};

const POINTS: [HookPoint; 7] = [
    HookPoint::SessionStart,
    HookPoint::Prompt,
    HookPoint::BeforeTool,
    HookPoint::AfterTool,
    HookPoint::AfterFailure,
    HookPoint::Stop,
    HookPoint::SessionEnd,
];

/// With a list of arguments, no shell comes between.
fn elements(caller: &Caller<'_>) -> Vec<Element> {
    groups(&POINTS.map(|point| (event_name(point), point)), |point| {
        json!({
            "type": "command",
            "command": caller.program,
            "args": caller.words("claude", point),
            "timeout": patience(point),
        })
    })
}

fn ours(element: &Value) -> bool {
    is_ours(element, |handler| calls_us(handler, "claude"))
}
