//! What one command's output amounts to.

use crate::format::{self, Format};
use crate::plain_text::{MESSAGE_BYTES, clean, clip};
use crate::problem::Problems;
use crate::run::{Failure, KEPT, TestRun};

/// What was read in the output of a test or build command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The formats in which results were found.
    pub formats: Vec<Format>,
    /// The results; `None` if no runner that is known reported any.
    pub tests: Option<TestRun>,
    /// Errors of compilers and interpreters.
    pub problems: Problems,
    /// The last line that is not empty: often all that an unknown tool says of its failure.
    pub last_line: String,
}

/// One error, whoever reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its type or code.
    pub kind: Option<String>,
    /// Its text; for a failed test without one, the test's name.
    pub message: String,
    /// The file it names.
    pub file: Option<String>,
    /// The line it names.
    pub line: Option<u32>,
}

/// Reads what a command printed.
pub fn read(output: &[u8]) -> Reading {
    let text = clean(output);
    let (formats, tests) = format::detect(&text);
    let printed = formats
        .contains(&Format::GoJson)
        .then(|| format::go_printed(&text))
        .flatten();
    let last_line = text
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty());
    Reading {
        last_line: clip(last_line.unwrap_or_default(), MESSAGE_BYTES),
        formats,
        tests,
        problems: Problems::find(printed.as_deref().unwrap_or(&text)),
    }
}

impl Reading {
    /// Holds the output of a test command against how the command ended.
    ///
    /// Any test can print "1000 passed", but it cannot make a runner that saw a failure end
    /// well. So a command that failed counts as at least one failed test.
    #[must_use]
    pub fn as_tests(mut self, succeeded: bool) -> Self {
        let has_failures = self.tests.as_ref().is_some_and(|run| run.failed > 0);
        if !succeeded && !has_failures {
            let failure = Failure::new("the test command failed", &self.last_line);
            self.tests.get_or_insert_default().fail(failure);
        }
        self
    }

    /// Holds the output of a build command against how the command ended: one that failed
    /// counts as at least one error.
    #[must_use]
    pub fn as_build(mut self, succeeded: bool) -> Self {
        if !succeeded && self.problems.building == 0 {
            let said = match self.last_line.as_str() {
                "" => "the build command failed",
                said => said,
            };
            self.problems.add_unexplained(said);
        }
        self
    }

    /// The errors, compilers' first, up to [`KEPT`].
    pub fn findings(&self) -> Vec<Finding> {
        let problems = self.problems.kept.iter().cloned().map(|problem| Finding {
            kind: problem.kind,
            message: problem.message,
            file: problem.file,
            line: problem.line,
        });
        let failures = self
            .tests
            .iter()
            .flat_map(|run| run.failures.iter().cloned());
        let failures = failures.map(|failure| Finding {
            message: if failure.message.is_empty() {
                failure.name
            } else {
                failure.message
            },
            kind: failure.kind,
            file: failure.file,
            line: failure.line,
        });
        problems.chain(failures).take(KEPT).collect()
    }
}
