//! The plugin by which opencode calls us: a file of our own in a directory of plugins.

use crate::hook::{Registered, Registration};

pub(super) const REGISTRATION: Registration = Registration {
    variable: Some(("OPENCODE_CONFIG_DIR", "plugins/fusebox.js")),
    user: ".config/opencode/plugins/fusebox.js",
    project: ".opencode/plugins/fusebox.js",
    registered: Registered::File {
        text,
        mark: "[\"hook\", \"opencode\", point]",
    },
    afterwards: None,
};

const PLUGIN: &str = include_str!("plugin.js");

fn text(program: &str) -> String {
    let quoted = serde_json::Value::from(program).to_string();
    PLUGIN.replacen("\"fusebox\"", &quoted, 1)
}
