//! How what acts on a terminal or on the reader is shown.

use std::fmt;

/// A hostile character made visible, always as ASCII.
pub(super) struct Shown(pub(super) char);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            '\n' => f.write_str("\\n"),
            '\r' => f.write_str("\\r"),
            '\t' => f.write_str("\\t"),
            c if c.is_ascii() => write!(f, "\\x{:02x}", u32::from(c)),
            // Not `\x9b`: that is how a stray byte is shown, and this is a
            // character of two bytes.
            c => write!(f, "\\u{{{:x}}}", u32::from(c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusebox_core::is_hostile;

    #[test]
    fn what_is_hostile_and_how_it_is_shown() {
        for (c, shown) in [
            ('\0', "\\x00"),
            ('\x07', "\\x07"),
            ('\x1b', "\\x1b"),
            ('\x7f', "\\x7f"),
            ('\n', "\\n"),
            ('\r', "\\r"),
            ('\t', "\\t"),
            ('\u{80}', "\\u{80}"),
            ('\u{9b}', "\\u{9b}"),
            ('\u{ad}', "\\u{ad}"),
            ('\u{61c}', "\\u{61c}"),
            ('\u{200b}', "\\u{200b}"),
            ('\u{200d}', "\\u{200d}"),
            ('\u{2028}', "\\u{2028}"),
            ('\u{202e}', "\\u{202e}"),
            ('\u{2066}', "\\u{2066}"),
            ('\u{3164}', "\\u{3164}"),
            ('\u{feff}', "\\u{feff}"),
            ('\u{e0041}', "\\u{e0041}"),
            ('\u{e01ef}', "\\u{e01ef}"),
        ] {
            assert!(is_hostile(c), "{c:?}");
            assert_eq!(Shown(c).to_string(), shown);
        }
    }
}
