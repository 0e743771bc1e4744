//! `cargo nextest run`: one summary, followed by the tests that failed.

use super::rust_panic::panics;
use crate::run::{Failure, SummaryWords, TestRun};

/// What stands in brackets (`2 passed (1 slow)`) is counted before them already.
const SUMMARY: SummaryWords = SummaryWords {
    passed: &["passed"],
    failed: &["failed", "timed", "exec"],
    skipped: &["skipped"],
};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    for line in text.lines().map(str::trim) {
        if let Some((_, summary)) = line.strip_prefix("Summary [").and_then(|line| {
            let many = line.split_once(" tests run:");
            many.or_else(|| line.split_once(" test run:"))
        }) {
            run.get_or_insert_default().add_summary(summary, &SUMMARY);
        }
    }
    let mut run = run?;
    let panics = panics(text);
    for name in text.lines().filter_map(failed_test) {
        if run.is_full() || run.has_kept(name) {
            continue;
        }
        let test = name.rsplit(' ').next().unwrap_or(name);
        run.keep(match panics.iter().find(|panic| panic.thread == test) {
            Some(panic) => Failure::new(name, panic.message).at(panic.place),
            None => Failure::new(name, ""),
        });
    }
    Some(run)
}

/// The binary and the name in `FAIL [   0.016s] (2/5) binary test`.
fn failed_test(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = ["FAIL [", "TIMEOUT [", "SIGSEGV [", "SIGABRT ["]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let (_, rest) = rest.split_once("] ")?;
    let rest = rest.trim_start();
    Some(match rest.strip_prefix('(') {
        Some(numbered) => numbered.split_once(") ")?.1.trim_start(),
        None => rest,
    })
}
