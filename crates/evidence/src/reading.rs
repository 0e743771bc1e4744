//! What one command's output amounts to.

use crate::format::{self, Format};
use crate::plain_text::{MESSAGE_BYTES, clean, clip};
use crate::problem::{Problem, Problems, Stage};
use crate::run::{Failure, KEPT, TestRun};
use crate::said::said;

/// What was read in the output of a test or build command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The formats in which results were found.
    pub formats: Vec<Format>,
    /// The results; `None` if no runner that is known reported any.
    pub tests: Option<TestRun>,
    /// Errors of compilers and interpreters.
    pub problems: Problems,
    /// What an unknown tool says of its failure, if it says anything but how many there are.
    pub said: Option<String>,
    /// The command failed, and no test is known that did.
    pub(crate) failed: bool,
    /// All that was printed, where that is the only thing to tell one failure from the next by.
    printed: String,
}

/// One error, whoever reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its type or code.
    pub kind: Option<String>,
    /// Its text; for a failed test without one, the test's name.
    pub message: String,
    /// The test that failed with it.
    pub test: Option<String>,
    /// All that was printed with it, if nobody knows what of it is the error.
    pub output: Option<String>,
    /// The file it names.
    pub file: Option<String>,
    /// The line it names.
    pub line: Option<u32>,
}

/// Reads what a command printed.
pub fn read(output: &[u8]) -> Reading {
    let text = clean(output);
    let (formats, mut tests) = format::detect(&text);
    let printed = formats
        .contains(&Format::GoJson)
        .then(|| format::go_printed(&text))
        .flatten();
    let problems = Problems::find(printed.as_deref().unwrap_or(&text));
    // A package that was not built is counted, but its error is the compiler's.
    if let Some(run) = tests.as_mut().filter(|_| problems.building > 0) {
        run.failures.retain(|failure| !format::is_unbuilt(failure));
    }
    Reading {
        said: said(&text).map(|line| clip(line, MESSAGE_BYTES)),
        formats,
        tests,
        problems,
        failed: false,
        printed: text,
    }
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
    /// well. So where a runner that is known reported none and its command failed, there is at
    /// least one. Of a runner that is not known nobody knows how many there are.
    #[must_use]
    pub fn as_tests(mut self, succeeded: bool) -> Self {
        let has_failures = self.tests.as_ref().is_some_and(|run| run.failed > 0);
        if !succeeded && !has_failures {
            self.failed = true;
            let nothing = || "the test command failed".to_owned();
            self.said.get_or_insert_with(nothing);
            if let Some(run) = &mut self.tests {
                run.failed = 1;
            }
        }
        self
    }

    /// Holds the output of a build command against how the command ended: one that failed
    /// counts as at least one error.
    #[must_use]
    pub fn as_build(mut self, succeeded: bool) -> Self {
        if !succeeded && self.problems.building == 0 {
            self.failed = true;
            self.problems.building = 1;
            let nothing = || "the build command failed".to_owned();
            self.said.get_or_insert_with(nothing);
        }
        self
    }

    /// The errors, compilers' first, up to [`KEPT`].
    pub fn findings(&self) -> Vec<Finding> {
        let failures = || self.tests.iter().flat_map(|run| &run.failures);
        // A test's own traceback is not a second error.
        let is_told = |problem: &Problem| {
            let same = |failure: &Failure| {
                failure.kind == problem.kind && failure.message == problem.message
            };
            problem.stage == Stage::Running && failures().any(same)
        };
        let problems = self.problems.kept.iter().filter(|it| !is_told(it));
        let problems = problems.cloned().map(|problem| Finding {
            kind: problem.kind,
            message: problem.message,
            file: problem.file,
            line: problem.line,
            test: None,
            output: None,
        });
        let is_unexplained = self.failed && self.problems.kept.is_empty();
        let unexplained = is_unexplained.then(|| Finding {
            kind: None,
            message: self.said.clone().unwrap_or_default(),
            file: None,
            line: None,
            test: None,
            output: Some(self.printed.clone()),
        });
        let failures = failures().cloned().map(|failure| Finding {
            message: if failure.message.is_empty() {
                failure.name.clone()
            } else {
                failure.message
            },
            kind: failure.kind,
            file: failure.file,
            line: failure.line,
            test: Some(failure.name),
            output: None,
        });
        problems
            .chain(unexplained)
            .chain(failures)
            .take(KEPT)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_dies_with_a_trace_is_quoted_with_its_error_and_not_with_the_trace() {
        let rustup = b"error: rustup could not choose a version of cargo to run\n\n\
                       Stack backtrace:\n  12: main\n  13: <unknown>\n";
        let found = read(rustup).as_tests(false).findings();
        assert_eq!(
            found[0].message,
            "error: rustup could not choose a version of cargo to run"
        );
        let said = read(b"the tool\nfell over\n\n").said;
        assert_eq!(said.as_deref(), Some("fell over"));
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
