//! What real outputs are told as: one line for each error, with its test, type, text and place.

use fusebox_evidence::{Finding, read};

use crate::support::fixture;

fn line(finding: Finding) -> String {
    let place = finding.file.zip(finding.line);
    let place = place.map(|(file, line)| format!("{file}:{line}"));
    [
        finding.test.unwrap_or_default(),
        finding.kind.unwrap_or_default(),
        finding.message,
        place.unwrap_or_default(),
    ]
    .join(" | ")
}

fn check(name: &str, expected: &[&str]) {
    let findings = read(&fixture(name)).findings();
    let found: Vec<String> = findings.into_iter().map(line).collect();
    assert_eq!(found, expected, "{name}");
}

/// The summary is cut to 80 columns, and a log that was captured begins with `ERROR`.
#[test]
fn what_pytest_cuts_short_is_read_above() {
    check(
        "pytest_cut.txt",
        &[
            "test_cut.py::TestCalculatorService::test_adds_two_big_numbers | TypeError | unsupported operand type(s) for +: 'int' and 'str' | test_cut.py:5",
            "test_cut.py::TestCalculatorService::test_subtracts_two_very_big_numbers_of_many_digits | AssertionError | assert 'a' == 'b' | test_cut.py:7",
            "test_cut.py::TestCalculatorService::test_each[a - b] | AssertionError | assert 'a - b' == '' | test_cut.py:10",
            "test_cut.py::test_with[c - d] | RuntimeError | the fixture is broken, and says so at such a length that it is cut | test_cut.py:13",
        ],
    );
}

/// Of `testify` the error, of a test that panics the panic, and of a package that was not built
/// nothing but the compiler's words.
#[test]
fn what_go_tests_say_below_their_place_is_read() {
    check(
        "go_testify.txt",
        &[
            " |  | undefined: foo | c/c_test.go:3",
            "TestAdd |  | Not equal: expected: 1 actual  : 2 | a_test.go:3",
            "TestPlain |  | got 3, want 4 | a_test.go:5",
            "TestSub/inner |  | Not equal: expected: 1 actual  : 2 | a_test.go:3",
            "TestFailNow |  | TestFailNow | ",
            "TestX |  | panic: runtime error: index out of range [5] with length 0 | ",
        ],
    );
    check(
        "go_testify_json.txt",
        &[
            " |  | undefined: foo | c/c_test.go:3",
            "TestAdd |  | Not equal: expected: 1 actual  : 2 | a_test.go:3",
            "TestPlain |  | got 3, want 4 | a_test.go:5",
            "TestSub/inner |  | Not equal: expected: 1 actual  : 2 | a_test.go:3",
            "TestFailNow |  | TestFailNow | ",
            "TestX |  | panic: runtime error: index out of range [5] with length 0 | ",
        ],
    );
}

#[test]
fn failures_below_a_coloured_badge_are_read() {
    check(
        "jest_colour.txt",
        &[
            "group › adds |  | expect(received).toBe(expected) // Object.is equality | sum.test.js:2",
            "throws | TypeError | no such thing | sum.test.js:4",
            "Test suite failed to run |  | Cannot find module './nope' from 'bad.test.js' | bad.test.js:1",
        ],
    );
}

/// A text of several lines is read as one, and a file that did not load is told with its error.
#[test]
fn what_node_says_is_read_with_each_of_its_reporters() {
    check(
        "node_tap_suites.txt",
        &[
            "/home/me/js/load.test.mjs |  | Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/home/me/js/nope.mjs' imported from /home/me/js/load.test.mjs | ",
            "subs | AssertionError | Expected values to be strictly equal: 1 !== 2 | /home/me/js/suites.test.mjs:3",
            "deep | AssertionError | Expected values to be strictly deep-equal: + actual - expected { +   a: 1 -   a: 2 } | /home/me/js/suites.test.mjs:5",
            "throws | TypeError | no such thing | /home/me/js/suites.test.mjs:6",
        ],
    );
    check(
        "node_spec.txt",
        &[
            "/home/me/js/load.test.mjs |  | Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/home/me/js/nope.mjs' imported from /home/me/js/load.test.mjs | load.test.mjs:1",
            "subs |  | AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2 | suites.test.mjs:3",
            "deep |  | AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal: + actual - expected { +   a: 1 -   a: 2 } | suites.test.mjs:5",
            "throws |  | TypeError [Error]: no such thing | suites.test.mjs:6",
        ],
    );
    check(
        "junit_node.xml",
        &[
            "test /home/me/js/load.test.mjs | testCodeFailure | test failed | ",
            "test subs | testCodeFailure | Expected values to be strictly equal:1 !== 2 | file:///home/me/js/suites.test.mjs:3",
            "test deep | testCodeFailure | Expected values to be strictly deep-equal:+ actual - expected  {+   a: 1-   a: 2  } | file:///home/me/js/suites.test.mjs:5",
            "test throws | testCodeFailure | no such thing | file:///home/me/js/suites.test.mjs:6",
        ],
    );
}
