//! `cargo test`: one summary for each test binary, failures in blocks of their own.

use super::rust_panic::{Panic, panics};
use crate::run::{Failure, KEPT, SummaryWords, TestRun};

const SUMMARY: SummaryWords = SummaryWords {
    passed: &["passed"],
    failed: &["failed"],
    skipped: &["ignored"],
};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    for line in text.lines() {
        if let Some(summary) = line.strip_prefix("test result: ") {
            run.get_or_insert_default().add_summary(summary, &SUMMARY);
        } else if let Some(crash) = crashed(line) {
            run.get_or_insert_default()
                .fail(Failure::new("a test binary", crash));
        }
    }
    let mut run = run?;
    let panics = panics(text);
    for (name, said) in blocks(text).take(KEPT) {
        run.keep(failure(name, said, &panics));
    }
    for name in text.lines().filter_map(failed_test) {
        if !run.has_kept(name) {
            run.keep(Failure::new(name, ""));
        }
    }
    Some(run)
}

/// A binary that was killed prints no summary. Exit status 101 is what failed tests give,
/// and those are in the summary.
fn crashed(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_crash = line.starts_with("process didn't exit successfully")
        && !line.contains("(exit status: 101)");
    is_crash.then_some(line)
}

/// The name in `test name ... FAILED`.
fn failed_test(line: &str) -> Option<&str> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    Some(name.strip_suffix(" - should panic").unwrap_or(name))
}

/// Each `---- name stdout ----` with the lines up to the next one.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n---- ").skip(1).filter_map(|block| {
        let (name, said) = block.split_once(" stdout ----\n")?;
        let end = said.find("\nfailures:\n").unwrap_or(said.len());
        (!name.contains('\n')).then_some((name, &said[..end]))
    })
}

fn failure(name: &str, said: &str, panics: &[Panic<'_>]) -> Failure {
    if let Some(panic) = panics.iter().find(|panic| panic.thread == name) {
        return Failure::new(name, panic.message).at(panic.place);
    }
    let first = said.lines().find(|line| !line.trim().is_empty());
    Failure::new(name, first.unwrap_or_default())
}
