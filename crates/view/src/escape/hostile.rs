//! Which characters act on a terminal or on the reader instead of standing
//! for themselves, and how they are shown.

use std::fmt;

/// Whether `c` must not reach a terminal as it is: it is a control, it
/// reorders or hides what stands beside it, or it takes no space at all.
///
/// U+FE0F is let through, alone among the invisible: it only asks for the
/// coloured form of the symbol before it, and agents write it after every
/// other warning sign.
#[inline]
pub(super) fn is_hostile(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let code = u32::from(c);
    let after = HOSTILE.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= HOSTILE[after - 1].1
}

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

/// Beyond ASCII: the C1 controls, every format character (category Cf), the
/// line and paragraph separators, and everything else that renders as
/// nothing (`Default_Ignorable_Code_Point`), tags and variation selectors
/// included.
const HOSTILE: &[(u32, u32)] = &[
    (0x80, 0x9f),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x890, 0x891),
    (0x8e2, 0x8e2),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0e),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_ascend_so_that_the_search_is_valid() {
        let ordered = HOSTILE.iter().all(|(first, last)| first <= last);
        assert!(ordered && HOSTILE.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

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

    #[test]
    fn what_stands_for_itself_is_not_hostile() {
        for c in "aZ~ é漢ع✅│\u{a0}\u{301}\u{fe0f}\u{fffd}\u{e000}".chars() {
            assert!(!is_hostile(c), "{c:?}");
        }
    }
}
