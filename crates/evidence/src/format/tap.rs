//! The Test Anything Protocol: a plan, and a line for each test.
//!
//! Tests may be parts of others, indented below or above them. Only those without parts are
//! counted. A plan that promised more tests than came is a failure for each of the missing.

use crate::plain_text::location;
use crate::run::{Failure, TestRun};

pub(super) fn parse(text: &str) -> Option<TestRun> {
    let mut reader = Tap::default();
    for line in text.lines() {
        reader.line(line);
    }
    reader.finish()
}

#[derive(Default)]
struct Tap {
    announced: bool,
    planned: Option<u32>,
    /// Test points that are not indented.
    top_level: u32,
    /// Points of which it is not yet known whether they are parts of a later one.
    points: Vec<Point>,
    /// Set inside a diagnostic block, to the indentation of its first line.
    block: Option<usize>,
    /// Set inside a text of several lines, to the indentation of its key.
    text: Option<usize>,
    /// The first comment since the last test that tells of an error.
    commented: Option<String>,
    bailed: Option<String>,
}

struct Point {
    indent: usize,
    outcome: Outcome,
    failure: Failure,
    /// It is followed or preceded by its own parts.
    has_parts: bool,
    /// Its own parts follow it, in braces.
    opens: bool,
    /// The first comment above it that tells of an error.
    commented: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Tap {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(begun) = self.block {
            return match text {
                "..." if indent == begun => (self.block, self.text) = (None, None),
                _ => self.diagnostic(text, indent),
            };
        }
        // A diagnostic is indented below its test; any other rule of dashes is decoration.
        if text == "---" && self.points.last().is_some_and(|last| indent > last.indent) {
            self.block = Some(indent);
        } else if text.starts_with("TAP version ") {
            self.announced = true;
        } else if let Some(reason) = text.strip_prefix("Bail out!") {
            self.bailed = Some(reason.to_owned());
        } else if let Some(plan) = plan(text) {
            self.announced = true;
            if indent == 0 {
                self.planned = Some(self.planned.unwrap_or(0).saturating_add(plan));
            }
        } else if let Some(point) = Point::parse(text, indent) {
            self.point(point);
        } else if let Some(comment) = text.strip_prefix("# ") {
            let tells = comment.contains("Error: ") || comment.contains("Error [");
            if tells && self.commented.is_none() && !comment.starts_with("Subtest: ") {
                self.commented = Some(comment.to_owned());
            }
        }
    }

    fn point(&mut self, mut point: Point) {
        point.commented = self.commented.take();
        self.top_level += u32::from(point.indent == 0);
        // Parts that were printed before the test they belong to.
        let parts = self
            .points
            .iter()
            .rev()
            .take_while(|earlier| earlier.indent > point.indent);
        point.has_parts |= parts.count() > 0 && !self.opened(point.indent);
        self.points.push(point);
    }

    /// Whether the deeper points before one at `indent` belong to an earlier point, which
    /// announced them with a brace.
    fn opened(&self, indent: usize) -> bool {
        self.points
            .iter()
            .rev()
            .find(|earlier| earlier.indent <= indent)
            .is_some_and(|earlier| earlier.opens && earlier.indent == indent)
    }

    fn diagnostic(&mut self, text: &str, indent: usize) {
        let Some(point) = self.points.last_mut() else {
            return;
        };
        let failure = &mut point.failure;
        if self.text.is_some_and(|key| indent > key || text.is_empty()) {
            let gap = if failure.message.is_empty() { "" } else { " " };
            let message = format!("{}{gap}{text}", failure.message);
            failure.message = Failure::new("", &message).message;
            return;
        }
        self.text = None;
        let Some((key, value)) = text.split_once(": ") else {
            return;
        };
        let value = value.trim_matches(['\'', '"']);
        match key {
            "error" | "message" if failure.message.is_empty() => match value {
                "|-" | "|" | "|+" | ">-" | ">" => self.text = Some(indent),
                // Node says no more of a file that does not load; what the file said stands above.
                "test failed" if point.commented.is_some() => {
                    failure.message = point.commented.take().unwrap_or_default();
                    *failure = Failure::new(&failure.name, &failure.message).split_kind();
                }
                _ => failure.message = Failure::new("", value).message,
            },
            "name" => *failure = std::mem::take(failure).of_kind(Some(value)),
            "location" | "at" => *failure = std::mem::take(failure).at(location(value)),
            _ => {}
        }
    }

    fn finish(self) -> Option<TestRun> {
        if !self.announced || self.points.is_empty() && self.planned.is_none() {
            return None;
        }
        let mut run = TestRun::default();
        for point in self.points.into_iter().filter(|point| !point.has_parts) {
            match point.outcome {
                Outcome::Passed => run.passed = run.passed.saturating_add(1),
                Outcome::Skipped => run.skipped = run.skipped.saturating_add(1),
                Outcome::Failed => run.fail(point.failure),
            }
        }
        let missing = self.planned.unwrap_or(0).saturating_sub(self.top_level);
        if missing > 0 {
            run.failed = run.failed.saturating_add(missing);
            run.keep(Failure::new(
                "the plan",
                "tests that were planned did not run",
            ));
        }
        if let Some(reason) = self.bailed {
            run.fail(Failure::new("Bail out!", &reason));
        }
        Some(run)
    }
}

fn plan(text: &str) -> Option<u32> {
    let last = text.strip_prefix("1..")?;
    last.split_whitespace().next()?.parse().ok()
}

impl Point {
    /// Reads `not ok 2 - wraps # TODO later`.
    fn parse(text: &str, indent: usize) -> Option<Self> {
        let (passed, rest) = match text.strip_prefix("not ok") {
            Some(rest) => (false, rest),
            None => (true, text.strip_prefix("ok")?),
        };
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        let rest = rest
            .trim_start()
            .trim_start_matches(|it: char| it.is_ascii_digit());
        let (name, directive) = rest.split_once(" # ").unwrap_or((rest, ""));
        let word = directive.get(..4).unwrap_or_default();
        let is_expected = word.eq_ignore_ascii_case("skip") || word.eq_ignore_ascii_case("todo");
        Some(Self {
            indent,
            outcome: match passed {
                _ if is_expected => Outcome::Skipped,
                true => Outcome::Passed,
                false => Outcome::Failed,
            },
            failure: Failure::new(name.trim_start().trim_start_matches("- "), ""),
            has_parts: rest.ends_with('{'),
            opens: rest.ends_with('{'),
            commented: None,
        })
    }
}
