//! Tests that had nothing to try on this machine.
//!
//! They pass, and runners hide what passing tests say. Such a test prints a line that begins
//! with `SKIPPED:`; nextest keeps those in its report, and they are listed with the outcome.

use crate::place;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const MARK: &str = "SKIPPED: ";

/// Where nextest leaves its report, wherever it builds; `.config/nextest.toml` asks for it.
fn report() -> PathBuf {
    place::repository().join("target/nextest/default/junit.xml")
}

/// Removes the report of an earlier run, so that it is not taken for this one's.
pub(crate) fn forget() -> Result<()> {
    let report = report();
    match fs::remove_file(&report) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", report.display()))
        }
        _ => Ok(()),
    }
}

/// A line for each reason, with the number of tests.
pub(crate) fn told() -> Result<Vec<String>> {
    let report = report();
    let text = fs::read_to_string(&report)
        .with_context(|| format!("{} cannot be read", report.display()))?;
    Ok(lines(&text))
}

/// The same of what tests printed themselves: a line for each reason, with how often it was said.
pub(crate) fn said_in(output: &str) -> Vec<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let said = output.lines().filter_map(|line| line.split_once(MARK));
    for (_, reason) in said {
        *reasons.entry(reason.trim()).or_default() += 1;
    }
    let line = |(reason, times): (&str, usize)| format!("SKIPPED {times} times: {reason}");
    reasons.into_iter().map(line).collect()
}

fn lines(report: &str) -> Vec<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    // A test may say it more than once, in both of its streams.
    for test in report.split("<testcase ").skip(1) {
        if let Some((_, reason)) = test.split_once(MARK) {
            let reason = reason.lines().next().unwrap_or_default();
            let reason = reason.split('<').next().unwrap_or_default().trim();
            *reasons.entry(reason).or_default() += 1;
        }
    }
    let line = |(reason, tests): (&str, usize)| format!("SKIPPED by {tests}: {reason}");
    reasons.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_told_with_the_number_of_tests() {
        let report = "<testsuite>\
            <testcase name=\"a\"><system-err>SKIPPED: no git\nmore</system-err></testcase>\
            <testcase name=\"b\"><system-out>SKIPPED: no git</system-out>\
            <system-err>SKIPPED: no git</system-err></testcase>\
            <testcase name=\"c\"><system-err>all well</system-err></testcase>\
            <testcase name=\"d\"><system-err>SKIPPED: root</system-err></testcase></testsuite>";
        assert_eq!(
            lines(report),
            ["SKIPPED by 2: no git", "SKIPPED by 1: root"]
        );
    }

    #[test]
    fn what_tests_print_themselves_is_heard_as_well() {
        let output =
            "test a ... SKIPPED: no git\nok\nSKIPPED: no git\nSKIPPED: root\ntest b ... ok\n";
        let said = said_in(output);
        assert_eq!(said, ["SKIPPED 2 times: no git", "SKIPPED 1 times: root"]);
        assert!(said_in("  SKIPPED of none: 0\n").is_empty());
    }
}
