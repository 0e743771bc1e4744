//! `rspec`: failures under numbers, and one line of counts below how long it took.

use super::{Recent, numbered};
use crate::plain_text::{counts, location};
use crate::run::{Failure, TestRun};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut told = TestRun::default();
    let mut is_listed = false;
    let mut over = Recent(None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(counted) = counted(line).filter(|_| over.get().is_some()) {
            run.get_or_insert_default().add(counted);
        } else if let Some(name) = numbered(line, 2).filter(|_| is_listed && !told.is_full()) {
            let block = lines.clone().take_while(|line| !ends_block(line));
            told.keep(failure(name, block));
        }
        let is_over = line.starts_with("Finished in ");
        over.next(is_over.then_some(()));
        is_listed = match line {
            "Failures:" => true,
            line if line.starts_with("Pending:") => false,
            _ => is_listed && !is_over,
        };
    }
    let mut run = run?;
    run.add(told);
    Some(run)
}

/// `3 examples, 1 failure, 1 pending, 1 error occurred outside of examples`
fn counted(line: &str) -> Option<TestRun> {
    let mut all = None;
    let mut run = TestRun::default();
    for (number, word) in counts(line) {
        match word {
            "example" | "examples" => all = all.or(Some(number)),
            "failure" | "failures" => run.failed = run.failed.saturating_add(number),
            "pending" => run.skipped = number,
            "error" | "errors" => run.failed = run.failed.saturating_add(number),
            _ => {}
        }
    }
    let all = all.filter(|_| line.contains(" failure"))?;
    let begins = line.starts_with(|it: char| it.is_ascii_digit());
    // What broke outside of the examples is none of them.
    let outside = counts(line).find(|(_, word)| word.starts_with("error"));
    let failed = run
        .failed
        .saturating_sub(outside.map_or(0, |(number, _)| number));
    run.passed = all.saturating_sub(failed).saturating_sub(run.skipped);
    begins.then_some(run)
}

fn ends_block(line: &str) -> bool {
    numbered(line, 2).is_some() || line.starts_with("Finished in ") || line.starts_with("Pending:")
}

/// `Failure/Error:` with the lines of the source, a blank line, the message, and the place. A
/// message that the test itself gives follows the source at once.
fn failure<'a>(name: &str, lines: impl Iterator<Item = &'a str>) -> Failure {
    let mut place = None;
    let mut told: Vec<&str> = Vec::new();
    let mut last_of_source = None;
    let (mut is_source, mut is_message) = (true, true);
    for line in lines.map(str::trim) {
        if let Some(at) = line.strip_prefix("# ") {
            let at = at.split(":in ").next().unwrap_or(at);
            place = place.or_else(|| location(at));
            told.extend(last_of_source.take_if(|_| is_source));
            (is_source, is_message) = (false, false);
        } else if is_source {
            is_source = !line.is_empty();
            last_of_source = Some(line).filter(|line| !line.starts_with("Failure/Error:"));
        } else if line.is_empty() {
            is_message &= told.is_empty();
        } else if is_message {
            told.push(line);
        }
    }
    let message = match told[..] {
        [expected, got, ..] if expected.starts_with("expected") && got.starts_with("got") => {
            format!("{expected}, {got}")
        }
        // The type of an exception stands above its message.
        [kind, message, ..] if kind.ends_with(':') && !kind.contains(' ') => {
            return Failure::new(name, message)
                .of_kind(Some(kind.trim_end_matches(':')))
                .at(place);
        }
        [only, ..] => only.to_owned(),
        [] => String::new(),
    };
    Failure::new(name, &message).at(place)
}
