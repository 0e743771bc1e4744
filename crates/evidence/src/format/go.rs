//! `go test`: a line for each test that failed, or for each test if asked, and one for each
//! package.
//!
//! Without `-v`, tests that pass are not named. A package that passes without naming any
//! counts as one test, because "none passed" would be wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::go_told::Told;
use crate::run::{Failure, TestRun};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// One test that ended.
pub(super) struct Ended {
    pub(super) name: String,
    pub(super) outcome: Outcome,
    pub(super) told: Told,
}

/// What was read since the last package's line.
#[derive(Default)]
struct Pending<'a> {
    tests: Vec<(Outcome, &'a str)>,
    /// The test that the lines belong to: `-v` names it before them, otherwise its result does.
    current: &'a str,
    told: BTreeMap<&'a str, Told>,
}

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut pending = Pending::default();
    for line in text.lines() {
        if let Some((outcome, package, note)) = package_line(line) {
            let (tests, panic) = std::mem::take(&mut pending).ended();
            let note = panic.as_deref().unwrap_or(note);
            add_package(run.get_or_insert_default(), package, outcome, note, &tests);
        } else {
            pending.read(line);
        }
    }
    // Tests without their package's line: the run was cut short.
    if !pending.tests.is_empty() {
        add_tests(run.get_or_insert_default(), &pending.ended().0);
    }
    run
}

impl<'a> Pending<'a> {
    fn read(&mut self, line: &'a str) {
        if let Some((outcome, name)) = test_line(line) {
            self.tests.push((outcome, name));
            self.current = name;
        } else if let Some(named) = line.strip_prefix("=== ") {
            self.current = named.split_whitespace().next_back().unwrap_or_default();
        } else {
            self.told.entry(self.current).or_default().hear(line);
        }
    }

    /// The tests, and what a panic said that none of them failed with.
    fn ended(mut self) -> (Vec<Ended>, Option<String>) {
        let tests = self.tests.into_iter().map(|(outcome, name)| Ended {
            name: name.to_owned(),
            outcome,
            told: self.told.remove(name).unwrap_or_default(),
        });
        let tests = tests.collect();
        (tests, self.told.into_values().find_map(Told::panic))
    }
}

/// `--- FAIL: TestWraps/inner (0.00s)`, indented if it is a part of another.
fn test_line(line: &str) -> Option<(Outcome, &str)> {
    let rest = line.trim_start().strip_prefix("--- ")?;
    let (outcome, rest) = rest.split_once(": ")?;
    let (name, time) = rest.rsplit_once(" (")?;
    let outcome = match outcome {
        "PASS" => Outcome::Passed,
        "FAIL" => Outcome::Failed,
        "SKIP" => Outcome::Skipped,
        _ => return None,
    };
    time.ends_with("s)").then_some((outcome, name))
}

/// `ok  \tpackage\t0.003s` or `FAIL\tpackage [build failed]`.
pub(super) fn package_line(line: &str) -> Option<(Outcome, &str, &str)> {
    let (word, rest) = line.split_once('\t')?;
    let outcome = match word {
        "ok  " => Outcome::Passed,
        "FAIL" => Outcome::Failed,
        _ => return None,
    };
    let (package, note) = rest.split_once(['\t', ' '])?;
    Some((outcome, package, note))
}

/// Whether a failure is that of a package that could not be built, of which the compiler says more.
pub(crate) fn is_unbuilt(failure: &Failure) -> bool {
    matches!(failure.message.as_str(), "build failed" | "setup failed")
}

/// A package can fail although none of its tests did: it did not compile, or ended early.
pub(super) fn add_package(
    run: &mut TestRun,
    package: &str,
    outcome: Outcome,
    note: &str,
    tests: &[Ended],
) {
    let has_failed = |test: &Ended| test.outcome == Outcome::Failed;
    match outcome {
        Outcome::Failed if !tests.iter().any(has_failed) => {
            run.fail(Failure::new(package, note.trim_matches(['[', ']'])));
        }
        Outcome::Passed if tests.is_empty() && !note.contains("no test") => {
            run.passed = run.passed.saturating_add(1);
        }
        _ => {}
    }
    add_tests(run, tests);
}

/// Adds the tests that are not merely the sum of their own parts.
fn add_tests(run: &mut TestRun, tests: &[Ended]) {
    let groups: BTreeSet<&str> = tests
        .iter()
        .filter_map(|test| Some(test.name.rsplit_once('/')?.0))
        .collect();
    for test in tests {
        match test.outcome {
            _ if groups.contains(test.name.as_str()) => {}
            Outcome::Passed => run.passed = run.passed.saturating_add(1),
            Outcome::Skipped => run.skipped = run.skipped.saturating_add(1),
            Outcome::Failed => run.fail(test.told.failure(&test.name)),
        }
    }
}
