//! The result of running tests.

use crate::plain_text::{MESSAGE_BYTES, NAME_BYTES, clip, counts};

/// The most failures and the most problems that are kept of one output.
pub const KEPT: usize = 32;

/// What the tests of one output came to. Several suites are added up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestRun {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed, or broke before they could.
    pub failed: u32,
    /// Tests that were not run, or whose failure is expected.
    pub skipped: u32,
    /// The first failures, up to [`KEPT`].
    pub failures: Vec<Failure>,
}

/// One test that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failure {
    /// Its name, as its runner writes it.
    pub name: String,
    /// Its type, such as `AssertionError`, if it has one.
    pub kind: Option<String>,
    /// What it said, in one line; may be empty.
    pub message: String,
    /// The file it failed in.
    pub file: Option<String>,
    /// The line it failed at.
    pub line: Option<u32>,
}

/// What a runner calls its counts in a summary such as `2 failed, 1 passed`. Other words
/// are passed over.
pub(crate) struct SummaryWords {
    pub(crate) passed: &'static [&'static str],
    pub(crate) failed: &'static [&'static str],
    pub(crate) skipped: &'static [&'static str],
}

impl TestRun {
    /// Adds the counts of a summary.
    pub(crate) fn add_summary(&mut self, summary: &str, words: &SummaryWords) {
        for (number, word) in counts(summary) {
            let count = match word {
                word if words.passed.contains(&word) => &mut self.passed,
                word if words.failed.contains(&word) => &mut self.failed,
                word if words.skipped.contains(&word) => &mut self.skipped,
                _ => continue,
            };
            *count = count.saturating_add(number);
        }
    }

    /// Adds another suite.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
        for failure in other.failures {
            self.keep(failure);
        }
    }

    /// Keeps a failure that is already counted, if there is room.
    pub(crate) fn keep(&mut self, failure: Failure) {
        if !self.is_full() {
            self.failures.push(failure);
        }
    }

    /// Counts one failed test and keeps it.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failed = self.failed.saturating_add(1);
        self.keep(failure);
    }

    /// Whether nothing more would be kept, so that looking closer is a waste.
    pub(crate) fn is_full(&self) -> bool {
        self.failures.len() >= KEPT
    }

    pub(crate) fn has_kept(&self, name: &str) -> bool {
        self.failures.iter().any(|failure| failure.name == name)
    }
}

impl Failure {
    pub(crate) fn new(name: &str, message: &str) -> Self {
        Self {
            name: clip(name.trim(), NAME_BYTES),
            message: clip(message.trim(), MESSAGE_BYTES),
            ..Self::default()
        }
    }

    pub(crate) fn at(mut self, place: Option<(&str, u32)>) -> Self {
        if let Some((file, line)) = place {
            self.file = Some(clip(file, NAME_BYTES));
            self.line = Some(line);
        }
        self
    }

    pub(crate) fn of_kind(mut self, kind: Option<&str>) -> Self {
        self.kind = kind.map(|kind| clip(kind, NAME_BYTES));
        self
    }

    /// Splits `TypeError: message`, where the message is that of an exception.
    pub(crate) fn split_kind(self) -> Self {
        let is_type = |word: &str| {
            word.ends_with("Error") || word.ends_with("Exception") || word.ends_with("Failure")
        };
        let kind = self.message.split(':').next().unwrap_or_default();
        if kind.contains(' ') || !is_type(kind) {
            return self;
        }
        let message = self.message[kind.len()..].trim_start_matches(':').trim();
        Self {
            kind: Some(clip(kind, NAME_BYTES)),
            message: message.to_owned(),
            ..self
        }
    }
}
