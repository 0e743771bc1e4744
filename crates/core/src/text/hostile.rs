//! Characters that act on whoever looks at a text instead of standing for themselves.
//!
//! There is one table of them. What is shown on a terminal makes them visible; what is written
//! into the files of other systems, where nobody expects our notation, goes without them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether `c` acts on a terminal or on the reader: it is a control, it reorders or hides what
/// stands beside it, or it takes no space at all.
///
/// U+FE0F is let through, alone among the invisible: it only asks for the
/// coloured form of the symbol before it, and agents write it after every
/// other warning sign.
#[inline]
#[must_use]
pub fn is_hostile(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let code = u32::from(c);
    let after = HOSTILE.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= HOSTILE[after - 1].1
}

/// All of them.
pub fn hostile() -> impl Iterator<Item = char> {
    let beyond = HOSTILE.iter().flat_map(|&(first, last)| first..=last);
    let ascii = (0..0x80).filter_map(char::from_u32);
    let ascii = ascii.filter(char::is_ascii_control);
    ascii.chain(beyond.filter_map(char::from_u32))
}

/// Text from outside on one line: a space stands for whatever would act. Letters of every
/// script and the marks on them stay.
#[must_use]
pub fn quiet_line(text: &str) -> String {
    let quiet = |c| if is_hostile(c) { ' ' } else { c };
    text.chars().map(quiet).collect()
}

/// A JSON document that says the same and in which nothing acts: such characters are written by
/// their numbers. They stand in strings alone, where that is allowed; line breaks stay, which
/// stand between the values.
///
/// ```
/// assert_eq!(fusebox_core::quiet_json("[\"\u{9b}2J\"]"), r#"["\u009b2J"]"#);
/// ```
#[must_use]
pub fn quiet_json(document: &str) -> Cow<'_, str> {
    let acts = |c: char| is_hostile(c) && c != '\n';
    if !document.contains(acts) {
        return Cow::Borrowed(document);
    }
    let mut quiet = String::with_capacity(document.len());
    for c in document.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(quiet, "\\u{unit:04x}");
            }
        } else {
            quiet.push(c);
        }
    }
    Cow::Owned(quiet)
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
    fn the_list_of_all_is_what_the_question_says() {
        let listed: Vec<char> = hostile().collect();
        let asked: Vec<char> = ('\0'..=char::MAX).filter(|c| is_hostile(*c)).collect();
        assert_eq!(listed, asked);
    }

    #[test]
    fn what_stands_for_itself_is_not_hostile_and_stays() {
        let text = "aZ~ é漢ع✅│\u{a0}e\u{301}שלום ⚠\u{fe0f}\u{fffd}\u{e000}";
        assert!(!text.contains(is_hostile));
        assert_eq!(quiet_line(text), text);
        assert_eq!(quiet_json(text), text);
    }

    #[test]
    fn nothing_hostile_is_left_and_json_says_the_same() {
        let text: String = hostile().collect();
        assert_eq!(quiet_line(&text), " ".repeat(text.chars().count()));
        let document = serde_json::to_string_pretty(&[&text]).expect("JSON");
        let quiet = quiet_json(&document);
        assert!(!quiet.contains(|c| is_hostile(c) && c != '\n'));
        let said: [String; 1] = serde_json::from_str(&quiet).expect("JSON");
        assert_eq!(said[0], text);
    }
}
