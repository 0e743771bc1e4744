//! A line that gives up its least important parts when room is short.

use anstyle::Style;

use super::model::Paint;
use crate::escape::{self, columns};

/// Parts from the most to the least important, already safe to show.
#[derive(Default)]
pub(super) struct Line {
    indent: &'static str,
    parts: Vec<Part>,
}

struct Part {
    text: String,
    style: Style,
    /// Drawn in signs that were chosen for this terminal already.
    drawn: bool,
}

impl Line {
    pub(super) fn indented() -> Self {
        Self {
            indent: "  ",
            parts: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn add(&mut self, text: impl Into<String>) {
        self.styled(text, Style::new());
    }

    pub(super) fn styled(&mut self, text: impl Into<String>, style: Style) {
        self.parts.push(Part {
            text: text.into(),
            style,
            drawn: false,
        });
    }

    /// A figure that cannot be cut short.
    pub(super) fn drawing(&mut self, text: String) {
        self.parts.push(Part {
            text,
            style: Style::new(),
            drawn: true,
        });
    }

    /// The parts that fit into `width` columns, in their order. The first one
    /// is cut if it must be, every other one is shown whole or not at all;
    /// behind one that is left out, a shorter one may still find room.
    pub(super) fn render(&self, width: usize, paint: Paint) -> String {
        let mut out = self.indent.to_owned();
        let mut room = width.saturating_sub(self.indent.len());
        for (index, part) in self.parts.iter().enumerate() {
            let separator = if index == 0 {
                ""
            } else {
                paint.glyphs.separator()
            };
            let whole = if index == 0 {
                escape::line(&part.text, room)
            } else {
                part.text.clone()
            };
            let text = if part.drawn {
                whole
            } else {
                paint.glyphs.of(&whole)
            };
            let taken = columns(separator) + columns(&text);
            if taken > room {
                continue;
            }
            room -= taken;
            out.push_str(separator);
            out.push_str(&painted(&text, part.style, paint.colour));
        }
        out
    }
}

fn painted(text: &str, style: Style, colour: bool) -> String {
    if colour && style != Style::new() {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}
