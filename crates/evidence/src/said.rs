//! What an unknown tool says of its failure.
//!
//! Most of what a runner prints last is no error: a count (`7 failing`), a row of dots, or what
//! whoever called it has to add (`make: *** [test] Error 1`). With its numbers masked a count is the
//! same every time, and work that gets somewhere would seem to run into one error for ever.

/// A line of these words alone says how many there were, of what, how it went and how long it took,
/// and not what is wrong.
const SUMMARY: [&str; 76] = [
    "a",
    "all",
    "and",
    "are",
    "assertion",
    "assertions",
    "broken",
    "case",
    "cases",
    "check",
    "checks",
    "did",
    "done",
    "error",
    "errors",
    "example",
    "examples",
    "expectation",
    "expectations",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "file",
    "files",
    "finished",
    "flaky",
    "found",
    "had",
    "has",
    "have",
    "ignored",
    "in",
    "incomplete",
    "minutes",
    "ms",
    "not",
    "of",
    "ok",
    "out",
    "pass",
    "passed",
    "passes",
    "passing",
    "pending",
    "ran",
    "result",
    "results",
    "risky",
    "run",
    "s",
    "scenario",
    "scenarios",
    "seconds",
    "skipped",
    "some",
    "spec",
    "specs",
    "step",
    "steps",
    "suite",
    "suites",
    "summary",
    "test",
    "tests",
    "there",
    "time",
    "todo",
    "total",
    "warning",
    "warnings",
    "was",
    "were",
    "with",
];

/// How lines begin that add nothing but that what was called has failed.
const CALLERS: [&str; 18] = [
    "make: ***",
    "make[",
    "gmake",
    "ninja: build stopped",
    "npm ERR!",
    "npm error",
    "ELIFECYCLE",
    "error Command failed",
    "info Visit https://yarnpkg",
    "error: script ",
    "error: test failed, to rerun",
    "error: Recipe ",
    "task: Failed to run task",
    "Error: Process completed with exit code",
    "exit status ",
    "note: ",
    "help: ",
    "at ",
];

/// The line that says what is wrong: the first one that calls itself an error, for what follows it
/// may be a trace, or else the last one that says anything.
pub(crate) fn said(text: &str) -> Option<&str> {
    let telling = || text.lines().map(str::trim).filter(|line| tells(line));
    telling()
        .find(|line| calls_itself_an_error(line))
        .or_else(|| telling().next_back())
}

/// Whether a line says more than that something failed, and how often.
fn tells(line: &str) -> bool {
    let is_progress =
        !line.contains(|it: char| it.is_lowercase()) && line.split_whitespace().all(is_dots);
    let said = line.split_whitespace().filter(|word| !is_dots(word));
    let is_summary = said
        .flat_map(words)
        .all(|word| SUMMARY.contains(&word.to_lowercase().as_str()));
    let calls = CALLERS.iter().any(|begin| line.starts_with(begin));
    !line.is_empty() && !is_progress && !is_summary && !calls
}

/// The runs of letters in a line; what has digits in it is a number, or a name if it begins with a
/// letter.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(|it: char| !it.is_alphanumeric() && it != '_');
    parts.filter_map(|part| {
        let word = part.trim_start_matches(|it: char| it.is_ascii_digit());
        (!word.is_empty()).then_some(word)
    })
}

/// Marks of tests in a row, such as `..F.E`, and how far they are.
fn is_dots(word: &str) -> bool {
    let is_mark =
        |it: char| !it.is_alphanumeric() || it.is_ascii_digit() || "FESXPRIUWD".contains(it);
    let letters = word.chars().filter(|it| it.is_alphabetic()).count();
    word.chars().all(is_mark) && (letters <= 1 || word.contains('.') || word.chars().count() > 8)
}

/// Whether a line begins as tools begin what they die of.
fn calls_itself_an_error(line: &str) -> bool {
    const MARKS: [&str; 4] = ["error:", "Error:", "ERROR:", "fatal:"];
    let kind = line.split(": ").next().unwrap_or_default();
    let is_type = kind.len() < line.len()
        && !kind.contains(' ')
        && ["Error", "Exception", "Failure"]
            .iter()
            .any(|end| kind.ends_with(end));
    is_type || MARKS.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_rows_of_marks_and_what_a_caller_adds_are_no_errors() {
        for line in [
            "7 failing",
            "FAILED (failures=7)",
            "Tests: 11, Assertions: 11, Failures: 7.",
            "7 of 11 tests failed",
            "...FF.F 7 of 11 failing in 0.043s",
            "Ran 11 tests in 0.001s",
            "11 examples, 7 failures",
            "7 failed, 4 passed (2.3s)",
            "Results: 4 passed, 7 failed, 11 total",
            "FAILURES!",
            "tests failed: 3/10",
            "..F.E..",
            ".FF....... 10 / 10 (100%)",
            "================",
            "}",
            "make: *** [Makefile:3: test] Error 1",
            "make[1]: *** [test] Error 2",
            "npm ERR! Test failed.  See above for more details.",
            "error Command failed with exit code 1.",
            "at Object.<anonymous> (/a/b.js:3:1)",
            "",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
        for line in [
            "FAIL test_9",
            "not ok: login",
            "login: expected 3, got 4",
            "3 tests failed: login, logout, reset",
            "killed",
            "Segmentation fault (core dumped)",
        ] {
            assert_eq!(said(line), Some(line));
        }
        let output = "Error: no such module 'a'\n  at x (a.js:1:1)\nFAIL one\n7 failing\nmake: *** [test] Error 1\n";
        assert_eq!(said(output), Some("Error: no such module 'a'"));
        assert_eq!(said("FAIL one\nFAIL two\n7 failing\n"), Some("FAIL two"));
    }
}
