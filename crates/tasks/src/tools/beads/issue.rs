//! Issues out of what `bd` answers, which is wrapped in a different way by every
//! dialect and almost every command.

use fusebox_edit::splice::Object;
use serde_json::value::RawValue;

use crate::record::Record;
use crate::status::Status;
use crate::task::{Holder, Task};
use crate::time;

/// More wrappings around each other than any dialect has.
const MOST_WRAPPINGS: usize = 4;

/// All issues in an answer; `None` if it is something else.
pub(super) fn all(text: &str) -> Option<Vec<Task>> {
    unwrapped(text, MOST_WRAPPINGS)
}

fn unwrapped(text: &str, wrappings: usize) -> Option<Vec<Task>> {
    let text = text.trim();
    // Nothing found is nothing said, in some releases.
    if text.is_empty() || text == "null" {
        return Some(Vec::new());
    }
    if text.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        return items.into_iter().map(issue).collect();
    }
    let top = Object::parse(text).ok()?;
    if let Some(inner) = top.raw("data").or_else(|| top.raw("issues")) {
        return unwrapped(inner.get(), wrappings.checked_sub(1)?);
    }
    let alone: &RawValue = serde_json::from_str(text).ok()?;
    Some(vec![issue(alone)?])
}

fn issue(raw: &RawValue) -> Option<Task> {
    let fields = Object::of(raw)?;
    let id = fields.text("id").filter(|id| !is_option(id))?;
    // A status of somebody's own is not ours to work on.
    let status = Status::of_word(&fields.text("status")?).unwrap_or(Status::Deferred);
    let name = fields.text("assignee").filter(|name| !name.is_empty());
    // What was claimed first is kept for good by some releases, so the last change
    // is the better witness of a claim that is not ours.
    let since = moment(&fields, "updated_at").or_else(|| moment(&fields, "started_at"));
    let lease = moment(&fields, "lease_expires_at").or_else(|| fields.number("assignee_expires"));
    Some(Task {
        priority: fields.number("priority"),
        kind: fields.first_text(&["issue_type", "type"]),
        description: fields.text("description").unwrap_or_default(),
        criteria: fields.texts("acceptance_criteria"),
        holder: Holder {
            name,
            since_ms: since,
            lease_until_ms: lease.filter(|_| status == Status::InProgress),
            fence: fields
                .number("claim_fence")
                .and_then(|fence| u64::try_from(fence).ok()),
        },
        ..Task::new(id, fields.text("title")?, status)
    })
}

/// Whether `bd` would take this for something else than the name of an issue. Its issues come with
/// the repository.
pub(super) fn is_option(id: &str) -> bool {
    id.starts_with('-') || id.is_empty()
}

/// A time: a text, or an object around milliseconds.
fn moment(fields: &Object<'_>, key: &str) -> Option<i64> {
    if let Some(text) = fields.text(key) {
        return time::parse(&text);
    }
    Object::of(fields.raw(key)?)?.number("wall_ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrapping_holds_the_same_issue() {
        let issue = r#"{"id":"bd-1","title":"a","status":"in_progress","priority":1,"issue_type":"bug",
            "assignee":"w","updated_at":"2026-01-31T12:00:00Z","lease_expires_at":"2026-01-31T12:05:00Z","claim_fence":4}"#;
        let expected = all(issue).unwrap();
        assert_eq!(expected[0].holder.fence, Some(4));
        assert_eq!(
            expected[0]
                .holder
                .lease_until_ms
                .map(|at| at - expected[0].holder.since_ms.unwrap()),
            Some(300_000)
        );
        for text in [
            format!("[{issue}]"),
            format!("{{\"schema_version\":1,\"data\":[{issue}]}}"),
            format!(
                "{{\"result\":\"ready\",\"data\":{{\"issues\":[{issue}],\"blocked_count\":0}}}}"
            ),
            format!("{{\"result\":\"issue\",\"data\":{issue}}}"),
        ] {
            assert_eq!(all(&text).as_ref(), Some(&expected), "{text}");
        }
        let other = r#"{"result":"issues","data":[{"id":"d-1","title":"a","status":"in_progress","type":"task",
            "assignee":"w","assignee_expires":7,"updated_at":{"wall_ms":5,"counter":0}}]}"#;
        let holder = &all(other).unwrap()[0].holder;
        assert_eq!((holder.since_ms, holder.lease_until_ms), (Some(5), Some(7)));
        for none in ["", "null", "[]", r#"{"data":[]}"#, r#"{"data":null}"#] {
            assert_eq!(all(none), Some(Vec::new()), "{none}");
        }
        for wrong in [
            "Showing 3 issues",
            "[1]",
            r#"{"error":"locked"}"#,
            r#"[{"id":"--db=/elsewhere","title":"a","status":"open"}]"#,
            r#"[{"id":"","title":"a","status":"open"}]"#,
        ] {
            assert_eq!(all(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn nobody_wraps_it_without_end() {
        let wrapped = |times| format!("{}[]{}", r#"{"data":"#.repeat(times), "}".repeat(times));
        assert_eq!(all(&wrapped(MOST_WRAPPINGS)), Some(Vec::new()));
        assert_eq!(all(&wrapped(100_000)), None);
    }
}
