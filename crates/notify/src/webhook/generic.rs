//! For programs: flat JSON with a version, signed as Standard Webhooks says,
//! so that the receiver knows who spoke, when, and whether it is a repetition.

use fusebox_view::phrase;
use serde::Serialize;
use ureq::http::Uri;

use super::post::Post;
use super::secret::Secret;
use crate::message::Message;

/// What a receiver can rely on. It changes when a field changes its meaning,
/// not when one is added.
const SCHEMA: &str = "fusebox.notice/1";

#[derive(Serialize)]
struct Body<'a> {
    schema: &'static str,
    id: &'a str,
    #[serde(rename = "type")]
    event: &'static str,
    severity: &'static str,
    time: String,
    title: &'a str,
    body: &'a str,
    reason: Option<&'a str>,
    iteration: Option<u64>,
    task: Option<&'a str>,
    cost_usd: Option<f64>,
    next: Option<&'a str>,
    circuit: &'a str,
    workspace: &'a str,
}

pub(super) fn post(url: &Uri, message: &Message, secret: Option<&Secret>, now: u64) -> Post {
    let body = body(message);
    let mut headers = vec![
        ("webhook-id", message.id.clone()),
        ("webhook-timestamp", now.to_string()),
    ];
    if let Some(secret) = secret {
        let signature = secret.signature(&message.id, now, &body);
        headers.push(("webhook-signature", signature));
    }
    Post {
        url: url.clone(),
        headers,
        body,
    }
}

/// The object that programs get.
pub(crate) fn body(message: &Message) -> String {
    let notice = &message.notice;
    serde_json::to_string(&Body {
        schema: SCHEMA,
        id: &message.id,
        event: notice.kind.event(),
        severity: notice.severity.word(),
        time: phrase::time(notice.time_ms),
        title: &notice.title,
        body: &notice.body,
        reason: notice.reason.as_deref(),
        iteration: notice.iteration,
        task: notice.task.as_deref(),
        cost_usd: notice.micro_usd.map(dollars),
        next: notice.next.as_deref(),
        circuit: &notice.circuit,
        workspace: &notice.workspace,
    })
    .expect("text and numbers are always JSON")
}

/// Exact up to nine thousand million dollars.
#[expect(clippy::cast_precision_loss, reason = "2^53 millionths are enough")]
fn dollars(micro_usd: u64) -> f64 {
    micro_usd as f64 / 1e6
}
