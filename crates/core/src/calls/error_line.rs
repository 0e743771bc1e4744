//! Which error an answer names.
//!
//! What a failing tool prints is mostly not the error: it is the way there. One
//! line is, and of that line what the agent put in itself (the text it wanted to
//! replace, the path it guessed) says nothing about the kind of error. What is
//! left is compared.

use super::answer::is_remark;
use super::digest::Digest;
use crate::signature::normalise;
use crate::text::clip;

/// The most that is looked at, in bytes.
const LOOKED_AT: usize = 8 * 1024;
/// The longest error that is compared; what comes after says where it is.
const COMPARED: usize = 160;
/// The same for a call that was refused as such: those name the file at the end.
const REFUSED: usize = 64;

/// How tools begin when they refuse a call.
const REFUSALS: [&str; 2] = ["ERROR:", "<tool_use_error>"];
/// What an error is marked with.
const MARKS: [&str; 14] = [
    "Error",
    "error",
    "Exception",
    "FAIL",
    "fatal",
    "panic",
    "not found",
    "cannot",
    "No such",
    "denied",
    "did not",
    "is required",
    "nvalid",
    "must be",
];
/// What stands above the way to an error, which then comes last.
const TRACEBACK: &str = "Traceback (most recent";
/// Trouble that lies outside the work.
const OUTAGES: [&str; 10] = [
    "rate limit",
    "too many requests",
    "overloaded",
    "service unavailable",
    "bad gateway",
    "gateway timeout",
    "temporarily unavailable",
    "could not resolve host",
    "network is unreachable",
    "connection reset by peer",
];

/// The error that a failing tool's answer names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// What kind of error it is.
    pub(super) identity: Digest,
    /// Its line.
    pub(super) line: String,
    /// It lies outside the work.
    pub(super) outage: bool,
}

/// Looks for the error in `text`; `None` if it says nothing.
pub(super) fn named(text: &str) -> Option<Named> {
    let text = clip(text, LOOKED_AT);
    let refusal = REFUSALS
        .iter()
        .find_map(|mark| text.trim_start().strip_prefix(mark));
    let (body, compared) = match refusal {
        Some(body) => (body, REFUSED),
        None => (text, COMPARED),
    };
    let plain = without_quoted(body);
    let line = if refusal.is_some() {
        plain.lines().find(|line| !line.trim().is_empty())
    } else {
        telling(&plain)
    }?;
    let lower = line.to_ascii_lowercase();
    Some(Named {
        identity: Digest::of(normalise(clip(line.trim(), compared)).as_bytes()),
        outage: OUTAGES.iter().any(|word| lower.contains(word)),
        line: line.trim().to_owned(),
    })
}

/// The line that says what is wrong.
fn telling(text: &str) -> Option<&str> {
    let lines = || {
        text.lines()
            .filter(|line| !is_remark(line.trim()) && !line.starts_with("Exit code"))
    };
    let traced = |line: &str| line.starts_with(TRACEBACK);
    if text.contains(TRACEBACK) && lines().any(traced) {
        let unindented = |line: &&str| line.starts_with(|c: char| c.is_ascii_alphabetic());
        return lines().rfind(unindented);
    }
    let marked = |line: &&str| MARKS.iter().any(|mark| line.contains(mark));
    lines().find(marked).or_else(|| lines().next())
}

/// Takes out what stands in backquotes or double quotes, over several lines if
/// need be. A quote that is never closed takes the rest of its line.
fn without_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"']) {
        let (before, quoted) = rest.split_at(at);
        out.push_str(before);
        let quote = &quoted[..1];
        let inside = &quoted[1..];
        rest = match inside.find(quote) {
            Some(end) => &inside[end + 1..],
            None => &inside[inside.find('\n').unwrap_or(inside.len())..],
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        named(a).map(|e| e.identity) == named(b).map(|e| e.identity)
    }

    #[test]
    fn one_kind_of_error_whatever_the_agent_put_in() {
        for (a, b) in [
            (
                "ERROR:\nNo replacement was performed, old_str `a\nb` did not appear verbatim in /w/x.py.",
                "ERROR:\nNo replacement was performed, old_str `c` did not appear verbatim in /w/y.py.",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'k'\n[exit 1]",
                "warming up\nTraceback (most recent call last):\n  File \"a.py\", line 9, in g\n    x\nKeyError: 'k'",
            ),
            (
                "Exit code 1\nsrc/a.c:3:1: error: bad",
                "src/a.c:77:1: error: bad",
            ),
            (
                "<tool_use_error>File does not exist.</tool_use_error>",
                "<tool_use_error>File does not exist.</tool_use_error>\n",
            ),
        ] {
            assert!(same(a, b), "{a:?} {b:?}: {:?} {:?}", named(a), named(b));
        }
    }

    #[test]
    fn different_errors_stay_apart() {
        for (a, b) in [
            ("KeyError: 'k'", "KeyError: 'j'"),
            (
                "ERROR:\nParameter `old_str` is required",
                "ERROR:\nInvalid `path` parameter",
            ),
            (
                "ls: cannot access 'a': No such file",
                "python: can't open file 'a': No such file",
            ),
        ] {
            assert!(!same(a, b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn nothing_is_named_by_nothing() {
        for silent in ["", "\n\n", "[exit code 1]", "Exit code 1"] {
            assert_eq!(named(silent), None, "{silent:?}");
        }
    }

    #[test]
    fn trouble_outside_is_told_apart() {
        for (text, outage) in [
            ("error: 429 Too Many Requests", true),
            ("Error: Overloaded", true),
            ("error: expected one of", false),
        ] {
            assert_eq!(named(text).unwrap().outage, outage, "{text}");
        }
    }
}
