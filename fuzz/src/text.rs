//! Text of others on its way to a terminal, a page, a chat.

use fusebox_core::signature::{Template, mask_lines, normalise, output_id};
use fusebox_notify::{Webhook, redact};
use fusebox_view::document::{Block, Document, Text};
use fusebox_view::{escape, html};
use serde_json::Value;

/// Nothing that acts gets through, and a second look changes nothing.
pub(crate) fn shown(bytes: &[u8]) {
    let line = escape::bytes(bytes, 200);
    assert!(!line.chars().any(char::is_control), "{line:?}");
    let text = String::from_utf8_lossy(bytes);
    let block = escape::block(&text, 20, 200);
    let acts = |c: char| c.is_control() && c != '\n';
    assert!(!block.contains(acts), "{block:?}");
    let passed = escape::json(&text);
    assert!(!passed.contains(acts), "{passed:?}");
    if serde_json::from_str::<Value>(&text).is_ok() {
        let same = serde_json::from_str::<Value>(&passed).expect("still JSON");
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(same));
    }
    let marked = html::text(&text);
    assert!(!marked.contains(['<', '>', '"', '\'']), "{marked:?}");
    let page = Document {
        title: Text::theirs(text.clone()),
        blocks: vec![Block::Paragraph(Text::theirs(text.clone()))],
    };
    let empty = Document {
        title: Text::theirs("x"),
        blocks: vec![Block::Paragraph(Text::theirs("x"))],
    };
    let tags = |page: &Document| page.html().matches('<').count();
    assert_eq!(tags(&page), tags(&empty), "{}", page.html());
    let _ = page.markdown();
    let once = redact(&text).into_owned();
    assert_eq!(redact(&once), once, "{text:?}");
}

/// A URL to send to: taken or refused, and never shown whole.
pub(crate) fn webhook(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    if let Ok(webhook) = text.parse::<Webhook>() {
        assert!(webhook.name().len() <= text.len() + 64);
    }
}

/// A message of an error: what is left of it says the same when it is taken again.
pub(crate) fn errors(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let once = normalise(&text);
    assert_eq!(normalise(&once), once, "{text:?}");
    let _ = mask_lines(&text);
    assert_eq!(output_id(&text), output_id(&text));
    let (one, other) = text.split_once('\n').unwrap_or((&text, &text));
    let (one, other) = (Template::of(one), Template::of(other));
    if let Some(both) = one.merged(&other) {
        assert_eq!(
            both.merged(&one).map(|again| again.text()),
            Some(both.text())
        );
    }
}
