//! The lines that Codex writes down of a session.

use serde::Deserialize;

use crate::hook::Trace;
use crate::json::{Text, lenient};

/// The calls that hooks are told of under other names.
const CALLS: [&str; 4] = ["shell", "shell_command", "exec_command", "apply_patch"];

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Line<'a> {
    #[serde(default, deserialize_with = "lenient")]
    payload: Option<Item<'a>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Item<'a> {
    #[serde(default, rename = "type", deserialize_with = "lenient")]
    kind: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    name: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    call_id: Option<Text<'a>>,
    #[serde(default, deserialize_with = "lenient")]
    output: Option<Text<'a>>,
}

pub(super) fn traces(line: &str, traces: &mut Vec<Trace>) {
    let item = serde_json::from_str::<Line<'_>>(line)
        .ok()
        .and_then(|line| line.payload);
    let Some(item) = item else {
        return;
    };
    let id = || item.call_id.as_deref().map(str::to_owned);
    let calls = |name: &str| CALLS.contains(&name);
    match item.kind.as_deref() {
        Some("function_call" | "custom_tool_call") if item.name.as_deref().is_some_and(calls) => {
            traces.extend(id().map(|id| Trace::Called { id }));
        }
        // What ran has an exit code in its answer; what was refused has only words.
        Some("function_call_output" | "custom_tool_call_output")
            if item.output.as_deref().is_some_and(tells_exit_code) =>
        {
            traces.extend(id().map(|id| Trace::Ran { id }));
        }
        _ => {}
    }
}

fn tells_exit_code(output: &str) -> bool {
    output.contains("\"exit_code\"")
        || output.contains("Process exited with code")
        || output.contains("Exit code:")
}
