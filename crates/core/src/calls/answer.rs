//! What a tool answered, without what changes from run to run.
//!
//! Two runs of one test suite differ in how long they took; that is no news.
//! Little is masked on purpose: durations, times of day and addresses. Masking
//! all numbers makes answers look alike that are not, and a session that counts
//! down its failing tests would be taken for a loop.

use super::digest::{Digest, Mixer};

/// The most that is looked at of the beginning of an answer, and of its end.
const LOOKED_AT: usize = 4096;

/// The units that make a number a duration.
const UNITS: [&str; 8] = ["s", "ms", "us", "ns", "sec", "secs", "second", "seconds"];

/// Answers that say no more than that the call was carried out.
const BARE: [&str; 8] = ["ok", "done", "success", "true", "none", "null", "[]", "{}"];

/// The identity of an answer of which `text` was kept, and which was `bytes` long.
pub(super) fn identity(text: &str, bytes: usize) -> Digest {
    let mut mixer = Mixer::default();
    ends(text, |end| masked(end, &mut mixer, volatile));
    if text.len() != bytes || text.len() > 2 * LOOKED_AT {
        mixer.word(bytes as u64);
    }
    mixer.digest()
}

/// The identity of what a failing call answered, wherever in a file it found what
/// it complains about: an edit moves the lines below it.
pub(super) fn failure(text: &str) -> Digest {
    let mut mixer = Mixer::default();
    ends(text, |end| masked(end, &mut mixer, volatile_or_position));
    mixer.digest()
}

/// As much of a text as is looked at.
fn ends(text: &str, mut look: impl FnMut(&str)) {
    if text.len() <= 2 * LOOKED_AT {
        look(text);
    } else {
        look(head(text));
        look(tail(text));
    }
}

/// Whether an answer says nothing, or no more than that the call was made.
pub(super) fn is_bare(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !is_remark(line));
    match (lines.next(), lines.next()) {
        (None, _) => true,
        (Some(only), None) => {
            let word = only.trim_end_matches(['.', '!']);
            BARE.iter().any(|bare| word.eq_ignore_ascii_case(bare))
        }
        _ => false,
    }
}

/// Whether a line says nothing of the work: it is empty, or a remark in brackets
/// of whatever ran the command.
pub(super) fn is_remark(line: &str) -> bool {
    let is_within = |open, close| line.len() > 2 && line.starts_with(open) && line.ends_with(close);
    line.is_empty() || is_within('[', ']') || is_within('(', ')') && line.contains("no output")
}

fn head(text: &str) -> &str {
    crate::text::clip(text, LOOKED_AT)
}

fn tail(text: &str) -> &str {
    let mut start = text.len() - LOOKED_AT;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Takes `text` in without what changes from run to run, which is as much of a
/// number at a place in the text, and of what follows it, as `changing` says.
fn masked(text: &str, mixer: &mut Mixer, changing: impl Fn(&str, usize, usize) -> usize) {
    let mut done = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(digit) = next_digit(bytes, at) {
        at = digit;
        let end = at + number(&bytes[at..]);
        let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let length = if begins {
            changing(text, at, end - at)
        } else {
            0
        };
        if length > 0 {
            mixer.bytes(&bytes[done..at]);
            done = at + length;
        }
        at = end.max(done);
    }
    mixer.bytes(&bytes[done..]);
}

/// Where the next digit is. Most of a text holds none, and it is looked at eight
/// bytes at a time: a byte is a digit if what is left of it without the bits of
/// `0` is less than ten. A borrow between bytes may see one too many, never one
/// too few.
fn next_digit(bytes: &[u8], mut at: usize) -> Option<usize> {
    const LOWEST: u64 = 0x0101_0101_0101_0101;
    while let Some(word) = bytes.get(at..at + 8) {
        let mut eight = [0; 8];
        eight.copy_from_slice(word);
        let rest = u64::from_le_bytes(eight) ^ (LOWEST * u64::from(b'0'));
        if rest.wrapping_sub(LOWEST * 10) & !rest & (LOWEST * 0x80) != 0
            && let Some(within) = word.iter().position(u8::is_ascii_digit)
        {
            return Some(at + within);
        }
        at += 8;
    }
    let within = bytes[at..].iter().position(u8::is_ascii_digit)?;
    Some(at + within)
}

/// How long the run of digits, points and colons is.
fn number(bytes: &[u8]) -> usize {
    let in_number = |b: &&u8| b.is_ascii_digit() || matches!(b, b'.' | b':');
    bytes.iter().take_while(in_number).count()
}

/// Whether it is worth looking closer at a number. Answers are full of numbers, and
/// this is asked of each; what it lets go cannot be a duration, a time of day or
/// an address.
fn may_be_volatile(number: &[u8], after: &[u8]) -> bool {
    let unit = |byte: Option<&u8>| matches!(byte, Some(b's' | b'm' | b'u' | b'n'));
    match after.first() {
        Some(b'x') => true,
        Some(b' ') => unit(after.get(1)) || number.contains(&b':'),
        first => unit(first) || number.contains(&b':'),
    }
}

/// How much of a text from `at` on is a duration, a time of day or an address; 0
/// if it is a plain number. `digits` is how long the number is.
fn volatile(text: &str, at: usize, digits: usize) -> usize {
    let (number, after) = text[at..].split_at(digits);
    if !may_be_volatile(number.as_bytes(), after.as_bytes()) {
        return 0;
    }
    if number == "0" && after.starts_with('x') {
        let hex = after[1..].bytes().take_while(u8::is_ascii_hexdigit).count();
        return if hex >= 6 { digits + 1 + hex } else { 0 };
    }
    let mut parts = number.trim_end_matches(['.', ':']).split(':');
    let clock = parts.clone().count() == 3 && parts.all(|part| part.len() >= 2);
    if clock {
        return digits;
    }
    let spaced = after.strip_prefix(' ').unwrap_or(after);
    let word = spaced.len()
        - spaced
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .len();
    let fraction = number.contains('.') || spaced.len() == after.len();
    if fraction && UNITS.contains(&&spaced[..word]) {
        return digits + (after.len() - spaced.len()) + word;
    }
    0
}

/// The same, and the number if it is that of a line or a column: `line 7`,
/// `a.rs:7:2`, `(7,2)`, or before the bar beside a quoted line.
fn volatile_or_position(text: &str, at: usize, digits: usize) -> usize {
    let before = &text[..at];
    let is_position = before.ends_with([':', '(', ','])
        || before.ends_with("line ")
        || text[at + digits..].trim_start_matches(' ').starts_with('|');
    match volatile(text, at, digits) {
        0 if is_position => digits,
        length => length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        identity(a, a.len()) == identity(b, b.len())
    }

    #[test]
    fn how_long_it_took_is_no_news() {
        for (a, b) in [
            ("3 passed in 0.12s", "3 passed in 10.3s"),
            ("took 12ms", "took 9ms"),
            ("ran in 1.5 seconds", "ran in 0.25 seconds"),
            ("at 12:30:01 done", "at 12:31:44 done"),
            ("<obj at 0x7f00aa11>", "<obj at 0x55ffee99>"),
        ] {
            assert!(same(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn what_was_found_is_news() {
        for (a, b) in [
            ("3 passed in 0.12s", "4 passed in 0.12s"),
            ("12 failed", "11 failed"),
            ("line 12", "line 13"),
            ("3 sheep", "4 sheep"),
            ("version 1.2.3", "version 1.2.4"),
            ("utf8 x1s", "utf8 x2s"),
            ("0x12", "0x13"),
            ("", "x"),
        ] {
            assert!(!same(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn a_long_answer_is_known_by_its_ends_and_its_length() {
        let long = |middle: &str, end: &str| {
            format!("{}{middle}{}{end}", "a".repeat(5000), "b".repeat(5000))
        };
        assert!(same(&long("x", "end"), &long("y", "end")));
        assert!(!same(&long("x", "end"), &long("x", "END")));
        assert!(!same(&long("x", "end"), &long("xx", "end")));
        assert_ne!(identity("cut", 3), identity("cut", 4000));
    }

    #[test]
    fn digits_are_found_wherever_they_are() {
        for length in 0..40 {
            for digit in 0..length {
                let mut text = vec![b'/'; length];
                text[digit] = b'0' + u8::try_from(digit % 10).unwrap();
                assert_eq!(next_digit(&text, 0), Some(digit), "{digit} of {length}");
                assert_eq!(next_digit(&text, digit + 1), None);
            }
        }
    }

    #[test]
    fn bare_answers() {
        for bare in [
            "",
            " \n",
            "ok",
            "Done.",
            "[]",
            "\n[exit code 0]\n",
            "OK\n[1 ms]",
            "(Bash completed with no output)",
        ] {
            assert!(is_bare(bare), "{bare:?}");
        }
        for telling in ["ok then", "3", "ok\nok", "[a]b"] {
            assert!(!is_bare(telling), "{telling:?}");
        }
    }
}
