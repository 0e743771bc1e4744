//! Edits of what other programs keep.

use fusebox_edit::json::Json;
use fusebox_edit::{key_value, splice, yaml};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The settings of an agent: unchanged unless asked for, valid afterwards, and free of what
/// was put in once that is taken out.
pub(crate) fn settings_json(bytes: &[u8]) {
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
    let removed = with
        .remove_elements("hooks", &is_ours)
        .expect("it was put in");
    assert!(removed >= 1);
    let without = with.into_bytes();
    let text = String::from_utf8_lossy(&without).into_owned();
    let left = Json::parse(&without).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(left.remove_elements("hooks", &is_ours), Ok(0));
}

/// A record of work: what was set is there, and everything else means what it meant.
pub(crate) fn record(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let _ = splice::push(text, "1", 3).map(|list| {
        // Numbers may be larger than any that is read; they are copied, never counted with.
        serde_json::from_str::<Vec<&RawValue>>(&list).expect("still a list");
    });
    let Ok(mut before) = serde_json::from_str::<Value>(text) else {
        return;
    };
    let Ok(after) = splice::set(text, &["state"], "\"OPEN\"") else {
        return;
    };
    let after: Value = serde_json::from_str(&after).unwrap_or_else(|why| panic!("{why}: {after}"));
    before["state"] = json!("OPEN");
    assert_eq!(before, after);
    let _ = splice::set(text, &["state", "inner"], "1");
}

/// A blackboard: what is not ours stays byte for byte.
pub(crate) fn blackboard(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(board) = fusebox_seeds::liza::Board::read(text) {
        let section = board.section(text).unwrap_or_default().to_owned();
        if !section.is_empty() {
            assert_eq!(board.with_section(text, &section), text);
        }
    }
    let value = yaml::Value::Plain("OK".to_owned());
    if let Ok(set) = yaml::set(text, &["circuit_breaker", "status"], &value) {
        let read = yaml::Document::parse(&set).unwrap_or_else(|why| panic!("{why}: {set}"));
        let section = read.root().get("circuit_breaker");
        let status = section.and_then(|section| section.get("status"));
        assert_eq!(status.and_then(yaml::Node::text), Some("OK"), "{set}");
    }
    let _ = yaml::push(text, &["anomalies"], &value);
}

/// Lines of names and values: what is set is read back, the other lines stay.
pub(crate) fn key_values(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let ends = |line: &str| line.starts_with("# END");
    let Ok(mut lines) = key_value::Lines::parse(text, ends) else {
        return;
    };
    lines.set("consecutive_failures", "3");
    let after = lines.finish();
    let again = key_value::Lines::parse(&after, ends).expect("nothing is there twice");
    let found = again.get("consecutive_failures").map(|entry| entry.value);
    assert_eq!(found, Some("3"), "{after:?}");
}
