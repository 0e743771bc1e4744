//! When are two errors the same error?
//!
//! The same failure rarely prints the same bytes twice: line numbers move,
//! addresses and durations change, temporary paths come and go. A
//! [`Signature`] is what is left when those are masked. The error's type stays
//! part of it, so that two different failures with alike wording stay apart.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::observation::ErrorReport;
use crate::policy::ErrorIdentity;
use crate::text::clip;

/// The longest normalised text that is kept for showing, in bytes.
const SHOWN_BYTES: usize = 160;

/// The identity of an error across iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signature(pub u64);

impl Signature {
    /// The identity of `error`; `None` if this way of telling errors apart does
    /// not take it for one.
    #[must_use]
    pub fn of(error: &ErrorReport, identity: ErrorIdentity) -> Option<Self> {
        let kind = error.kind.as_deref().unwrap_or_default();
        match identity {
            ErrorIdentity::Normalised => {
                Some(Self::hash(&[kind.trim(), "\0", &normalise(&error.message)]))
            }
            ErrorIdentity::Exact => Some(Self::hash(&[&error.message, kind])),
            ErrorIdentity::FirstLine => {
                first_line(error).map(|line| Self::hash(&[&mask_lines(&line)]))
            }
        }
    }

    /// The first bits of the SHA-256 of all parts, few enough to be exact in
    /// every reader of JSON.
    fn hash(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        parts.iter().for_each(|part| hash.update(part));
        let mut first = [0; 8];
        first.copy_from_slice(&hash.finalize()[..8]);
        Self(u64::from_be_bytes(first) >> 11)
    }
}

/// The first line that names an error. A reported type counts as part of the
/// line, since it is where `TypeError:` comes from.
fn first_line(error: &ErrorReport) -> Option<String> {
    const NAMES: [&str; 4] = ["Error:", "Exception:", "Failed:", "FAIL:"];
    let whole = match error.kind.as_deref() {
        Some(kind) if !error.message.starts_with(kind) => format!("{kind}: {}", error.message),
        _ => error.message.clone(),
    };
    whole
        .lines()
        .find(|line| NAMES.iter().any(|name| line.contains(name)))
        .map(str::to_owned)
}

/// `at line 12` becomes `at line N`, `:12:` becomes `:N:`, and nothing else.
fn mask_lines(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let digits = from
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(from.len());
        let (number, after) = from.split_at(digits);
        out.push_str(before);
        let between_colons = out.ends_with(':') && after.starts_with(':');
        out.push_str(if between_colons || out.ends_with("at line ") {
            "N"
        } else {
            number
        });
        rest = after;
    }
    out + rest
}

/// The error in a few words, for evidence.
#[must_use]
pub fn summary(error: &ErrorReport) -> String {
    let text = error
        .message
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let text = clip(&text, SHOWN_BYTES);
    match error.kind.as_deref() {
        Some(kind) if !text.starts_with(kind) => format!("{kind}: {text}"),
        _ => text.to_owned(),
    }
}

/// Masks what changes between two occurrences of one error.
///
/// Terminal colours go, runs of white space become one space, directories of
/// absolute paths go (the file's name stays), hexadecimal values and numbers
/// become `#`.
#[must_use]
pub fn normalise(message: &str) -> String {
    let plain = without_escapes(message);
    let mut out = String::with_capacity(plain.len());
    for word in plain
        .split_whitespace()
        .map(without_directories)
        .filter(|word| !word.is_empty())
    {
        if !out.is_empty() {
            out.push(' ');
        }
        mask_numbers(word, &mut out);
    }
    out
}

/// Drops terminal control sequences (`ESC [ … letter`).
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.as_str().starts_with('[') {
            // The sequence ends with its first letter.
            let _ = chars.find(char::is_ascii_alphabetic);
        }
    }
    out
}

/// Keeps of an absolute path inside `word` what follows its last slash.
fn without_directories(word: &str) -> &str {
    let Some(start) = word.find('/') else {
        return word;
    };
    let opens_path = word[..start]
        .chars()
        .all(|c| !c.is_alphanumeric() && c != '#');
    match word.rfind('/') {
        Some(last) if opens_path && last > start => &word[last + 1..],
        _ => word,
    }
}

/// Appends `word` to `out` with every number masked.
///
/// A run of letters and digits that reads as hexadecimal (`0x…`, or eight and
/// more hex digits with a decimal digit among them) is masked whole.
fn mask_numbers(word: &str, out: &mut String) {
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_alphanumeric() {
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            if reads_as_hex(run) {
                out.push('#');
            } else {
                mask_digits(run, out);
            }
            rest = after;
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
}

fn reads_as_hex(run: &str) -> bool {
    let digits = run.strip_prefix("0x").unwrap_or(run);
    let prefixed = digits.len() < run.len();
    let enough = if prefixed {
        !digits.is_empty()
    } else {
        digits.len() >= 8
    };
    enough
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
        && (prefixed || digits.bytes().any(|b| b.is_ascii_digit()))
}

fn mask_digits(run: &str, out: &mut String) {
    // An error code such as `E0308` or `TS2322` names the error: keep it.
    let letters = run.bytes().take_while(u8::is_ascii_uppercase).count();
    let code = letters > 0
        && run.len() >= letters + 3
        && run[letters..].bytes().all(|b| b.is_ascii_digit());
    if code {
        out.push_str(run);
        return;
    }
    let mut in_number = false;
    for c in run.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !in_number {
            out.push('#');
        }
        in_number = c.is_ascii_digit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(kind: &str, message: &str) -> ErrorReport {
        ErrorReport {
            kind: Some(kind.into()),
            message: message.into(),
            ..ErrorReport::default()
        }
    }

    #[test]
    fn what_changes_between_runs_is_masked() {
        for (a, b) in [
            (
                "src/a.rs:12:5: mismatched types",
                "src/a.rs:140:9: mismatched types",
            ),
            ("at 0x7ffe01 in main", "at 0x55aa99ff in main"),
            ("\u{1b}[31mfailed\u{1b}[0m in 1.25s", "failed in 3.5s"),
            (
                "open /tmp/tmp.Ab12/x.db: locked",
                "open /tmp/tmp.Zz99/x.db: locked",
            ),
            (
                "object deadbeef01 is missing",
                "object 0123456789abcdef is missing",
            ),
            ("a  b\n c", "a b c"),
        ] {
            assert_eq!(normalise(a), normalise(b));
        }
    }

    #[test]
    fn what_tells_errors_apart_is_kept() {
        for (a, b) in [
            ("cannot find value `x`", "cannot find function `x`"),
            ("error E0308: mismatched", "error E0425: mismatched"),
            ("/a/one.rs: bad", "/a/two.rs: bad"),
            ("facade is missing", "decade is missing"),
        ] {
            assert_ne!(normalise(a), normalise(b));
        }
        let native = |kind| Signature::of(&error(kind, "x"), ErrorIdentity::Normalised);
        assert_ne!(native("TypeError"), native("ValueError"));
    }

    #[test]
    fn req_000_091_to_095_the_first_line_that_names_an_error_with_its_lines_masked() {
        let of = |message: &str| {
            let report = ErrorReport {
                message: message.into(),
                ..ErrorReport::default()
            };
            Signature::of(&report, ErrorIdentity::FirstLine)
        };
        for silent in ["all went well", "Error without a colon", "error: small"] {
            assert_eq!(of(silent), None, "{silent}");
        }
        for loud in ["Error: x", "an Exception: x", "Failed: x", "FAIL: x"] {
            assert!(of(loud).is_some(), "{loud}");
        }
        assert_eq!(
            of("building\nTypeError: x at line 12\nFAIL: b"),
            of("TypeError: x at line 99")
        );
        assert_eq!(of("Error: a.js:12:5 bad"), of("Error: a.js:7:5 bad"));
        assert_ne!(
            of("Error: a.js:12:5 bad"),
            of("Error: a.js:12:6 bad"),
            "only between colons"
        );
        assert_ne!(of("Error: timeout after 30"), of("Error: timeout after 31"));
        assert_eq!(
            mask_lines("Error: a:1:2:3: at line 4 of 5"),
            "Error: a:N:N:N: at line N of 5"
        );
    }

    #[test]
    fn req_001_054_exact_errors_differ_by_any_byte() {
        let of = |kind, message| Signature::of(&error(kind, message), ErrorIdentity::Exact);
        assert_eq!(of("T", "x at 1"), of("T", "x at 1"));
        assert_ne!(of("T", "x at 1"), of("T", "x at 2"));
        assert_ne!(of("T", "x"), of("U", "x"));
    }

    #[test]
    fn a_summary_is_one_short_line() {
        assert_eq!(
            summary(&error("TypeError", "x is\n undefined")),
            "TypeError: x is undefined"
        );
        assert_eq!(summary(&error("E1", "E1: no")), "E1: no");
        assert!(summary(&error("T", &"x".repeat(9999))).len() < 200);
    }

    proptest! {
        #[test]
        fn normalising_is_idempotent_and_total(text in "\\PC{0,200}") {
            let once = normalise(&text);
            prop_assert_eq!(&normalise(&once), &once);
        }
    }
}
