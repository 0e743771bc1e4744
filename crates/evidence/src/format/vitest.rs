//! `vitest`: `FAIL file > group > test` with its reason, and counts at the end.

use crate::plain_text::location;
use crate::run::{Failure, SummaryWords, TestRun};

const SUMMARY: SummaryWords = SummaryWords {
    passed: &["passed"],
    failed: &["failed"],
    skipped: &["skipped", "todo"],
};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut broken_suites = 0_u32;
    for line in text.lines().map(str::trim) {
        if let Some(summary) = line.strip_prefix("Tests  ") {
            run.get_or_insert_default().add_summary(summary, &SUMMARY);
        } else if line.starts_with('⎯')
            && let Some((_, told)) = line.split_once("Failed Suites ")
            && let Some(number) = told.split_whitespace().next()
        {
            let number = number.trim_matches('⎯').parse().unwrap_or(0);
            broken_suites = broken_suites.saturating_add(number);
        } else if line.starts_with("Test Files  ") {
            run.get_or_insert_default();
        }
    }
    let mut run = run?;
    run.failed = run.failed.saturating_add(broken_suites);
    for failure in failures(text) {
        run.keep(failure);
    }
    Some(run)
}

fn failures(text: &str) -> Vec<Failure> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_prefix("FAIL ") else {
            continue;
        };
        // A suite that broke is followed by its file once more, in brackets.
        let name = name.split(" [ ").next().unwrap_or(name).trim();
        let file = name.split(" > ").next().unwrap_or(name);
        let message = lines.peek().copied().unwrap_or_default();
        let mut place = None;
        while let Some(line) = lines.next_if(|line| !line.starts_with("FAIL ")) {
            place = place.or_else(|| location(line.strip_prefix("❯ ")?.rsplit(' ').next()?));
        }
        let failure = Failure::new(name, message).at(place);
        found.push(
            Failure {
                file: failure.file.or_else(|| Some(file.to_owned())),
                ..failure
            }
            .split_kind(),
        );
    }
    found
}
