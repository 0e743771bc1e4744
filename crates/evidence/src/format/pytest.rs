//! `pytest`: a short summary of failures, and one line of counts.

use crate::plain_text::{counts, location};
use crate::run::{Failure, SummaryWords, TestRun};

/// A failure that is expected is no failure, but no success either.
const SUMMARY: SummaryWords = SummaryWords {
    passed: &["passed", "xpassed"],
    failed: &["failed", "error", "errors"],
    skipped: &["skipped", "xfailed"],
};

const WORDS: [&str; 10] = [
    "failed",
    "passed",
    "skipped",
    "deselected",
    "xfailed",
    "xpassed",
    "warning",
    "warnings",
    "error",
    "errors",
];

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    for summary in text.lines().filter_map(summary) {
        run.get_or_insert_default().add_summary(summary, &SUMMARY);
    }
    let mut run = run?;
    let sections = sections(text);
    for told in told(text) {
        if run.is_full() {
            break;
        }
        run.keep(failure(told, &sections));
    }
    Some(run)
}

/// What follows `FAILED ` and `ERROR ` below `short test summary info`, or anywhere if that is
/// missing. Above it, a line that begins like that is a log that was captured
/// (`ERROR    root:calc.py:6 no backend`), or what a test printed.
fn told(text: &str) -> impl Iterator<Item = &str> {
    let has_heading = text.lines().any(is_heading);
    let mut is_below = !has_heading;
    text.lines().filter_map(move |line| {
        is_below |= is_heading(line);
        is_below &= !has_heading || summary(line).is_none();
        let told = line.strip_prefix("FAILED ");
        let told = told.or_else(|| line.strip_prefix("ERROR "));
        let is_id = |told: &str| has_heading || told.contains("::") || told.contains(".py");
        told.filter(|told| is_below && !told.starts_with(' ') && is_id(told))
    })
}

fn is_heading(line: &str) -> bool {
    line.starts_with('=') && line.trim_matches(['=', ' ']) == "short test summary info"
}

/// The counts in `=== 2 failed, 1 passed in 0.08s ===`, or the same without the rules.
fn summary(line: &str) -> Option<&str> {
    let line = line.trim_matches(['=', ' ']);
    let (told, time) = line.rsplit_once(" in ")?;
    let is_time = time.starts_with(|it: char| it.is_ascii_digit()) && time.contains('s');
    let first = counts(told).next();
    let is_summary = told == "no tests ran"
        || told.starts_with(|it: char| it.is_ascii_digit())
            && first.is_some_and(|(_, word)| WORDS.contains(&word));
    (is_time && is_summary).then_some(told)
}

/// What pytest says at length of one failure.
struct Section<'a> {
    title: &'a str,
    place: Option<(&'a str, u32)>,
    kind: Option<&'a str>,
    /// The first of the lines marked `E`.
    error: &'a str,
}

/// The sections under titles such as `____ TestGroup.test_raises ____`.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("__") && line.ends_with("__") {
            found.push(Section {
                title: line.trim_matches(['_', ' ']),
                place: None,
                kind: None,
                error: "",
            });
        }
        let Some(section) = found.last_mut() else {
            continue;
        };
        if let Some(error) = line.strip_prefix("E ") {
            section.error = Some(section.error)
                .filter(|known| !known.is_empty())
                .unwrap_or(error.trim());
        } else if let Some((place, told)) = line.split_once(": ")
            && let Some(place) = location(place)
            && !line.starts_with(' ')
        {
            section.place = Some(place);
            section.kind = Some(told).filter(|told| !told.contains(' '));
        }
    }
    found
}

/// Reads `test_tiny.py::TestGroup::test_raises - ValueError: no such thing`. Its end may be missing,
/// since the line is cut to the width of the terminal; the section has all of it.
fn failure(told: &str, sections: &[Section<'_>]) -> Failure {
    let (id, message) = split_id(told);
    let (file, inner) = id.split_once("::").unwrap_or((id, id));
    let title = inner.replace("::", ".");
    // A fixture's failure is told as `ERROR at setup of test_raises`.
    let is_meant = |section: &&Section<'_>| {
        let rest = section.title.strip_suffix(title.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
    };
    let section = sections.iter().find(is_meant);
    let error = section.map_or("", |section| section.error);
    let is_whole = !message.is_empty() && !message.ends_with("...");
    let message = if is_whole || error.is_empty() {
        message
    } else {
        error
    };
    let failure = Failure::new(id, message)
        .of_kind(section.and_then(|section| section.kind))
        .at(section.and_then(|section| section.place));
    Failure {
        file: failure.file.or_else(|| Some(file.to_owned())),
        ..failure
    }
    .split_kind()
}

/// The id of a test and what it said. The parameters in the id, which stand in brackets at its
/// end, may hold a ` - ` of their own.
fn split_id(told: &str) -> (&str, &str) {
    const MARK: &str = " - ";
    let mut marks = told.match_indices(MARK).map(|(at, _)| at);
    let ends_id = |at: &usize| !told[..*at].contains('[') || told[..*at].ends_with(']');
    let at = marks.find(ends_id).unwrap_or(told.len());
    let message = told.get(at + MARK.len()..).unwrap_or_default();
    (&told[..at], message)
}
