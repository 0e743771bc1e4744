//! The line of a file that a complaint is about, with a mark under it.
//!
//! The file may come from a hostile repository: every line goes through the
//! escaping before its width is counted, so the mark stands where the eye
//! finds the text and not where the bytes were.

use std::ops::Range;
use std::path::Path;

use fusebox_core::clip;
use fusebox_view::escape::{self, columns};

use crate::speech::shown;

/// The widest that a line of a file is shown.
const WIDTH: usize = 100;
/// A line that is marked further to the right is shown from the mark on.
const MARK_WITHIN: usize = 60;

/// A part of a file, as a person finds it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt<'a> {
    /// Counted from 1.
    pub(crate) line: usize,
    /// Counted from 1, in characters.
    column: usize,
    before: &'a str,
    marked: &'a str,
    after: &'a str,
}

impl<'a> Excerpt<'a> {
    /// The first line of `span`. A span outside of the text is its end.
    pub(crate) fn of(text: &'a str, span: &Range<usize>) -> Self {
        let start = clip(text, span.start).len();
        let end = clip(text, span.end).len().max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = end.min(line_end);
        let before = &text[line_start..start];
        Self {
            line: 1 + text[..start].matches('\n').count(),
            column: 1 + before.chars().count(),
            before,
            marked: &text[start..end],
            after: text[end..line_end].trim_end_matches('\r'),
        }
    }

    /// The place, the line and the mark, safe to show.
    pub(crate) fn lines(&self, path: &Path) -> Vec<String> {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let mut before = escape::line(&self.before.replace('\t', " "), WIDTH);
        if columns(&before) > MARK_WITHIN {
            before = "…".to_owned();
        }
        let room = WIDTH - columns(&before);
        let marked = escape::line(self.marked, room);
        let after = escape::line(self.after, room.saturating_sub(columns(&marked)).max(1));
        let after = if columns(&marked) < room {
            after
        } else {
            String::new()
        };
        let indent = " ".repeat(columns(&before));
        let carets = "^".repeat(columns(&marked).max(1));
        vec![
            format!("{margin}--> {}:{}:{}", shown(path), self.line, self.column),
            format!("{margin} |"),
            format!("{number} | {before}{marked}{after}"),
            format!("{margin} | {indent}{carets}"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_at(text: &str, span: Range<usize>) -> String {
        Excerpt::of(text, &span)
            .lines(Path::new("f.toml"))
            .join("\n")
    }

    #[test]
    fn the_mark_stands_under_what_it_means() {
        assert_eq!(
            shown_at("a = 1\n\tb = 22 # c\n", 11..13),
            " --> f.toml:2:6\n  |\n2 |  b = 22 # c\n  |      ^^"
        );
        assert_eq!(
            shown_at("日本 = 5\n", 9..10),
            " --> f.toml:1:6\n  |\n1 | 日本 = 5\n  |        ^"
        );
    }

    #[test]
    fn whatever_the_span_is_there_is_a_line() {
        for (text, span, line) in [
            ("", 0..0, 1),
            ("a\n", 2..2, 2),
            ("a", 5..9, 1),
            ("a\r\nb\r\nc", 3..7, 2),
            ("日本", 1..2, 1),
        ] {
            let excerpt = Excerpt::of(text, &span);
            assert_eq!(excerpt.line, line, "{text:?}");
            assert_eq!(excerpt.lines(Path::new("f")).len(), 4);
        }
        assert!(shown_at("a\r\nb", 0..1).contains("1 | a\n"));
    }

    #[test]
    fn a_hostile_line_is_shown_short_and_harmless() {
        let long = format!("{} = 1", "k".repeat(60_000));
        for line in shown_at(&long, 60_003..60_004).lines() {
            assert!(columns(line) <= WIDTH + 4, "{line}");
        }
        let text = "\"\u{1b}[2J\" = 1";
        assert!(!shown_at(text, 0..6).contains('\u{1b}'));
    }
}
