//! `jest`: `FAIL file`, then a bullet for each failure, and counts at the end.

use crate::plain_text::location;
use crate::run::{Failure, SummaryWords, TestRun};

const SUMMARY: SummaryWords = SummaryWords {
    passed: &["passed"],
    failed: &["failed"],
    skipped: &["skipped", "todo"],
};

const SUITE_BROKE: &str = "Test suite failed to run";

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    for line in text.lines() {
        if let Some(summary) = line
            .strip_prefix("Tests:")
            .filter(|it| it.ends_with("total"))
        {
            run.get_or_insert_default().add_summary(summary, &SUMMARY);
        }
    }
    let mut run = run?;
    for failure in failures(text) {
        // Many failures are printed twice: where they happen and again at the end.
        let is_known = run
            .failures
            .iter()
            .any(|known| known.name == failure.name && known.file == failure.file);
        match is_known {
            true => {}
            // Its tests were never counted, because they were never found.
            false if failure.name.ends_with(SUITE_BROKE) => run.fail(failure),
            false => run.keep(failure),
        }
    }
    Some(run)
}

fn failures(text: &str) -> Vec<Failure> {
    let mut file = "";
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        // In colour the word is a badge, with a space on each side.
        if let Some(name) = line.strip_prefix(' ').unwrap_or(line).strip_prefix("FAIL ") {
            file = name.split(" (").next().unwrap_or(name).trim();
        }
        let Some(name) = line.strip_prefix("  ● ").filter(|_| !file.is_empty()) else {
            continue;
        };
        let (mut message, mut place) = ("", None);
        while let Some(line) = lines.next_if(|line| line.starts_with("    ") || line.is_empty()) {
            let line = line.trim();
            if message.is_empty() {
                message = line;
            }
            place = place.or_else(|| stack_frame(line));
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

/// The place in `at Object.toBe (tiny.test.js:4:43)`, if it is in the project.
fn stack_frame(line: &str) -> Option<(&str, u32)> {
    let frame = line.strip_prefix("at ")?;
    let place = match frame.rsplit_once('(') {
        Some((_, place)) => place.strip_suffix(')')?,
        None => frame,
    };
    let is_ours = !place.contains("node_modules") && !place.starts_with("node:");
    location(place).filter(|_| is_ours)
}
