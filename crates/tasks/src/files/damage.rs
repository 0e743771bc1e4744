//! Whether a file that is no list of tasks was meant to be one.
//!
//! The names of lists are also those of other things, so what is sound and speaks of something
//! else is left alone. But what is empty, cut off or of the wrong types has no other meaning,
//! and whoever keeps a list there wants to hear of it.

use std::path::Path;

use fusebox_edit::splice::Object;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::record::Record;

/// Keys of lists that are ordinary words as well: what stands there need not be a list.
const ORDINARY: [&str; 2] = ["stories", "tasks"];

/// What is wrong with the text at `path`, which no shape has recognised; `None` if it may well
/// be something else than a list. `keys` are those that could hold the tasks there.
pub(crate) fn damage(path: &str, text: &str, keys: &[&str]) -> Option<String> {
    let lines = match Path::new(path).extension()?.to_str()? {
        "json" => false,
        "jsonl" => true,
        _ => return None,
    };
    if text.trim().is_empty() {
        // Of lines there may be none.
        return (!lines).then(|| "it is empty, and no list of tasks".into());
    }
    if text.contains('\0') {
        return Some("it holds NUL bytes, and no list of tasks".into());
    }
    let first = match lines {
        true => text.lines().find(|line| !line.trim().is_empty())?,
        false => text,
    };
    if let Err(error) = serde_json::from_str::<IgnoredAny>(first) {
        return Some(format!("it is not valid JSON: {error}"));
    }
    let document = Object::parse(first).ok()?;
    if lines {
        return wrong_progress(&document);
    }
    keys.iter().find_map(|key| {
        let list = document.raw(key)?;
        match serde_json::from_str(list.get()) {
            Ok(Value::Array(_)) => {
                let tasks = document.objects(key)?;
                wrong_progress(&Object::of(tasks.first()?)?)
            }
            _ => (!ORDINARY.contains(key)).then(|| format!("`{key}` is no list")),
        }
    })
}

/// What a first task says of how far it is, if that cannot be understood.
fn wrong_progress(task: &Object<'_>) -> Option<String> {
    let is_there = |key| task.raw(key).is_some();
    if is_there("passes") && task.get::<bool>("passes").is_none() {
        return Some("`passes` of its first task is neither true nor false".into());
    }
    if is_there("status") && task.text("status").is_none() {
        return Some("`status` of its first task is no word".into());
    }
    None
}
