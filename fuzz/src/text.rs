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
    // What is made harmless is JSON as we write it, without white space of its own.
    let ours = Value::String(text.clone().into_owned());
    let passed = escape::json(&ours.to_string()).into_owned();
    assert_eq!(serde_json::from_str::<Value>(&passed).ok(), Some(ours));
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

/// A mask may be longer than what it stands for, by so many times.
const LONGEST_MASK: usize = 8;

/// A message of an error, and what programs print: what tells them apart is the same for the same
/// text, and not much longer.
pub(crate) fn errors(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(normalise(&text), normalise(&text));
    assert!(normalise(&text).len() <= text.len() * LONGEST_MASK + LONGEST_MASK);
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
