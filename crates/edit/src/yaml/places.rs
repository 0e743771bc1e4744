//! Where in a text the parser is.

use saphyr_parser::Marker;

/// The bytes that places counted in characters are at. They come nearly in order.
pub(super) struct Places<'t> {
    text: &'t str,
    ascii: bool,
    chars: usize,
    bytes: usize,
}

impl<'t> Places<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            ascii: text.is_ascii(),
            chars: 0,
            bytes: 0,
        }
    }

    pub(super) fn byte(&mut self, marker: Marker) -> usize {
        let wanted = marker.index();
        if self.ascii {
            return wanted.min(self.text.len());
        }
        while self.chars < wanted {
            let Some(next) = self.text[self.bytes..].chars().next() else {
                break;
            };
            self.bytes += next.len_utf8();
            self.chars += 1;
        }
        while self.chars > wanted {
            let Some(last) = self.text[..self.bytes].chars().next_back() else {
                break;
            };
            self.bytes -= last.len_utf8();
            self.chars -= 1;
        }
        self.bytes
    }
}
