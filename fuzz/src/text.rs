//! Text of others on its way to a terminal, a page, a chat.

use fusebox_notify::{Webhook, redact};
use fusebox_view::document::{Block, Document, Text};
use fusebox_view::{escape, html};

/// Nothing that acts gets through, and a second look changes nothing.
pub(crate) fn shown(bytes: &[u8]) {
    let line = escape::bytes(bytes, 200);
    assert!(!line.chars().any(char::is_control), "{line:?}");
    let text = String::from_utf8_lossy(bytes);
    let block = escape::block(&text, 20, 200);
    let acts = |c: char| c.is_control() && c != '\n';
    assert!(!block.contains(acts), "{block:?}");
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
