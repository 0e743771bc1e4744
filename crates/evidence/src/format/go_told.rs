//! What a Go test says of its failure.

use crate::plain_text::{MESSAGE_BYTES, clip, location};
use crate::run::Failure;

/// As many lines are taken of a message that begins below its place.
const LINES: u32 = 4;

/// What was heard of one test, line by line.
#[derive(Default)]
pub(super) struct Told {
    /// Of the first line such as `tiny_test.go:13: got 3, want 4`.
    place: Option<(String, u32)>,
    message: String,
    /// How many more lines belong to the message.
    left: u32,
    is_panic: bool,
}

impl Told {
    pub(super) fn hear(&mut self, line: &str) {
        if let Some((place, message)) = log(line) {
            self.left = 0;
            if self.place.is_none() && !self.is_panic {
                self.message = clip(message, MESSAGE_BYTES);
                self.left = if message.is_empty() { LINES } else { 0 };
                self.place = Some((place.0.to_owned(), place.1));
            }
        } else if let Some(panic) = line.strip_prefix("panic: ").filter(|_| !self.is_panic) {
            // What the test logged before is not why it ended.
            let panic = panic.trim_end().trim_end_matches(" [recovered]");
            self.message = clip(&format!("panic: {panic}"), MESSAGE_BYTES);
            (self.place, self.left, self.is_panic) = (None, 0, true);
        } else if self.left > 0 {
            self.go_on(line.trim());
        }
    }

    /// Takes a line below a place that nothing stood behind. `testify` writes a table there:
    ///
    /// ```text
    ///     a_test.go:3:
    ///         Error Trace:   /w/a_test.go:3
    ///         Error:         Not equal:
    ///                        expected: 1
    ///                        actual  : 2
    ///         Test:          TestAdd
    /// ```
    fn go_on(&mut self, line: &str) {
        if line.starts_with("Error Trace:") {
            return;
        }
        if line.is_empty() || line.starts_with("Test:") || line.starts_with("Messages:") {
            self.left = if self.message.is_empty() {
                self.left
            } else {
                0
            };
            return;
        }
        let line = line.strip_prefix("Error:").unwrap_or(line).trim();
        // A trace of several calls has a place in each line.
        if self.message.is_empty() && location(line).is_some_and(|(file, _)| file.ends_with(".go"))
        {
            return;
        }
        self.left -= 1;
        let gap = if self.message.is_empty() { "" } else { " " };
        self.message = clip(&format!("{}{gap}{line}", self.message), MESSAGE_BYTES);
    }

    /// What a panic said, if there was one.
    pub(super) fn panic(self) -> Option<String> {
        self.is_panic.then_some(self.message)
    }

    pub(super) fn failure(&self, name: &str) -> Failure {
        let place = self.place.as_ref();
        Failure::new(name, &self.message).at(place.map(|(file, line)| (file.as_str(), *line)))
    }
}

/// The place and the text of a line like `    tiny_test.go:13: got 3, want 4`.
fn log(line: &str) -> Option<((&str, u32), &str)> {
    let (place, message) = line.split_once(": ")?;
    let place = location(place).filter(|(file, _)| file.ends_with(".go"))?;
    Some(((place.0.trim_start(), place.1), message.trim()))
}
