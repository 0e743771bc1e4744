//! Where Cursor is told of hooks.

use serde_json::{Value, json};

use crate::hook::{
    Caller, Decisive, Element, HookPoint, Registered, Registration, calls_us, patience,
    shell_command,
};

pub(super) const REGISTRATION: Registration = Registration {
    variable: None,
    user: ".cursor/hooks.json",
    project: ".cursor/hooks.json",
    registered: Registered::Elements {
        defaults: &[("version", 1)],
        elements,
        ours,
    },
    afterwards: None,
    decisive: Decisive {
        at_home: &[".cursor/hooks.json"],
        in_project: &[".cursor/hooks.json"],
    },
    off: None,
};

/// Its command line program is said to call only the point for commands, its editor both.
const POINTS: [(&str, HookPoint); 8] = [
    ("sessionStart", HookPoint::SessionStart),
    ("beforeSubmitPrompt", HookPoint::Prompt),
    ("preToolUse", HookPoint::BeforeTool),
    ("beforeShellExecution", HookPoint::BeforeCommand),
    ("postToolUse", HookPoint::AfterTool),
    ("postToolUseFailure", HookPoint::AfterFailure),
    ("stop", HookPoint::Stop),
    ("sessionEnd", HookPoint::SessionEnd),
];

/// Before a tool, a hook that fails must not be taken for a yes.
fn elements(caller: &Caller<'_>) -> Vec<Element> {
    let element = |(event, point): (&'static str, HookPoint)| {
        let mut value = json!({
            "command": shell_command(caller, "cursor", point),
            "timeout": patience(point),
        });
        if matches!(point, HookPoint::BeforeTool | HookPoint::BeforeCommand) {
            value["failClosed"] = json!(true);
        }
        Element {
            path: ["hooks", event],
            value,
        }
    };
    POINTS.into_iter().map(element).collect()
}

fn ours(element: &Value) -> bool {
    calls_us(element, "cursor")
}
