//! Where Copilot CLI is told of hooks: every file in a directory counts, so ours is our own.

use serde_json::{Map, Value, json};

use crate::hook::{
    Caller, Decisive, HookPoint, Registered, Registration, called, calls_us, patience,
    shell_command,
};

pub(super) const REGISTRATION: Registration = Registration {
    variable: Some(("COPILOT_HOME", "hooks/fusebox.json")),
    user: ".copilot/hooks/fusebox.json",
    project: ".github/hooks/fusebox.json",
    registered: Registered::File {
        text,
        mark: " hook copilot ",
        command,
    },
    afterwards: None,
    decisive: Decisive {
        at_home: &[".copilot/hooks"],
        in_project: &[".github/hooks", ".github/copilot/settings.json"],
    },
    off: None,
};

/// The spelling of an event chooses that of its payload.
const POINTS: [(&str, HookPoint); 7] = [
    ("sessionStart", HookPoint::SessionStart),
    ("userPromptSubmitted", HookPoint::Prompt),
    ("preToolUse", HookPoint::BeforeTool),
    ("postToolUse", HookPoint::AfterTool),
    ("postToolUseFailure", HookPoint::AfterFailure),
    ("agentStop", HookPoint::Stop),
    ("sessionEnd", HookPoint::SessionEnd),
];

fn text(caller: &Caller<'_>) -> String {
    let handler = |(event, point): (&str, HookPoint)| {
        let handler = json!({
            "type": "command",
            "bash": shell_command(caller, "copilot", point),
            "timeoutSec": patience(point),
        });
        (event.to_owned(), json!([handler]))
    };
    let hooks: Map<String, Value> = POINTS.into_iter().map(handler).collect();
    format!("{:#}\n", json!({"version": 1, "hooks": hooks}))
}

fn command(text: &str, point: HookPoint) -> Option<Vec<String>> {
    let settings: Value = serde_json::from_str(text).ok()?;
    let (event, _) = POINTS.iter().find(|(_, own)| *own == point)?;
    let here = settings.get("hooks")?.get(event)?;
    called(here, &|handler| calls_us(handler, "copilot"), point)
}
