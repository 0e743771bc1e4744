//! Where Codex is told of hooks.

use serde_json::{Value, json};

use super::hook::event_name;
use crate::hook::{
    Caller, Decisive, Element, HookPoint, Registered, Registration, calls_us, groups, is_ours,
    patience, shell_command,
};

pub(super) const REGISTRATION: Registration = Registration {
    variable: Some(("CODEX_HOME", "hooks.json")),
    user: ".codex/hooks.json",
    project: ".codex/hooks.json",
    registered: Registered::Elements {
        defaults: &[],
        elements,
        ours,
    },
    afterwards: Some(
        "Codex runs a hook only after a person has trusted it: start `codex`, type `/hooks` and \
         trust the fusebox hooks. Until then Codex silently ignores them",
    ),
    decisive: Decisive {
        at_home: &[".codex/hooks.json", ".codex/config.toml"],
        in_project: &[".codex/hooks.json", ".codex/config.toml"],
    },
    off: None,
};

const POINTS: [HookPoint; 5] = [
    HookPoint::SessionStart,
    HookPoint::Prompt,
    HookPoint::BeforeTool,
    HookPoint::AfterTool,
    HookPoint::Stop,
];

fn elements(caller: &Caller<'_>) -> Vec<Element> {
    groups(&POINTS.map(|point| (event_name(point), point)), |point| {
        json!({
            "type": "command",
            "command": shell_command(caller, "codex", point),
            "timeout": patience(point),
        })
    })
}

fn ours(element: &Value) -> bool {
    is_ours(element, |handler| calls_us(handler, "codex"))
}
