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
    for line in text.lines() {
        let told = line
            .strip_prefix("FAILED ")
            .or_else(|| line.strip_prefix("ERROR "));
        if let Some(told) = told.filter(|_| !run.is_full()) {
            run.keep(failure(told, &sections));
        }
    }
    Some(run)
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

/// Reads `test_tiny.py::TestGroup::test_raises - ValueError: no such thing`.
fn failure(told: &str, sections: &[Section<'_>]) -> Failure {
    let (id, message) = told.split_once(" - ").unwrap_or((told, ""));
    let (file, inner) = id.split_once("::").unwrap_or((id, id));
    let title = inner.replace("::", ".");
    let is_meant = |section: &&Section<'_>| {
        let words = section.title.split(' ').next_back();
        section.title == title || words == Some(&title)
    };
    let section = sections.iter().find(is_meant);
    let error = section.map_or("", |section| section.error);
    let message = if message.is_empty() { error } else { message };
    let failure = Failure::new(id, message)
        .of_kind(section.and_then(|section| section.kind))
        .at(section.and_then(|section| section.place));
    Failure {
        file: failure.file.or_else(|| Some(file.to_owned())),
        ..failure
    }
    .split_kind()
}
