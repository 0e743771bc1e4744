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
    /// What an unknown tool says of its failure: the first line that calls itself an error, for
    /// what follows it may be a trace, or else the last one that is not empty.
    pub said: String,
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
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines().find(|line| calls_itself_an_error(line));
    let said = said.or_else(|| lines().next_back());
    Reading {
        said: clip(said.unwrap_or_default(), MESSAGE_BYTES),
        formats,
        tests,
        problems: Problems::find(printed.as_deref().unwrap_or(&text)),
    }
}

/// Whether a line begins as tools begin what they die of.
fn calls_itself_an_error(line: &str) -> bool {
    ["error:", "Error:", "ERROR:", "fatal:"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// Whether a shell ended with `code` because it had nothing to run: what is not there or is no
/// program is no result, unless one was printed all the same.
#[must_use]
pub fn could_not_be_run(output: &[u8], code: i32) -> bool {
    matches!(code, 126 | 127) && {
        let reading = read(output);
        reading.tests.is_none() && reading.problems.building == 0
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
            let failure = Failure::new("the test command failed", &self.said);
            self.tests.get_or_insert_default().fail(failure);
        }
        self
    }

    /// Holds the output of a build command against how the command ended: one that failed
    /// counts as at least one error.
    #[must_use]
    pub fn as_build(mut self, succeeded: bool) -> Self {
        if !succeeded && self.problems.building == 0 {
            let said = match self.said.as_str() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_dies_with_a_trace_is_quoted_with_its_error_and_not_with_the_trace() {
        let rustup = b"error: rustup could not choose a version of cargo to run\n\n\
                       Stack backtrace:\n  12: main\n  13: <unknown>\n";
        let run = read(rustup).as_tests(false).tests.unwrap_or_default();
        assert_eq!(run.failed, 1);
        assert_eq!(
            run.failures[0].message,
            "error: rustup could not choose a version of cargo to run"
        );
        assert_eq!(read(b"the tool\nfell over\n\n").said, "fell over");
    }

    #[test]
    fn only_a_command_that_is_not_there_or_is_no_program_could_not_be_run() {
        let missing = b"sh: 1: nosuchtest: not found\n";
        for (output, code, expected) in [
            (&missing[..], 127, true),
            (b"sh: 1: ./tests: Permission denied\n", 126, true),
            (missing, 1, false),
            (
                b"test result: FAILED. 1 passed; 2 failed; 3 ignored\n",
                127,
                false,
            ),
            (b"a.c:1:2: error: no\n", 127, false),
        ] {
            assert_eq!(could_not_be_run(output, code), expected, "{code}");
        }
    }
}
