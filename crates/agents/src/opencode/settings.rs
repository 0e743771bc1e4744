//! The plugin by which opencode calls us: a file of our own in a directory of plugins.

use crate::hook::{Decisive, HookPoint, Registered, Registration};

pub(super) const REGISTRATION: Registration = Registration {
    variable: Some(("OPENCODE_CONFIG_DIR", "plugins/fusebox.js")),
    user: ".config/opencode/plugins/fusebox.js",
    project: ".opencode/plugins/fusebox.js",
    registered: Registered::File {
        text,
        mark: "[\"hook\", \"opencode\", point]",
        command,
    },
    afterwards: None,
    decisive: Decisive {
        at_home: &[".config/opencode/plugins", ".config/opencode/opencode.json"],
        in_project: &[".opencode/plugins", ".opencode/plugin", "opencode.json"],
    },
};

const PLUGIN: &str = include_str!("plugin.js");

fn text(program: &str) -> String {
    let quoted = serde_json::Value::from(program).to_string();
    PLUGIN.replacen("\"fusebox\"", &quoted, 1)
}

fn command(text: &str, point: HookPoint) -> Option<Vec<String>> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    let program: String = serde_json::from_str(line.strip_suffix(';')?).ok()?;
    let words = [&program, "hook", "opencode", point.word()];
    Some(words.map(str::to_owned).to_vec())
}
