//! Text in a page.

use crate::escape;

/// The longest line of foreign text in a page.
const WIDTH: usize = 2_000;

/// One line that is safe between tags and inside a quoted attribute. What would
/// act on a terminal is shown too: pages are copied into terminals.
///
/// ```
/// assert_eq!(fusebox_view::html::text("<b>\u{1b}[2J"), r"&lt;b&gt;\x1b[2J");
/// ```
#[must_use]
pub fn text(text: &str) -> String {
    marked_up(&escape::line(text, WIDTH))
}

/// Several lines, for a `<pre>`; at most `max_lines` of them.
#[must_use]
pub fn lines(text: &str, max_lines: usize) -> String {
    marked_up(&escape::block(text, max_lines, WIDTH))
}

/// Text for programs that take a little markup in what they are told: letters and quotes stay,
/// and nothing is a tag.
#[must_use]
pub fn without_tags(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn marked_up(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
