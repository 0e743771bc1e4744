//! Text from outside is hostile, and a terminal obeys it.
//!
//! A file name, a task title or an agent's output can move the cursor over
//! a warning, retitle the window, fill the clipboard, or reverse the reading
//! order so that a denied command looks like a harmless one. Nothing that
//! fusebox did not write itself reaches a terminal except through here: what
//! would act is shown instead, as `\x1b` or `\u{202e}`.
//!
//! A backslash is left alone. Escaping it would make the result reversible,
//! but every Windows path and every regular expression unreadable; this is
//! text to be looked at, never to be parsed back. In return, escaping twice
//! is the same as escaping once, so no caller has to know whether its text
//! has been through here before.

mod columns;
mod hostile;
mod passthrough;

pub use columns::columns;
pub use fusebox_core::quiet_json as json;
pub use passthrough::Passthrough;

use columns::columns_of;
use fusebox_core::is_hostile;
use hostile::Shown;

/// What stands where text was cut off. One column wide.
const ELLIPSIS: char = '…';

/// Columns given to a tab inside a [`block`], where indentation is meant to
/// be read and tab stops would make the width depend on the terminal.
const TAB: &str = "    ";

/// One line that is safe to show, at most `max_width` columns wide.
///
/// Line breaks and tabs become visible too: a task title with a newline in
/// it must not be able to forge the next line of a report.
///
/// ```
/// use fusebox_view::escape::line;
///
/// assert_eq!(line("rm \u{1b}[8m-rf /", 40), r"rm \x1b[8m-rf /");
/// assert_eq!(line("a rather long title", 10), "a rather …");
/// ```
#[must_use]
pub fn line(text: &str, max_width: usize) -> String {
    let mut clipped = Clipped::new(max_width);
    clipped.push_text(text);
    clipped.text
}

/// Like [`line()`], for bytes that may not be UTF-8, such as file names. What
/// is not UTF-8 becomes `\xNN`.
#[must_use]
pub fn bytes(bytes: &[u8], max_width: usize) -> String {
    let mut clipped = Clipped::new(max_width);
    for chunk in bytes.utf8_chunks() {
        clipped.push_text(chunk.valid());
        for byte in chunk.invalid() {
            clipped.push_whole(&format!("\\x{byte:02x}"));
        }
        if clipped.full {
            break;
        }
    }
    clipped.text
}

/// Several lines that are safe to show, at most `max_lines` of them and each
/// at most `max_width` columns wide, without a line break at the end.
///
/// When there are more, the last line says how many were left out. A tab
/// becomes four spaces.
#[must_use]
pub fn block(text: &str, max_lines: usize, max_width: usize) -> String {
    if max_lines == 0 || max_width == 0 {
        return String::new();
    }
    let text = text.trim_end_matches(['\r', '\n']);
    let total = text.lines().count();
    let shown = if total > max_lines {
        max_lines - 1
    } else {
        total
    };
    let mut lines: Vec<String> = text
        .lines()
        .take(shown)
        .map(|raw| indented_line(raw, max_width))
        .collect();
    if shown < total {
        let left_out = total - shown;
        lines.push(line(
            &format!("{ELLIPSIS} {left_out} more lines"),
            max_width,
        ));
    }
    lines.join("\n")
}

fn indented_line(text: &str, max_width: usize) -> String {
    let mut clipped = Clipped::new(max_width);
    for (index, piece) in text.split('\t').enumerate() {
        if index > 0 {
            clipped.push_whole(TAB);
        }
        clipped.push_text(piece);
    }
    clipped.text
}

/// A line under construction that stops growing at its width.
struct Clipped {
    text: String,
    width: usize,
    max_width: usize,
    /// Length of `text` up to which there is still a column for the
    /// ellipsis. Cutting here, and never inside a piece, keeps a shown
    /// escape whole: half of `\u{202e}` would read as something else.
    cut: usize,
    full: bool,
}

impl Clipped {
    fn new(max_width: usize) -> Self {
        Self {
            text: String::new(),
            width: 0,
            max_width,
            cut: 0,
            full: false,
        }
    }

    fn push_text(&mut self, text: &str) {
        for c in text.chars() {
            if self.full {
                return;
            }
            if is_hostile(c) {
                self.push_whole(&Shown(c).to_string());
            } else {
                self.text.push(c);
                self.advance(columns_of(c));
            }
        }
    }

    /// Appends a piece of ASCII that is either shown whole or not at all.
    fn push_whole(&mut self, piece: &str) {
        if !self.full {
            self.text.push_str(piece);
            self.advance(piece.len());
        }
    }

    fn advance(&mut self, columns: usize) {
        self.width += columns;
        if self.width < self.max_width {
            self.cut = self.text.len();
        }
        if self.width > self.max_width {
            self.text.truncate(self.cut);
            if self.max_width > 0 {
                self.text.push(ELLIPSIS);
            }
            self.full = true;
        }
    }
}
