//! Discord: mentions are switched off as a whole, and what marks up is made
//! text by a backslash. A value that is too long fails the whole request, so
//! every one is cut first.

use serde_json::{Value, json};
use ureq::http::Uri;

use super::post::Post;
use crate::message::{Message, clipped};
use crate::notice::Severity;
use fusebox_view::phrase;

const TITLE: usize = 256;
const DESCRIPTION: usize = 2_000;
const VALUE: usize = 1_024;

pub(super) fn post(url: &Uri, message: &Message) -> Post {
    let fields: Vec<Value> = message
        .rows()
        .into_iter()
        .map(|(label, value)| {
            // A short value may share its line with others.
            let inline = value.chars().count() <= 24;
            json!({ "name": label, "value": text(&value, VALUE), "inline": inline })
        })
        .collect();
    let embed = json!({
        "title": text(&message.headline(), TITLE),
        "description": text(&message.notice.body, DESCRIPTION),
        "color": colour(message.notice.severity),
        "fields": fields,
        "timestamp": phrase::time(message.notice.time_ms),
    });
    let body = json!({
        "username": "fusebox",
        "embeds": [embed],
        "allowed_mentions": { "parse": [] },
    });
    Post::json(url, &body)
}

/// Escaping can double a text, so it is cut to half of what is allowed first;
/// a cut afterwards could fall between a backslash and what it is for.
fn text(raw: &str, most: usize) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in clipped(raw, most / 2).chars() {
        if "\\*_~`|>#[]()<@:-".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn colour(severity: Severity) -> u32 {
    match severity {
        Severity::Info => 0x2e_cc_71,
        Severity::Warning => 0xf1_c4_0f,
        Severity::Critical => 0xe7_4c_3c,
    }
}
