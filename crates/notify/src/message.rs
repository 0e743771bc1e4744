//! A notice that may leave the machine.
//!
//! Sinks take nothing but a [`Message`], and there is one way to make one. So
//! no sink can forget to redact, to escape or to cut short.

use fusebox_view::{escape, phrase};

use crate::notice::Notice;
use crate::redact::redact;

/// The widest that one line of a notice becomes.
const LINE: usize = 200;

/// The most lines of a body that are carried.
const BODY_LINES: usize = 12;

/// The most characters of a text that are even looked at. What is left of a secret that the
/// cut goes through is long enough to be recognised or too short to be of use.
const LOOKED_AT: usize = 16 * 1024;

/// A notice with clean texts, and the id under which it is sent and sent again.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// The same for every attempt, so that a receiver can tell a repetition.
    pub(crate) id: String,
    /// Its texts are redacted, escaped and short.
    pub(crate) notice: Notice,
}

impl Message {
    pub(crate) fn new(id: String, notice: &Notice) -> Self {
        Self {
            id,
            notice: Notice {
                title: line(&notice.title),
                body: body(&notice.body),
                reason: notice.reason.as_deref().map(line),
                task: notice.task.as_deref().map(line),
                next: notice.next.as_deref().map(line),
                circuit: line(&notice.circuit),
                workspace: line(&notice.workspace),
                ..notice.clone()
            },
        }
    }

    /// The title as every sink shows it. It always begins with our own name:
    /// the reader sees who speaks, and no text from outside can be taken for
    /// an option (`-x`) or a terminal's command (`4;1;50`).
    pub(crate) fn headline(&self) -> String {
        format!("fusebox: {}", self.notice.title)
    }

    /// What is known beyond title and body, as label and value.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String)> {
        let notice = &self.notice;
        let named = |text: &String| (!text.is_empty()).then(|| text.clone());
        [
            ("Reason", notice.reason.clone()),
            ("Task", notice.task.clone()),
            ("Iteration", notice.iteration.map(|n| n.to_string())),
            ("Cost", notice.micro_usd.map(phrase::dollars)),
            ("Workspace", named(&notice.workspace)),
            ("Circuit", named(&notice.circuit)),
            ("Next", notice.next.clone()),
        ]
        .into_iter()
        .filter_map(|(label, value)| Some((label, value?)))
        .collect()
    }

    /// Body and rows as plain lines, for sinks that know nothing but text.
    pub(crate) fn lines(&self) -> Vec<String> {
        let body = self.notice.body.lines().map(str::to_owned);
        let rows = self.rows().into_iter();
        body.chain(rows.map(|(label, value)| format!("{label}: {value}")))
            .collect()
    }
}

/// At most `most` characters of `text`, with an ellipsis where it was cut.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            kept + "…"
        }
    }
}

fn line(text: &str) -> String {
    escape::line(&redact(looked_at(text)), LINE)
}

fn body(text: &str) -> String {
    escape::block(&redact(looked_at(text)), BODY_LINES, LINE)
}

fn looked_at(text: &str) -> &str {
    match text.char_indices().nth(LOOKED_AT) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::Kind;

    #[test]
    fn texts_are_clean_however_they_came() {
        let mut notice = Notice::new(Kind::Tripped, "a\u{1b}[2Jb\nc", 0);
        notice.body = "one\ttwo\nkey ghp_0123456789abcdefghij0123456789abcdef\n".repeat(20);
        notice.reason = Some("x".repeat(5_000));
        notice.task = Some("\u{202e}evil".into());
        let message = Message::new("msg_1".into(), &notice);
        assert_eq!(message.headline(), "fusebox: a\\x1b[2Jb\\nc");
        assert_eq!(message.notice.body.lines().count(), BODY_LINES);
        assert!(!message.notice.body.contains("0123456789"));
        assert_eq!(message.notice.task.as_deref(), Some("\\u{202e}evil"));
        assert_eq!(message.notice.reason.unwrap().chars().count(), LINE);
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clipped("漢字漢字", 4), "漢字漢字");
        assert_eq!(clipped("漢字漢字", 3), "漢字…");
        assert_eq!(clipped("ab", 0), "…");
    }
}
