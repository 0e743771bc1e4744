//! `go test -json`: one event a line.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::go::{Ended, Outcome, add_package, package_line};
use super::go_told::Told;
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
    told: BTreeMap<String, Told>,
    /// What a panic said that no test failed with, or why it could not be built.
    note: Option<String>,
    outcome: Option<Outcome>,
}

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    // Older versions tell without an event that a package was not built.
    let mut unbuilt: Vec<(&str, &str)> = Vec::new();
    for line in text.lines() {
        if let Some(event) = event(line).filter(|event| !event.package.is_empty()) {
            let package = packages.entry(event.package.clone()).or_default();
            package.take(event);
        } else if let Some((Outcome::Failed, package, note)) = package_line(line) {
            unbuilt.push((package, note));
        }
    }
    let mut run = packages
        .values()
        .any(|package| package.outcome.is_some() || !package.tests.is_empty())
        .then(|| sum(packages))?;
    for (package, note) in unbuilt {
        add_package(&mut run, package, Outcome::Failed, note, &[]);
    }
    Some(run)
}

fn sum(packages: BTreeMap<String, Package>) -> TestRun {
    let mut run = TestRun::default();
    for (name, mut package) in packages {
        let told = std::mem::take(&mut package.told);
        let panic = told.into_values().find_map(Told::panic);
        // Skipped as a whole means that it has no tests.
        let outcome = package.outcome.unwrap_or(Outcome::Skipped);
        let note = panic.or(package.note);
        let note = note.as_deref().unwrap_or("the package failed");
        add_package(&mut run, &name, outcome, note, &package.tests);
    }
    run
}

/// What the tests and compilers printed, as it would be without `-json`; `None` if there is
/// not a single event.
pub(crate) fn printed(text: &str) -> Option<String> {
    let mut printed = String::new();
    let mut has_events = false;
    for line in text.lines() {
        match event(line) {
            Some(event) => {
                has_events = true;
                printed += &event.output.unwrap_or_default();
            }
            None => printed.extend([line, "\n"]),
        }
    }
    has_events.then_some(printed)
}

fn event(line: &str) -> Option<Event> {
    let is_event = line.starts_with("{\"") && line.contains("\"Action\":");
    is_event.then(|| serde_json::from_str(line).ok())?
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
                told: self.told.remove(&name).unwrap_or_default(),
                name,
                outcome,
            }),
            None => self.outcome = Some(outcome),
        }
    }

    fn hear(&mut self, event: Event) {
        let output = event.output.unwrap_or_default();
        let line = output.trim_end_matches('\n');
        let noted = package_line(line).filter(|(_, _, note)| note.starts_with('['));
        match event.test {
            None if noted.is_some() => self.note = noted.map(|(_, _, note)| note.to_owned()),
            // `=== RUN   TestWraps`
            Some(_) if line.starts_with("=== ") => {}
            test => self
                .told
                .entry(test.unwrap_or_default())
                .or_default()
                .hear(line),
        }
    }
}
