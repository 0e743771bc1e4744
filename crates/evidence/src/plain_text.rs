//! From what a program printed to lines that can be read.

/// The longest message that is kept, in bytes.
pub(crate) const MESSAGE_BYTES: usize = 2048;
/// The longest name or path that is kept, in bytes.
pub(crate) const NAME_BYTES: usize = 256;

/// The text without escape sequences and control characters.
///
/// A carriage return starts a new line: what a progress bar overwrites was a line once.
/// Bytes that are no UTF-8 become replacement characters.
pub(crate) fn clean(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => skip_escape(&mut rest),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => clean.push('\n'),
            '\n' | '\t' => clean.push(next),
            control if control.is_control() => {}
            plain => clean.push(plain),
        }
    }
    clean
}

fn skip_escape(rest: &mut std::iter::Peekable<impl Iterator<Item = char>>) {
    match rest.next() {
        // Parameters, then one final character.
        Some('[') => {
            while rest
                .next_if(|it| ('\u{20}'..'\u{40}').contains(it))
                .is_some()
            {}
        }
        // A text of any length up to a bell or to `ESC \`. A line end means it was none.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while rest
                .next_if(|it| !matches!(it, '\u{7}' | '\u{1b}' | '\n'))
                .is_some()
            {}
            if rest.peek() == Some(&'\n') {
                return;
            }
            if rest.next() == Some('\u{1b}') {
                rest.next_if_eq(&'\\');
            }
            return;
        }
        // A character set: one more character.
        Some('(' | ')' | '*' | '+') => {}
        _ => return,
    }
    rest.next_if(|it| *it != '\n');
}

/// At most `bytes` of a text, cut between characters.
pub(crate) fn clip(text: &str, bytes: usize) -> String {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

/// Numbers and the word that follows each, as in `2 failed, 1 passed`.
pub(crate) fn counts(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let words = || text.split(|it: char| it.is_whitespace() || ",;|:()[]=".contains(it));
    let words = move || words().filter(|word| !word.is_empty());
    words()
        .zip(words().skip(1))
        .filter_map(|(number, word)| Some((number.parse().ok()?, word)))
}

/// Splits `file:line` or `file:line:column`, with or without a colon at the end.
pub(crate) fn location(text: &str) -> Option<(&str, u32)> {
    let text = text.trim().trim_end_matches(':');
    let (above, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let found = match above.rsplit_once(':') {
        Some((file, line)) => line.parse().map_or((above, last), |line| (file, line)),
        None => (above, last),
    };
    (!found.0.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_text_is_left() {
        for (printed, expected) in [
            (&b"plain\r\ntext\n"[..], "plain\ntext\n"),
            (b"\x1b[1;31mred\x1b[0m", "red"),
            (b"\x1b]0;title\x07after", "after"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b"\x1b]never ended\nnext", "\nnext"),
            (b"10%\r20%\rdone", "10%\n20%\ndone"),
            (b"a\x00b\x08c\xffd", "abc\u{fffd}d"),
            (b"\x1b(Bascii\x1b7saved\x1b", "asciisaved"),
            (b"\x1b[", ""),
            (b"\x1b[31\nm", "\nm"),
        ] {
            assert_eq!(clean(printed), expected, "{}", printed.escape_ascii());
        }
    }

    #[test]
    fn numbers_belong_to_the_word_behind_them() {
        let found: Vec<_> = counts("== 2 failed, 1 passed; 3 x | 4 (5) in 6.0s ==").collect();
        assert_eq!(
            found,
            [(2, "failed"), (1, "passed"), (3, "x"), (4, "5"), (5, "in")]
        );
        assert_eq!(counts("99999999999 passed").next(), None);
    }

    #[test]
    fn places_in_files() {
        for (text, expected) in [
            ("src/a.rs:3:9:", Some(("src/a.rs", 3))),
            ("src/a.rs:3", Some(("src/a.rs", 3))),
            ("C:/a.rs:3:9", Some(("C:/a.rs", 3))),
            ("a b.rs:3", Some(("a b.rs", 3))),
            ("src/a.rs", None),
            (":3:9", None),
            ("12:30", Some(("12", 30))),
            ("a:99999999999", None),
            ("", None),
        ] {
            assert_eq!(location(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn anything_can_be_cleaned(output in proptest::collection::vec(any::<u8>(), 0..300)) {
            let text = clean(&output);
            prop_assert!(text.chars().all(|it| !it.is_control() || matches!(it, '\n' | '\t')));
            counts(&text).count();
            location(&text);
            prop_assert!(clip(&text, 7).len() <= 7);
        }
    }
}
