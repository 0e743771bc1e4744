//! `node --test` with its reporter `spec`: counts behind `ℹ`, and the failing tests below them once
//! more, each below its place.

use std::collections::BTreeMap;

use crate::plain_text::location;
use crate::run::{Failure, TestRun};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut run: Option<TestRun> = None;
    let mut totals = Totals::default();
    let mut unloaded = Unloaded::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(count) = line.strip_prefix("ℹ ") {
            if let Some(whole) = totals.take(count) {
                run.get_or_insert_default().add(whole);
            }
        } else if line == "✖ failing tests:" {
            let Some(run) = run.as_mut() else { continue };
            let told = lines.clone();
            failures(told, &std::mem::take(&mut unloaded), run);
        } else {
            unloaded.hear(line);
        }
    }
    run
}

/// The counts at the end of a run, in the order in which they are printed.
#[derive(Default)]
struct Totals {
    begun: bool,
    run: TestRun,
}

impl Totals {
    /// Takes `pass 7` or the like, and answers with the sum below the last of them.
    fn take(&mut self, count: &str) -> Option<TestRun> {
        let (word, number) = count.split_once(' ')?;
        if word == "duration_ms" && self.begun {
            return Some(std::mem::take(self).run);
        }
        let number: u32 = number.parse().ok()?;
        match word {
            // A test may print such lines; those of the runner begin with this one.
            "tests" => {
                *self = Self {
                    begun: true,
                    ..Self::default()
                };
            }
            "pass" => self.run.passed = number,
            "fail" | "cancelled" => self.run.failed = self.run.failed.saturating_add(number),
            "skipped" | "todo" => self.run.skipped = self.run.skipped.saturating_add(number),
            _ => {}
        }
        None
    }
}

/// What files said that could not be loaded, of which the runner says no more than `'test failed'`.
#[derive(Default)]
struct Unloaded {
    /// The first error since the last test.
    error: Option<String>,
    by_name: BTreeMap<String, String>,
}

impl Unloaded {
    fn hear(&mut self, line: &str) {
        if let Some(name) = failed(line) {
            if let Some(error) = self.error.take() {
                self.by_name.insert(name.to_owned(), error);
            }
        } else if line.trim_start().starts_with(['✔', '▶']) {
            self.error = None;
        } else if self.error.is_none() {
            let word = line.split([' ', ':']).next().unwrap_or_default();
            let is_error = word.ends_with("Error") && line.contains(": ");
            self.error = is_error.then(|| line.to_owned());
        }
    }
}

/// The name in `✖ subtracts (1.1ms)`; nothing of a test that is yet to be done.
fn failed(line: &str) -> Option<&str> {
    let (name, time) = line.strip_prefix("✖ ")?.rsplit_once(" (")?;
    time.ends_with("ms)").then_some(name)
}

fn failures<'a>(lines: impl Iterator<Item = &'a str>, unloaded: &Unloaded, run: &mut TestRun) {
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        let Some(place) = line.strip_prefix("test at ") else {
            // Whatever is printed after the last of them stands at the margin.
            match line.starts_with(' ') || line.is_empty() || line.starts_with("✖ ") {
                true => continue,
                false => return,
            }
        };
        let Some(name) = lines.peek().copied().and_then(failed) else {
            continue;
        };
        lines.next();
        let mut message = String::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("  ")) {
            let line = line.trim();
            if line.starts_with("at ") {
                break;
            }
            let gap = if message.is_empty() || line.is_empty() {
                ""
            } else {
                " "
            };
            message = message + gap + line;
        }
        let message = match message.as_str() {
            "'test failed'" => unloaded
                .by_name
                .get(name)
                .map_or("test failed", String::as_str),
            told => told,
        };
        run.keep(Failure::new(name, message).at(location(place)).split_kind());
    }
}
