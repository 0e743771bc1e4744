//! What must hold whatever is handed in.
//!
//! `cargo fuzz run -s none payload_claude fuzz/seeds/payload` works on a stable toolchain.

use fusebox_agents::hook::{Answer, EVERY_POINT, HookEvent, HookPoint, hooks_by_name};
use fusebox_edit::json::Json;
use serde_json::{Value, json};

/// What an agent hands to a hook: read without a panic, within bounds, and answered with a no
/// that the agent understands.
pub fn payload(agent: &str, bytes: &[u8]) {
    let hooks = hooks_by_name(agent).expect("an agent with hooks");
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    for point in EVERY_POINT {
        let Ok(call) = hooks.read(point, text) else {
            continue;
        };
        if let HookEvent::BeforeTool(tool) = call.event {
            assert!(tool.deeds.len() <= 256);
            let deny = hooks.reply(HookPoint::BeforeTool, &Answer::Deny(tool.tool));
            assert_eq!(deny.code, 2);
            assert!(deny.stdout.is_empty() || serde_json::from_str::<Value>(&deny.stdout).is_ok());
        }
    }
    let mut traces = Vec::new();
    if let Some(read) = hooks.traces() {
        text.lines().for_each(|line| read(line, &mut traces));
    }
}

/// The settings of an agent: unchanged unless asked for, valid afterwards, and free of what
/// was put in once that is taken out.
pub fn settings_json(bytes: &[u8]) {
    let Ok(json) = Json::parse(bytes) else {
        return;
    };
    // A file of nothing but comments gets an object when it is read.
    let had_object = Json::parse(bytes).is_ok_and(|again| again.into_bytes() == bytes);
    let again = json.into_bytes();
    assert!(had_object || again.len() > bytes.len());
    let json = Json::parse(bytes).expect("it was read before");
    let ours = json!({"by": "fusebox"});
    if json.push(&["hooks", "Stop"], &ours).is_err() {
        return;
    }
    let with = Json::parse(&json.into_bytes()).expect("still JSON");
    let is_ours = |value: &Value| *value == ours;
    let removed = with.remove_elements("hooks", &is_ours).expect("it was put in");
    assert!(removed >= 1);
    let without = with.into_bytes();
    let text = String::from_utf8_lossy(&without).into_owned();
    let left = Json::parse(&without).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(left.remove_elements("hooks", &is_ours), Ok(0));
}
