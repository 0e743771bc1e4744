//! `mocha`, whose reporters but for the machine's own all end the same way: `7 passing (8ms)`, the
//! other counts below it, and each failure with its titles one below the other.

use super::numbered;
use crate::plain_text::location;
use crate::run::{Failure, TestRun};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    // Each count stands once below the first one, and none below the first failure.
    let (mut pending, mut failing) = (None, None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(passed) = passing(line) {
            let run = run.get_or_insert_default();
            run.passed = run.passed.saturating_add(passed);
            (pending, failing) = (None, None);
            continue;
        }
        let Some(run) = &mut run else { continue };
        match count(line) {
            Some((number, "pending")) if pending.is_none() => {
                pending = Some(number);
                run.skipped = run.skipped.saturating_add(number);
            }
            Some((number, "failing")) if failing.is_none() => {
                failing = Some(number);
                run.failed = run.failed.saturating_add(number);
            }
            _ => {}
        }
        if let Some(title) = numbered(line, 2).filter(|_| !run.is_full()) {
            (pending, failing) = (Some(0), Some(0));
            let block = lines.clone().take_while(|line| !ends_block(line));
            run.keep(failure(title, block));
        }
    }
    run
}

/// The number in `  7 passing (8ms)`.
fn passing(line: &str) -> Option<u32> {
    let (counted, time) = line.strip_suffix(')')?.split_once(" (")?;
    let (number, word) = count(counted)?;
    let unit = time.trim_start_matches(|it: char| it.is_ascii_digit());
    let is_time = unit.len() < time.len() && matches!(unit, "ms" | "s" | "m" | "h" | "d");
    (word == "passing" && is_time).then_some(number)
}

/// Two spaces, a number, a word, and nothing else.
fn count(line: &str) -> Option<(u32, &str)> {
    let (number, word) = line.strip_prefix("  ")?.split_once(' ')?;
    Some((number.parse().ok()?, word))
}

/// Whether the next failure or the next suite begins.
fn ends_block(line: &str) -> bool {
    numbered(line, 2).is_some() || passing(line).is_some()
}

/// Titles, each deeper than the one above it, then the message, then where it came from.
fn failure<'a>(first: &'a str, lines: impl Iterator<Item = &'a str>) -> Failure {
    let mut lines = lines.peekable();
    let mut titles = vec![first];
    while let Some(title) = lines
        .next_if(|line| line.len() - line.trim_start_matches(' ').len() == 5 + 2 * titles.len())
    {
        titles.push(title.trim());
    }
    let name = titles.join(" ");
    let (mut message, mut place) = ("", None);
    for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(frame) = line.strip_prefix("at ") {
            place = place.or_else(|| frame_place(frame));
        } else if message.is_empty() {
            message = line;
        }
    }
    Failure::new(name.trim_end_matches(':'), message)
        .at(place)
        .split_kind()
}

/// The place in `Context.<anonymous> (test/a.js:3:5)`, if it is in the project.
fn frame_place(frame: &str) -> Option<(&str, u32)> {
    let place = match frame.rsplit_once('(') {
        Some((_, place)) => place.strip_suffix(')')?,
        None => frame,
    };
    let is_ours = !place.contains("node_modules") && !place.starts_with("node:");
    location(place).filter(|_| is_ours)
}
