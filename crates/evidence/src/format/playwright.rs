//! `playwright test`, with its reporters `list`, `line` and `dot`: failures under numbers, and the
//! counts one below the other at the very end.

use super::numbered;
use crate::plain_text::location;
use crate::run::{Failure, TestRun};

/// The end of a run: how many tests there are of each kind. A test that prints such a line prints
/// it earlier, so the last one of each kind counts, and no more tests than were started.
#[derive(Default)]
struct Totals {
    started: u32,
    passed: u32,
    failed: u32,
    skipped: u32,
    flaky: u32,
    not_run: u32,
    interrupted: u32,
    outside: u32,
}

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut totals: Option<Totals> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(started) = started(line) {
            add(&mut run, totals.take());
            totals = Some(Totals {
                started,
                ..Totals::default()
            });
            run.get_or_insert_default();
        } else if let (Some(totals), Some(run)) = (&mut totals, &mut run) {
            if totals.take(line).is_none()
                && let Some(title) = numbered(line, 2).filter(|title| title.contains(" › "))
                && !run.is_full()
            {
                let failure = failure(title, lines.clone());
                if !run.has_kept(&failure.name) {
                    run.keep(failure);
                }
            }
        }
    }
    add(&mut run, totals);
    // Without a single count it was ended before it could tell.
    run.filter(|run| run.passed > 0 || run.failed > 0 || run.skipped > 0)
}

/// The number in `Running 6 tests using 2 workers`.
fn started(line: &str) -> Option<u32> {
    let (number, rest) = line.strip_prefix("Running ")?.split_once(' ')?;
    let workers = rest.strip_prefix("tests using ");
    let workers = workers.or_else(|| rest.strip_prefix("test using "))?;
    let is_count = workers.starts_with(|it: char| it.is_ascii_digit());
    (is_count && workers.contains(" worker")).then_some(number.parse().ok()?)
}

fn add(run: &mut Option<TestRun>, totals: Option<Totals>) {
    let (Some(run), Some(totals)) = (run, totals) else {
        return;
    };
    let failed = totals.failed.saturating_add(totals.interrupted);
    // What passed in a second attempt passed.
    let passed = totals.passed.saturating_add(totals.flaky);
    let room = totals.started.saturating_sub(failed);
    run.passed = run.passed.saturating_add(passed.min(room));
    run.failed = run
        .failed
        .saturating_add(failed)
        .saturating_add(totals.outside);
    let skipped = totals.skipped.saturating_add(totals.not_run);
    run.skipped = run.skipped.saturating_add(skipped.min(room));
}

impl Totals {
    /// Takes `  1 failed`, or `  4 passed (7.6s)`, if the line is one of these.
    fn take(&mut self, line: &str) -> Option<()> {
        let line = line.strip_prefix("  ").filter(|it| !it.starts_with(' '))?;
        let (number, words) = line.split_once(' ')?;
        let words = words.split(" (").next()?;
        let count = match words {
            "passed" => &mut self.passed,
            "failed" => &mut self.failed,
            "skipped" => &mut self.skipped,
            "flaky" => &mut self.flaky,
            "did not run" => &mut self.not_run,
            "interrupted" => &mut self.interrupted,
            words if words.starts_with("error was not a part of any test") => &mut self.outside,
            words if words.starts_with("errors were not a part of any test") => &mut self.outside,
            _ => return None,
        };
        *count = number.parse().ok()?;
        Some(())
    }
}

/// Reads `[chromium] › a.spec.ts:3:5 › group › title ────` and what is told below it.
fn failure<'a>(title: &'a str, lines: impl Iterator<Item = &'a str>) -> Failure {
    let title = title.trim_end_matches(['─', ' ']);
    // The place moves with every edit, and is no part of the name.
    let parts = title.split(" › ").map(|part| match location(part) {
        Some((file, _)) => (file, location(part)),
        None => (part, None),
    });
    let (names, places): (Vec<&str>, Vec<_>) = parts.unzip();
    let mut place = places.into_iter().flatten().next();
    let mut message = "";
    let told = lines.take_while(|line| numbered(line, 2).is_none() && !is_count(line));
    for line in told.map(str::trim).filter(|line| !line.is_empty()) {
        if message.is_empty() {
            message = line;
        } else if let Some(at) = line.strip_prefix("at ").and_then(location) {
            place = Some(at);
            break;
        }
    }
    let failure = Failure::new(&names.join(" › "), message).at(place);
    let plain = failure.message.strip_prefix("Error: ").map(str::to_owned);
    Failure {
        message: plain.unwrap_or(failure.message),
        ..failure
    }
    .split_kind()
}

fn is_count(line: &str) -> bool {
    Totals::default().take(line).is_some()
}
