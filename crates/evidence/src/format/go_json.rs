//! `go test -json`: one event a line.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::go::{Ended, Outcome, add_package, is_log};
use crate::run::TestRun;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    test: Option<String>,
    output: Option<String>,
}

#[derive(Default)]
struct Package {
    tests: Vec<Ended>,
    said: BTreeMap<String, String>,
    outcome: Option<Outcome>,
}

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    for event in events(text).filter(|event| !event.package.is_empty()) {
        let package = packages.entry(event.package.clone()).or_default();
        package.take(event);
    }
    packages
        .values()
        .any(|package| package.outcome.is_some() || !package.tests.is_empty())
        .then(|| sum(packages))
}

fn sum(packages: BTreeMap<String, Package>) -> TestRun {
    let mut run = TestRun::default();
    for (name, package) in packages {
        // Skipped as a whole means that it has no tests.
        let outcome = package.outcome.unwrap_or(Outcome::Skipped);
        add_package(
            &mut run,
            &name,
            outcome,
            "the package failed",
            &package.tests,
        );
    }
    run
}

/// What the tests and compilers printed, as it would be without `-json`; `None` if there is
/// not a single event.
pub(crate) fn printed(text: &str) -> Option<String> {
    let outputs: Vec<String> = events(text).filter_map(|event| event.output).collect();
    (!outputs.is_empty()).then(|| outputs.concat())
}

fn events(text: &str) -> impl Iterator<Item = Event> {
    text.lines()
        .filter(|line| line.starts_with("{\"") && line.contains("\"Action\":"))
        .filter_map(|line| serde_json::from_str(line).ok())
}

impl Package {
    fn take(&mut self, event: Event) {
        let outcome = match event.action.as_str() {
            "pass" => Outcome::Passed,
            "fail" => Outcome::Failed,
            "skip" => Outcome::Skipped,
            "output" => return self.hear(event),
            _ => return,
        };
        match event.test {
            Some(name) => self.tests.push(Ended {
                said: self.said.remove(&name),
                name,
                outcome,
            }),
            None => self.outcome = Some(outcome),
        }
    }

    /// Keeps the first line of a test that names a place.
    fn hear(&mut self, event: Event) {
        let (Some(test), Some(output)) = (event.test, event.output) else {
            return;
        };
        if is_log(&output) {
            self.said
                .entry(test)
                .or_insert_with(|| output.trim().to_owned());
        }
    }
}
