//! How deep a command is nested, before a recursive parser sees it.
//!
//! The parser recurses on its input and an overflowing stack takes the whole process with
//! it, which an agent would read as consent. So the depth is counted first, in one pass that
//! errs upwards: an opening that is only text counts as well.

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
    Ok(())
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
}
