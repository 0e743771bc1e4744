//! `phpunit`: failures under numbers, and one line of counts below a verdict.

use super::{Recent, numbered};
use crate::plain_text::location;
use crate::run::{Failure, TestRun};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut told = TestRun::default();
    let mut verdict = Recent(None);
    let mut lines = text.lines();
    let mut is_listed = false;
    while let Some(line) = lines.next() {
        if let Some(passed) = all_passed(line) {
            let run = run.get_or_insert_default();
            run.passed = run.passed.saturating_add(passed);
        } else if let Some(counts) = counted(line).filter(|_| verdict.get().is_some()) {
            run.get_or_insert_default().add(counts);
        } else if let Some(listed) = heading(line) {
            is_listed = listed;
        } else if let Some(name) = numbered(line, 0).filter(|_| is_listed && !told.is_full()) {
            let block = lines.clone().take_while(|line| !ends_block(line));
            told.keep(failure(name, block));
        }
        verdict.next(is_verdict(line).then_some(()));
    }
    let mut run = run?;
    run.add(told);
    Some(run)
}

/// The number in `OK (6 tests, 9 assertions)`.
fn all_passed(line: &str) -> Option<u32> {
    let inner = line.trim().strip_prefix("OK (")?.strip_suffix(')')?;
    let (tests, assertions) = inner.split_once(", ")?;
    let (number, word) = tests.split_once(' ')?;
    let is_ours = word.starts_with("test") && assertions.contains(" assertion");
    number.parse().ok().filter(|_| is_ours)
}

/// What stands above the counts, where not everything is well.
fn is_verdict(line: &str) -> bool {
    matches!(
        line,
        "FAILURES!" | "ERRORS!" | "WARNINGS!" | "No tests executed!"
    ) || line.starts_with("OK, but ")
}

/// `Tests: 11, Assertions: 13, Errors: 1, Failures: 7, Skipped: 1.`
fn counted(line: &str) -> Option<TestRun> {
    let inner = line.trim().strip_suffix('.')?;
    let mut counts = inner.split(", ").map(|pair| {
        let (word, number) = pair.split_once(": ")?;
        Some((word, number.parse::<u32>().ok()?))
    });
    let (Some(Some(("Tests", all))), Some(Some(("Assertions", _)))) =
        (counts.next(), counts.next())
    else {
        return None;
    };
    let mut run = TestRun::default();
    for (word, number) in counts.flatten() {
        match word {
            "Errors" | "Failures" => run.failed = run.failed.saturating_add(number),
            "Skipped" | "Incomplete" => run.skipped = run.skipped.saturating_add(number),
            // It passed all the same.
            _ => {}
        }
    }
    run.passed = all.saturating_sub(run.failed).saturating_sub(run.skipped);
    Some(run)
}

/// Whether failures are listed below `There were 2 failures:`; deprecations, risky and skipped
/// tests are listed in the same way.
fn heading(line: &str) -> Option<bool> {
    let told = line.strip_prefix("There was ");
    let told = told.or_else(|| line.strip_prefix("There were "))?;
    let (number, what) = told.strip_suffix(':')?.split_once(' ')?;
    number.parse::<u32>().ok()?;
    Some(matches!(what, "error" | "errors" | "failure" | "failures"))
}

fn ends_block(line: &str) -> bool {
    numbered(line, 0).is_some() || line == "--" || is_verdict(line) || heading(line).is_some()
}

/// The message, a blank line, and the place.
fn failure<'a>(name: &str, lines: impl Iterator<Item = &'a str>) -> Failure {
    let (mut message, mut place) = ("", None);
    for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
        if message.is_empty() {
            message = line;
        } else if !line.contains(' ') && line.contains(".php:") {
            place = place.or_else(|| location(line));
        }
    }
    Failure::new(name, message).at(place).split_kind()
}
