//! The plugin by which opencode calls us: a file of our own in a directory of plugins.

use serde_json::Value;

use crate::hook::{Caller, Decisive, HookPoint, Registered, Registration};

pub(super) const REGISTRATION: Registration = Registration {
    variable: Some(("OPENCODE_CONFIG_DIR", "plugins/fusebox.js")),
    user: ".config/opencode/plugins/fusebox.js",
    project: ".opencode/plugins/fusebox.js",
    registered: Registered::File {
        text,
        mark: "[\"hook\", \"opencode\", point",
        command,
    },
    afterwards: None,
    decisive: Decisive {
        at_home: &[".config/opencode/plugins", ".config/opencode/opencode.json"],
        in_project: &[".opencode/plugins", ".opencode/plugin", "opencode.json"],
    },
    off: None,
};

const PLUGIN: &str = include_str!("plugin.js");

fn text(caller: &Caller<'_>) -> String {
    let program = Value::from(caller.program).to_string();
    let options = Value::from(caller.options).to_string();
    let options = format!("OPTIONS = {options};");
    let plugin = PLUGIN.replacen("\"fusebox\"", &program, 1);
    plugin.replacen("OPTIONS = [];", &options, 1)
}

fn command(text: &str, point: HookPoint) -> Option<Vec<String>> {
    let constant = |name: &str| {
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix(&format!("const {name} = ")));
        line?.strip_suffix(';')
    };
    let program: String = serde_json::from_str(constant("PROGRAM")?).ok()?;
    // Those of earlier releases have none.
    let options = constant("OPTIONS").unwrap_or("[]");
    let options: Vec<String> = serde_json::from_str(options).ok()?;
    let words = [&program, "hook", "opencode", point.word()].map(str::to_owned);
    Some(words.into_iter().chain(options).collect())
}
