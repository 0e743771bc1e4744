//! Each format, as its tool really prints it: what is known of each failure.

use fusebox_evidence::{Failure, read};

use crate::support::fixture;

fn failure(name: &str, kind: &str, message: &str, file: &str, line: u32) -> Failure {
    Failure {
        name: name.to_owned(),
        kind: Some(kind.to_owned()).filter(|kind| !kind.is_empty()),
        message: message.to_owned(),
        file: Some(file.to_owned()).filter(|file| !file.is_empty()),
        line: Some(line).filter(|line| *line > 0),
    }
}

#[test]
fn failures_of_more_runners_have_names_reasons_and_places() {
    let equal = "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:";
    let late = "Timeout of 30ms exceeded. For async tests and hooks, ensure \"done()\" is called; if \
                returning a Promise, ensure it resolves. (/home/me/js/test/tiny.test.js)";
    let script = "test/tiny.test.js";
    for (name, expected) in [
        (
            "unittest_failed.txt",
            vec![
                (
                    "test_raises (test_tiny.Add.test_raises)",
                    "RuntimeError",
                    "no such thing",
                    21,
                ),
                (
                    "test_each (test_tiny.Add.test_each) (n=5)",
                    "AssertionError",
                    "4 != 6",
                    26,
                ),
                (
                    "test_each (test_tiny.Add.test_each) (n=6)",
                    "AssertionError",
                    "5 != 7",
                    26,
                ),
                (
                    "test_lists (test_tiny.Add.test_lists)",
                    "AssertionError",
                    "Lists differ: [3] != [4]",
                    15,
                ),
                (
                    "test_wraps (test_tiny.Add.test_wraps)",
                    "AssertionError",
                    "3 != 4",
                    12,
                ),
            ],
        ),
        (
            "mocha_failed.txt",
            vec![
                ("add wraps", "", equal, 7),
                (
                    "add far numbers wraps",
                    "",
                    "AssertionError [ERR_ASSERTION]: one and two",
                    12,
                ),
                (
                    "sub \"before each\" hook for \"subtracts\"",
                    "TypeError",
                    "Cannot read properties of undefined (reading 'open')",
                    16,
                ),
                ("late never ends", "Error", late, 0),
            ],
        ),
    ] {
        let file = if name.starts_with('m') {
            script
        } else {
            "test_tiny.py"
        };
        let expected: Vec<Failure> = expected
            .into_iter()
            .map(|(name, kind, message, line)| {
                let file = if line > 0 { file } else { "" };
                failure(name, kind, message, file, line)
            })
            .collect();
        assert_eq!(read(&fixture(name)).tests.unwrap().failures, expected);
    }
    let browser = |file: &str, title: &str| format!("[chromium] › {file} › {title}");
    let tiny = browser("tiny.spec.ts", "wraps");
    let waits = browser("far/more.spec.ts", "far › waits");
    let flaky = browser("far/more.spec.ts", "far › is flaky");
    let (home, php) = ("/home/me/js", "/home/me/php/tests/AddTest.php");
    for (name, expected) in [
        (
            "playwright_failed.txt",
            vec![
                failure(
                    &waits,
                    "",
                    "Test timeout of 500ms exceeded.",
                    "far/more.spec.ts",
                    3,
                ),
                failure(
                    &tiny,
                    "",
                    "expect(received).toBe(expected) // Object.is equality",
                    &format!("{home}/tiny.spec.ts"),
                    7,
                ),
                failure(
                    &flaky,
                    "",
                    "connection refused",
                    &format!("{home}/far/more.spec.ts"),
                    5,
                ),
            ],
        ),
        (
            "phpunit_failed.txt",
            vec![
                failure(
                    r"Tiny\Tests\AddTest::testRaises",
                    "RuntimeException",
                    "no such thing",
                    php,
                    31,
                ),
                failure(
                    r"Tiny\Tests\AddTest::testWraps",
                    "",
                    "Failed asserting that 3 is identical to 4.",
                    php,
                    15,
                ),
                failure(
                    r"Tiny\Tests\AddTest::testEach with data set #1 (5, 6)",
                    "",
                    "one and two",
                    php,
                    21,
                ),
            ],
        ),
        (
            "rspec_failed.txt",
            vec![
                failure(
                    "Tiny includes it",
                    "",
                    "expected [3] to include 4",
                    "./spec/tiny_spec.rb",
                    19,
                ),
                failure("Tiny ends", "", "one and two", "./spec/tiny_spec.rb", 28),
                failure(
                    "Tiny adds wraps",
                    "",
                    "expected: 4, got: 3",
                    "./spec/tiny_spec.rb",
                    10,
                ),
                failure(
                    "Tiny adds raises",
                    "ArgumentError",
                    "no such thing",
                    "./spec/tiny_spec.rb",
                    14,
                ),
            ],
        ),
    ] {
        assert_eq!(read(&fixture(name)).tests.unwrap().failures, expected);
    }
}

#[test]
fn failures_have_names_reasons_and_places() {
    let wraps = "assertion `left == right` failed: one and two";
    let module = "Cannot find module './nothing-like-it'";
    for (name, expected) in [
        (
            "cargo_failed.txt",
            vec![
                failure(
                    "tests::fails_with_error",
                    "",
                    "Error: \"no such thing\"",
                    "",
                    0,
                ),
                failure("tests::wraps", "", wraps, "src/lib.rs", 13),
                failure(
                    "never_panics",
                    "",
                    "note: test did not panic as expected at tests/outside.rs:5:4",
                    "",
                    0,
                ),
            ],
        ),
        (
            "nextest_failed.txt",
            vec![
                failure("tiny tests::fails_with_error", "", "", "", 0),
                failure("tiny tests::wraps", "", wraps, "src/lib.rs", 13),
                failure("tiny::outside never_panics", "", "", "", 0),
            ],
        ),
        (
            "pytest_failed.txt",
            vec![
                failure(
                    "test_tiny.py::test_wraps",
                    "AssertionError",
                    "assert 3 == 4",
                    "test_tiny.py",
                    10,
                ),
                failure(
                    "test_tiny.py::TestGroup::test_raises",
                    "ValueError",
                    "no such thing",
                    "test_tiny.py",
                    22,
                ),
                failure(
                    "test_tiny.py::TestGroup::test_setup",
                    "RuntimeError",
                    "fixture broke",
                    "test_tiny.py",
                    26,
                ),
            ],
        ),
        (
            "pytest_collection_error.txt",
            vec![failure(
                "test_import.py",
                "ModuleNotFoundError",
                "No module named 'nothing_like_it'",
                "test_import.py",
                1,
            )],
        ),
        (
            "jest_failed.txt",
            vec![
                failure(
                    "add › wraps",
                    "",
                    "expect(received).toBe(expected) // Object.is equality",
                    "tiny.test.js",
                    4,
                ),
                failure(
                    "Test suite failed to run",
                    "",
                    &format!("{module} from 'broken.test.js'"),
                    "broken.test.js",
                    1,
                ),
            ],
        ),
        (
            "vitest_failed.txt",
            vec![
                failure(
                    "vitest/broken.test.js",
                    "Error",
                    &format!("{module} imported from /home/me/js/vitest/broken.test.js"),
                    "vitest/broken.test.js",
                    1,
                ),
                failure(
                    "vitest/tiny.test.js > add > wraps",
                    "AssertionError",
                    "expected 3 to be 4 // Object.is equality",
                    "vitest/tiny.test.js",
                    5,
                ),
            ],
        ),
        (
            "go_verbose.txt",
            vec![failure(
                "TestWraps/inner",
                "",
                "got 3, want 4",
                "tiny_test.go",
                13,
            )],
        ),
        (
            "go_json.txt",
            vec![failure(
                "TestWraps/inner",
                "",
                "got 3, want 4",
                "tiny_test.go",
                13,
            )],
        ),
        (
            "junit_pytest.xml",
            vec![
                failure(
                    "test_tiny test_wraps",
                    "",
                    "assert 3 == 4",
                    "test_tiny.py",
                    10,
                ),
                failure(
                    "test_tiny.TestGroup test_raises",
                    "ValueError",
                    "no such thing",
                    "test_tiny.py",
                    22,
                ),
                failure(
                    "test_tiny.TestGroup test_setup",
                    "",
                    "failed on setup with \"RuntimeError: fixture broke\"",
                    "test_tiny.py",
                    26,
                ),
            ],
        ),
        (
            "node_tap.txt",
            vec![failure(
                "wraps",
                "AssertionError",
                "3 == 4",
                "/home/me/js/nt/a.test.mjs",
                3,
            )],
        ),
    ] {
        assert_eq!(
            read(&fixture(name)).tests.unwrap().failures,
            expected,
            "{name}"
        );
    }
}
