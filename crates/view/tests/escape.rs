//! What must hold of escaped text, whatever goes in.

use fusebox_view::escape::{self, Passthrough};
use proptest::prelude::*;

/// Everything invisible or disordering beyond ASCII, written down a second
/// time and by meaning, so that a hole in the crate's table shows up here.
fn deceives(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' // C1 controls
        | '\u{ad}' // soft hyphen
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' // bidirectional controls
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' // zero width
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // blank letters
        | '\u{2028}' | '\u{2029}' // separators
        | '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}' // variation selectors
        | '\u{e0000}'..='\u{e007f}' // tags
    )
}

fn is_safe(text: &str, controls: &[char]) -> bool {
    text.chars()
        .all(|c| !deceives(c) && (!c.is_ascii_control() || controls.contains(&c)))
}

/// Removes well-formed colour sequences, so that any escape character that
/// is left is one that should not be there.
fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let after = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';' || c == ':');
        match after.strip_prefix('m') {
            Some(after) => kept.push_str(after),
            None => {
                kept.push_str("\x1b[");
                kept.push_str(piece);
            }
        }
    }
    kept
}

fn pass<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut out = Vec::new();
    let mut passthrough = Passthrough::default();
    for chunk in chunks {
        passthrough
            .write(chunk, &mut out)
            .expect("a Vec accepts every write");
    }
    passthrough
        .finish(&mut out)
        .expect("a Vec accepts every write");
    String::from_utf8(out).expect("what is written is UTF-8")
}

/// Text in which trouble is common, not one case in a million.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,6}",
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\x1b",
            "\x1b[",
            "\x1b[31",
            "\x1b[1;31m",
            "\x1b[0m",
            "\x1b[2J",
            "\x1b]0;t\x07",
            "\r",
            "\n",
            "\r\n",
            "\t",
            "\0",
            "\x7f",
            "\u{9b}",
            "\u{202e}",
            "\u{200b}",
            "\u{2028}",
            "\u{e0041}",
            "\u{fe0f}",
            "漢字",
            "👩\u{200d}💻",
            "e\u{301}",
            ";",
            "m",
            "\\",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// The same, with bytes of it broken.
fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let breaks = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (hostile_text(), breaks).prop_map(|(text, breaks)| {
        let mut bytes = text.into_bytes();
        for (index, byte) in breaks {
            if !bytes.is_empty() {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_line_is_safe_fits_and_stays_as_it_is(text in hostile_text(), width in 0usize..60) {
        let once = escape::line(&text, width);
        prop_assert!(is_safe(&once, &[]), "{once:?}");
        prop_assert!(escape::columns(&once) <= width);
        prop_assert_eq!(&escape::line(&once, width), &once);
    }

    #[test]
    fn bytes_are_safe_fit_and_agree_with_text(bytes in hostile_bytes(), width in 0usize..60) {
        let once = escape::bytes(&bytes, width);
        prop_assert!(is_safe(&once, &[]), "{once:?}");
        prop_assert!(escape::columns(&once) <= width);
        prop_assert_eq!(&escape::bytes(once.as_bytes(), width), &once);
        if let Ok(text) = std::str::from_utf8(&bytes) {
            prop_assert_eq!(&escape::line(text, width), &once);
        }
    }

    #[test]
    fn a_block_is_safe_fits_and_stays_as_it_is(
        text in hostile_text(), lines in 0usize..6, width in 0usize..60,
    ) {
        let once = escape::block(&text, lines, width);
        prop_assert!(is_safe(&once, &['\n']), "{once:?}");
        prop_assert!(once.lines().count() <= lines);
        prop_assert!(once.lines().all(|line| escape::columns(line) <= width));
        prop_assert_eq!(&escape::block(&once, lines, width), &once);
    }

    #[test]
    fn a_stream_is_safe_and_stays_as_it_is(bytes in hostile_bytes()) {
        let once = pass([bytes.as_slice()]);
        prop_assert!(is_safe(&without_colours(&once), &['\n', '\t']), "{once:?}");
        prop_assert_eq!(&pass([once.as_bytes()]), &once);
    }

    #[test]
    fn how_a_stream_is_cut_changes_nothing(bytes in hostile_bytes(), size in 1usize..7) {
        prop_assert_eq!(pass(bytes.chunks(size)), pass([bytes.as_slice()]));
    }

    #[test]
    fn plain_text_is_left_alone(text in "[ -~éß漢字│✓]{0,80}") {
        prop_assert_eq!(&escape::line(&text, 160), &text);
        prop_assert_eq!(&escape::bytes(text.as_bytes(), 160), &text);
        prop_assert_eq!(&escape::block(&text, 1, 160), &text);
        prop_assert_eq!(&pass([text.as_bytes()]), &text);
    }
}

#[test]
fn lines_are_cut_by_columns_and_never_inside_a_piece() {
    for (text, width, expected) in [
        ("", 0, ""),
        ("abc", 0, ""),
        ("abc", 1, "…"),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("漢字漢", 6, "漢字漢"),
        ("漢字漢字", 6, "漢字…"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),
        ("ab\u{202e}cd", 9, "ab…"),
        ("ab\u{202e}", 10, "ab\\u{202e}"),
        ("a\nb\tc", 9, "a\\nb\\tc"),
    ] {
        assert_eq!(escape::line(text, width), expected, "{text:?} in {width}");
    }
}

#[test]
fn stray_bytes_and_controls_are_told_apart() {
    assert_eq!(
        escape::bytes(b"a\x9b\xc2\x9b\xffz", 40),
        "a\\x9b\\u{9b}\\xffz"
    );
    assert_eq!(escape::bytes(b"\xff\xff\xff", 8), "\\xff…");
}

#[test]
fn blocks_say_what_they_leave_out() {
    for (text, lines, expected) in [
        ("a\r\nb\n", 5, "a\nb"),
        ("a\n\nb\n\n\n", 5, "a\n\nb"),
        ("\tx\u{1b}[2J", 5, "    x\\x1b[2J"),
        ("1\n2\n3", 3, "1\n2\n3"),
        ("1\n2\n3\n4", 3, "1\n2\n… 2 more lines"),
        ("1\n2", 1, "… 2 more lines"),
        ("1\n2", 0, ""),
    ] {
        assert_eq!(
            escape::block(text, lines, 40),
            expected,
            "{text:?} in {lines}"
        );
    }
}
