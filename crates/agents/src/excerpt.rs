//! Text from outside, bounded before it is kept.

use std::borrow::Cow;

/// The most of a tool's answer, of a message or of arguments that is kept.
pub(crate) const EXCERPT_BYTES: usize = 16 * 1024;
/// The most of a final text that is kept.
pub(crate) const FINAL_BYTES: usize = 64 * 1024;
/// The most of an explanation that is kept.
pub(crate) const DETAIL_BYTES: usize = 600;
/// The longest name (session, tool, model, call) that is kept.
pub(crate) const NAME_BYTES: usize = 256;

/// Room for the note that something was left out, so that an excerpt of an excerpt
/// is the same again.
const NOTE: usize = 40;

/// A text of which, when it is long, only the beginning and the end are kept:
/// the end because that is where tools put what went wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// What was kept.
    pub text: String,
    /// How long the whole was, in bytes.
    pub bytes: usize,
}

impl Excerpt {
    /// The longest text of which nothing is left out, in bytes.
    pub const WHOLE: usize = EXCERPT_BYTES;

    /// As much of a text as is kept of what an agent or a tool wrote.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::within(text, EXCERPT_BYTES)
    }

    pub(crate) fn within(text: &str, limit: usize) -> Self {
        let kept = if text.len() <= limit {
            text.to_owned()
        } else {
            let half = limit.saturating_sub(NOTE) / 2;
            let head = clip(text, half);
            let tail = clip_front(text, half);
            let left_out = text.len() - head.len() - tail.len();
            format!("{head}\n[{left_out} bytes left out]\n{tail}")
        };
        Self {
            text: kept,
            bytes: text.len(),
        }
    }

    /// Whether something was left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.text.len() != self.bytes
    }
}

/// At most `limit` bytes from the beginning, whole characters.
pub(crate) fn clip(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// At most `limit` bytes from the end, whole characters.
pub(crate) fn clip_front(text: &str, limit: usize) -> &str {
    let mut start = text.len().saturating_sub(limit);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// A name, bounded.
pub(crate) fn name(text: &str) -> String {
    clip(text, NAME_BYTES).to_owned()
}

/// An explanation as the agent gave it, bounded and without blank ends.
pub(crate) fn detail(text: &str) -> String {
    clip(without_escapes(text).trim(), DETAIL_BYTES).to_owned()
}

/// The text without the escape sequences that colour it and move about: some agents write them
/// to a pipe as well.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        plain.push_str(before);
        rest = after_escape(after);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// What follows an escape sequence: parameters with one last character, a text up to a bell or
/// to `ESC \`, or a single character.
fn after_escape(text: &str) -> &str {
    let mut chars = text.chars();
    match chars.next() {
        Some('[') => {
            chars.find(|it| ('\u{40}'..='\u{7e}').contains(it));
        }
        Some(']' | 'P' | '_' | '^' | 'X') => {
            let ends = |it: &char| matches!(it, '\u{7}' | '\u{1b}');
            if chars.find(ends) == Some('\u{1b}') {
                chars.next();
            }
        }
        Some('(' | ')' | '*' | '+') => {
            chars.next();
        }
        _ => {}
    }
    chars.as_str()
}

/// The text with one spelling for what agents spell in several ways:
/// apostrophes, the dots between clauses, and case. Colours are no part of it.
pub(crate) fn normalised(text: &str) -> String {
    without_escapes(text)
        .chars()
        .map(|character| match character {
            '’' | '‘' | 'ʼ' | '`' => '\'',
            '∙' | '•' | '⋅' | '・' => '·',
            '\u{a0}' | '\u{202f}' | '\n' => ' ',
            other => other.to_ascii_lowercase(),
        })
        .collect()
}

/// The last lines of a stream, bounded: all that is ever read of free text.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    text: String,
}

impl Tail {
    const KEPT: usize = 8 * 1024;

    pub(crate) fn push(&mut self, line: &str) {
        self.text.push_str(clip_front(line, Self::KEPT));
        self.text.push('\n');
        // Cut rarely and by much, so that each byte is moved a few times at most.
        if self.text.len() > 4 * Self::KEPT {
            self.text = clip_front(&self.text, Self::KEPT).to_owned();
        }
    }

    pub(crate) fn text(&self) -> &str {
        clip_front(&self.text, Self::KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning_its_end_and_its_length() {
        let text = format!("start{}end", "ü".repeat(5000));
        let excerpt = Excerpt::within(&text, 101);
        assert!(excerpt.text.starts_with("start") && excerpt.text.ends_with("end"));
        assert!(excerpt.text.len() < 160 && excerpt.is_cut());
        assert_eq!(excerpt.bytes, text.len());
        assert_eq!(Excerpt::within(&excerpt.text, 101).text, excerpt.text);
        assert!(!Excerpt::of("short").is_cut());
    }

    #[test]
    fn a_tail_is_the_end_and_stays_small() {
        let mut tail = Tail::default();
        for number in 0..100_000 {
            tail.push(&format!("line {number}"));
        }
        assert!(tail.text().ends_with("line 99999\n"));
        assert!(tail.text.len() <= 4 * Tail::KEPT + 64);
    }

    #[test]
    fn spellings_are_made_alike() {
        assert_eq!(normalised("You’ve ∙ Hit"), "you've · hit");
    }
}
