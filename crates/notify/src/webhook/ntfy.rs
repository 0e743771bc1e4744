//! ntfy: plain text for a phone. Nothing is marked up unless asked for.

use serde_json::json;
use ureq::http::Uri;

use super::post::Post;
use crate::message::{Message, clipped};
use crate::notice::Severity;

const TITLE: usize = 250;
/// ntfy turns what exceeds 4,096 bytes into an attached file. A character has
/// at most four bytes.
const TEXT: usize = 1_000;

pub(super) fn post(url: &Uri, message: &Message) -> Post {
    let (server, topic) = server_and_topic(url);
    let (priority, tag) = match message.notice.severity {
        Severity::Info => (3, "white_check_mark"),
        Severity::Warning => (4, "warning"),
        Severity::Critical => (5, "rotating_light"),
    };
    let body = json!({
        "topic": topic,
        "title": clipped(&message.headline(), TITLE),
        "message": clipped(&message.lines().join("\n"), TEXT),
        "priority": priority,
        "tags": [tag],
    });
    Post::json(&server, &body)
}

/// The last part of the path.
pub(super) fn topic(url: &Uri) -> Option<&str> {
    let topic = url.path().trim_end_matches('/').rsplit('/').next()?;
    (!topic.is_empty()).then_some(topic)
}

/// JSON goes to the server itself, which may live below a path of its own.
fn server_and_topic(url: &Uri) -> (Uri, &str) {
    let topic = topic(url).unwrap_or_default();
    let path = url.path().trim_end_matches('/');
    let base = path.strip_suffix(topic).unwrap_or("/");
    let mut parts = url.clone().into_parts();
    // What was a path is one still without its end.
    parts.path_and_query = base.parse().ok();
    let server = Uri::from_parts(parts).unwrap_or_else(|_| url.clone());
    (server, topic)
}
