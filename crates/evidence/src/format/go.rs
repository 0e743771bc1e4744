//! `go test`: a line for each test that failed, or for each test if asked, and one for each
//! package.
//!
//! Without `-v`, tests that pass are not named. A package that passes without naming any
//! counts as one test, because "none passed" would be wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::plain_text::location;
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
    /// A line like `tiny_test.go:13: got 3, want 4`.
    pub(super) said: Option<String>,
}

/// What was read since the last package's line.
#[derive(Default)]
struct Pending<'a> {
    tests: Vec<(Outcome, &'a str)>,
    /// The test that the lines belong to: `-v` names it before them, otherwise its result does.
    current: &'a str,
    /// The first line of each test that names a place.
    said: BTreeMap<&'a str, &'a str>,
}

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut pending = Pending::default();
    for line in text.lines() {
        if let Some((outcome, package, note)) = package_line(line) {
            let tests = std::mem::take(&mut pending).ended();
            add_package(run.get_or_insert_default(), package, outcome, note, &tests);
        } else {
            pending.read(line);
        }
    }
    // Tests without their package's line: the run was cut short.
    if !pending.tests.is_empty() {
        add_tests(run.get_or_insert_default(), &pending.ended());
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
        } else if is_log(line) {
            self.said.entry(self.current).or_insert(line.trim());
        }
    }

    fn ended(self) -> Vec<Ended> {
        let tests = self.tests.into_iter().map(|(outcome, name)| Ended {
            name: name.to_owned(),
            outcome,
            said: self.said.get(name).map(|said| (*said).to_owned()),
        });
        tests.collect()
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
fn package_line(line: &str) -> Option<(Outcome, &str, &str)> {
    let (word, rest) = line.split_once('\t')?;
    let outcome = match word {
        "ok  " => Outcome::Passed,
        "FAIL" => Outcome::Failed,
        _ => return None,
    };
    let (package, note) = rest.split_once(['\t', ' '])?;
    Some((outcome, package, note))
}

/// Whether a line is like `    tiny_test.go:13: got 3, want 4`.
pub(super) fn is_log(line: &str) -> bool {
    line.split_once(": ")
        .and_then(|(place, _)| location(place))
        .is_some_and(|(file, _)| file.ends_with(".go"))
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
            Outcome::Failed => run.fail(failure(test)),
        }
    }
}

fn failure(test: &Ended) -> Failure {
    let said = test.said.as_deref().unwrap_or_default();
    match said.split_once(": ") {
        Some((place, message)) => Failure::new(&test.name, message).at(location(place)),
        None => Failure::new(&test.name, said),
    }
}
