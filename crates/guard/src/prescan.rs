//! How deep a command is nested, before a recursive parser sees it.
//!
//! The parser recurses on its input and an overflowing stack takes the whole process with
//! it, which an agent would read as consent. So the depth is counted first, in one pass that
//! errs upwards: an opening that is only text counts as well. Input that is known to
//! crash the parser is refused here, too.

use crate::stop::{Limits, Stop};

/// Words that open something which a later word closes.
const OPENING: [&str; 7] = ["if", "case", "for", "while", "until", "select", "do"];
const CLOSING: [&str; 3] = ["fi", "esac", "done"];

/// Refuses what is too long or nested too deeply.
pub(crate) fn check(text: &str, limits: &Limits) -> Result<(), Stop> {
    if text.len() > limits.length {
        return Err(Stop::TooLong(text.len(), limits.length));
    }
    let (mut brackets, mut words, mut deepest) = (0_usize, 0_usize, 0_usize);
    let mut backticks = 0_usize;
    let mut escapes = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' => brackets += 1,
            b')' | b'}' => brackets = brackets.saturating_sub(1),
            b'`' => backticks = backticks.max(escapes + 1),
            _ => {}
        }
        escapes = if byte == b'\\' { escapes + 1 } else { 0 };
        deepest = deepest.max(brackets + backticks);
    }
    for word in text.split([' ', '\t', '\n', ';', '&', '|', '(', ')']) {
        if OPENING.contains(&word) {
            words += 1;
        } else if CLOSING.contains(&word) {
            words = words.saturating_sub(2);
        }
        deepest = deepest.max(words / 2);
    }
    // A run of exclamation marks or of prefix operators nests without any bracket.
    let bangs = text.split_whitespace().filter(|word| *word == "!").count();
    if deepest > limits.depth || bangs > limits.depth * 4 {
        return Err(Stop::TooDeep);
    }
    if has_document_in_parameter(text) {
        let what = "a here-document begins inside of ${…}";
        return Err(Stop::NotShell(what.to_owned()));
    }
    Ok(())
}

/// Whether a here-document may begin between the braces of a parameter. The parser dies where
/// the text ends before they are closed, and a brace in the document may be taken for the end.
fn has_document_in_parameter(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut open = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest[0] {
            b'$' if rest.starts_with(b"${") => {
                open += 1;
                at += 1;
            }
            b'}' => open = open.saturating_sub(1),
            // Three of them are a text, and no document.
            b'<' if rest.starts_with(b"<<<") => at += 2,
            b'<' if open > 0 && rest.starts_with(b"<<") => return true,
            _ => {}
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nesting_is_refused_and_plain_length_is_not() {
        let limits = Limits::default();
        for deep in [
            "$(".repeat(20_000),
            "{ ".repeat(5_000),
            "(".repeat(5_000),
            "if x; then ".repeat(3_000),
            "while x; do ".repeat(3_000),
            "${a:-".repeat(3_000),
            "! ".repeat(3_000),
        ] {
            assert_eq!(check(&deep, &limits), Err(Stop::TooDeep), "{}", &deep[..8]);
        }
        for shallow in [
            "$(a);".repeat(2_000),
            "for i in a; do x; done; ".repeat(500),
            "if a; then b; fi; ".repeat(500),
            "a `b` ".repeat(500),
        ] {
            assert_eq!(check(&shallow, &limits), Ok(()), "{}", &shallow[..8]);
        }
    }

    #[test]
    fn a_here_document_inside_of_a_parameter_is_refused() {
        let limits = Limits::default();
        for deadly in [
            "cat ${ <<EOF > x\n$(rm -rf specs)\nEOF\n",
            "${a:-$(cat <<E\n}\nE\n",
        ] {
            let stop = check(deadly, &limits);
            assert!(matches!(stop, Err(Stop::NotShell(_))), "{deadly}: {stop:?}");
        }
        for sound in [
            "cat <<EOF\n${a}\nEOF\n",
            "cat <<< ${a:-b}",
            "echo ${a:-$(cat <<< b)}",
            "echo ${a} <<E\nE\n",
        ] {
            assert_eq!(check(sound, &limits), Ok(()), "{sound}");
        }
    }

    #[test]
    fn the_deepest_that_is_analysed_is_exact() {
        let limits = Limits {
            length: 400,
            depth: 6,
            ..Limits::default()
        };
        let nested = |open: &str, close: &str, count: usize| {
            format!("{}x{}", open.repeat(count), close.repeat(count))
        };
        for (open, close, deepest) in [
            ("(", ")", 6),
            ("{ ", "; }", 6),
            ("$(", ")", 6),
            // Two words open each of these, and one closes both.
            ("while a; do ", "; done", 6),
            ("until a; do ", "; done", 6),
            ("if a; then ", "; fi", 13),
            ("case a in b) ", ";; esac", 13),
        ] {
            let fits = nested(open, close, deepest);
            assert_eq!(check(&fits, &limits), Ok(()), "{fits}");
            let too_deep = nested(open, close, deepest + 1);
            assert_eq!(check(&too_deep, &limits), Err(Stop::TooDeep), "{too_deep}");
            // Side by side is not deep.
            let flat = nested(open, close, 3) + "; " + &nested(open, close, 3);
            assert_eq!(check(&flat, &limits), Ok(()), "{flat}");
        }
        // Each level of backticks has one more backslash before it.
        let backticks = |count: usize| format!("(((`{}`)))", "\\".repeat(count) + "`");
        assert_eq!(check(&backticks(2), &limits), Ok(()));
        assert_eq!(check(&backticks(3), &limits), Err(Stop::TooDeep));
        assert_eq!(check(&"\\a".repeat(50), &limits), Ok(()));
        assert_eq!(check(&"! ".repeat(24), &limits), Ok(()));
        assert_eq!(check(&"! ".repeat(25), &limits), Err(Stop::TooDeep));
        assert_eq!(check(&"x".repeat(400), &limits), Ok(()));
        let long = check(&"x".repeat(401), &limits);
        assert_eq!(long, Err(Stop::TooLong(401, 400)));
    }
}
