//! Where Gemini CLI is told of hooks.

use serde_json::{Value, json};

use super::hook::event_name;
use crate::hook::{
    Caller, Decisive, Element, HookPoint, Registered, Registration, calls_us, groups, is_ours,
    patience, shell_command,
};

pub(super) const REGISTRATION: Registration = Registration {
    variable: None,
    user: ".gemini/settings.json",
    project: ".gemini/settings.json",
    registered: Registered::Elements {
        defaults: &[],
        elements,
        ours,
    },
    afterwards: None,
    decisive: Decisive {
        at_home: &[".gemini/settings.json"],
        in_project: &[".gemini/settings.json"],
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

/// It counts in milliseconds, unlike the others.
fn elements(caller: &Caller<'_>) -> Vec<Element> {
    groups(&POINTS.map(|point| (event_name(point), point)), |point| {
        json!({
            "type": "command",
            "name": "fusebox",
            "command": shell_command(caller, "gemini", point),
            "timeout": patience(point) * 1000,
        })
    })
}

fn ours(element: &Value) -> bool {
    is_ours(element, |handler| calls_us(handler, "gemini"))
}
