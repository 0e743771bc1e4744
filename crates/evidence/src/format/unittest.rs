//! Python's `unittest`: a block for each failure, how many tests were run, and a verdict.

use super::Recent;
use crate::run::{Failure, TestRun};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut told = TestRun::default();
    let mut ran = Recent(None);
    // Each part of a test with parts fails by itself, but all of them were one test.
    let (mut last, mut parts) = ("", 0_u32);
    // What breaks before or after the tests of a class or module is not among those that were run.
    let mut around = 0_u32;
    let mut ruled = Recent(None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let name = failed(line).filter(|_| ruled.get().is_some());
        if let Some(name) = name {
            let whole = name.split_inclusive(')').next().unwrap_or(name);
            parts = parts.saturating_add(u32::from(whole == last));
            around = around.saturating_add(u32::from(is_around(name)));
            last = whole;
        }
        if let Some(name) = name.filter(|_| !told.is_full()) {
            let block = lines.clone().take_while(|line| !is_rule(line, '='));
            told.keep(failure(name, block));
        }
        if let Some(counted) = ran.get().and_then(|ran| verdict(line, ran, parts, around)) {
            (last, parts, around) = ("", 0, 0);
            run.get_or_insert_default().add(counted);
            ran = Recent(None);
        }
        ran.next(count(line));
        ruled.next(is_rule(line, '=').then_some(()));
    }
    let mut run = run?;
    run.add(told);
    Some(run)
}

fn is_rule(line: &str, of: char) -> bool {
    line.len() >= 60 && line.chars().all(|it| it == of)
}

/// The number in `Ran 3 tests in 0.001s`.
fn count(line: &str) -> Option<u32> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let time = rest.strip_prefix("tests in ");
    let time = time.or_else(|| rest.strip_prefix("test in "))?;
    let seconds = time.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    number.parse().ok()
}

/// `OK (skipped=1)`, `FAILED (failures=1, errors=2)`, `NO TESTS RAN`, after so many failures that
/// were seen to be further parts of one test, or around tests.
fn verdict(line: &str, ran: u32, parts: u32, around: u32) -> Option<TestRun> {
    let (word, counts) = line.split_once(" (").unwrap_or((line, ""));
    if !matches!(word.trim(), "OK" | "FAILED" | "NO TESTS RAN") {
        return None;
    }
    let mut run = TestRun::default();
    let counts = counts.trim_end().trim_end_matches(')').split(", ");
    for (word, number) in counts.filter_map(|pair| pair.split_once('=')) {
        let Ok(number) = number.parse::<u32>() else {
            continue;
        };
        let count = match word {
            "failures" | "errors" | "unexpected successes" => &mut run.failed,
            "skipped" | "expected failures" => &mut run.skipped,
            _ => continue,
        };
        *count = count.saturating_add(number);
    }
    // What a test printed is no more than what was counted, and one of the parts is the test itself.
    let around = around.min(run.failed);
    let of_tests = run.failed - around;
    let parts = parts.min(of_tests.saturating_sub(1));
    let ended = run.failed.saturating_add(run.skipped);
    let all = ran.saturating_add(parts).saturating_add(around);
    run.passed = all.saturating_sub(ended);
    // As long as a test failed, not all that were run have passed.
    if of_tests > 0 {
        run.passed = run.passed.min(ran.saturating_sub(1));
    }
    Some(run)
}

/// Whether `setUpClass (test_calc.Calc)` or the like failed, and not a test.
fn is_around(name: &str) -> bool {
    let word = name.split(" (").next().unwrap_or(name);
    matches!(
        word,
        "setUpClass" | "tearDownClass" | "setUpModule" | "tearDownModule"
    )
}

/// The name in `FAIL: test_add (test_calc.Calc.test_add)`.
fn failed(line: &str) -> Option<&str> {
    let name = line.strip_prefix("FAIL: ");
    name.or_else(|| line.strip_prefix("ERROR: "))
}

/// The last exception, which is the one that it came to, and the innermost place.
fn failure<'a>(name: &'a str, lines: impl Iterator<Item = &'a str>) -> Failure {
    let (mut message, mut place) = ("", None);
    let mut is_traced = false;
    // One rule below the name, the next at the end.
    let lines = lines.skip_while(|line| !is_rule(line, '-')).skip(1);
    for line in lines.take_while(|line| !is_rule(line, '-')) {
        if line.starts_with("Traceback ") {
            is_traced = true;
        } else if let Some(at) = frame(line).filter(|_| is_traced) {
            place = Some(at);
        } else if is_traced && !line.starts_with(' ') && !line.is_empty() {
            message = line;
            is_traced = false;
        }
    }
    Failure::new(name, message).at(place).split_kind()
}

/// `  File "test_calc.py", line 12, in test_add`
fn frame(line: &str) -> Option<(&str, u32)> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
    let number = rest.strip_prefix(", line ")?.split(',').next()?;
    Some((file, number.trim().parse().ok()?))
}
