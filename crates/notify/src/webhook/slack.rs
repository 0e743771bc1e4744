//! Slack: `&`, `<` and `>` begin links and mentions, `<!channel>` among them.
//!
//! Escaped, they are text again. Texts go into `plain_text` blocks besides,
//! where nothing is marked up; the fallback that a phone shows has no such
//! form, so there it is the escaping that counts.

use fusebox_view::html::without_tags;
use serde_json::{Value, json};
use ureq::http::Uri;

use super::post::Post;
use crate::message::{Message, clipped};

/// Slack refuses a header of more characters.
const HEADER: usize = 150;
/// And a text block of more than this.
const TEXT: usize = 3_000;

pub(super) fn post(url: &Uri, message: &Message) -> Post {
    let headline = message.headline();
    let mut blocks = vec![json!({
        "type": "header",
        "text": plain(&headline, HEADER),
    })];
    let lines = message.lines().join("\n");
    if !lines.is_empty() {
        blocks.push(json!({ "type": "section", "text": plain(&lines, TEXT) }));
    }
    let body = json!({
        "text": without_tags(&headline),
        "blocks": blocks,
        "unfurl_links": false,
        "unfurl_media": false,
    });
    Post::json(url, &body)
}

fn plain(text: &str, most: usize) -> Value {
    json!({ "type": "plain_text", "text": clipped(text, most), "emoji": false })
}
