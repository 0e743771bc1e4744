//! Each format, as its tool really prints it.

use fusebox_evidence::{Failure, Format, KEPT, TestRun, read};

use crate::support::fixture;

/// Passed, failed and skipped.
type Counts = (u32, u32, u32);

fn counts(run: &TestRun) -> Counts {
    (run.passed, run.failed, run.skipped)
}

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
fn recorded_outputs_are_counted_exactly() {
    use Format::{
        Cargo, Go, GoJson, Jest, Junit, Mocha, Nextest, Phpunit, Playwright, Pytest, Rspec, Tap,
        Unittest, Vitest,
    };
    for (name, format, expected) in [
        ("cargo_failed.txt", Cargo, (3, 3, 1)),
        ("nextest_failed.txt", Nextest, (2, 3, 1)),
        ("pytest_failed.txt", Pytest, (1, 3, 2)),
        ("pytest_quiet_colour.txt", Pytest, (1, 3, 2)),
        ("pytest_collection_error.txt", Pytest, (0, 1, 0)),
        ("jest_failed.txt", Jest, (1, 2, 2)),
        ("vitest_failed.txt", Vitest, (1, 2, 2)),
        ("go_failed.txt", Go, (1, 1, 0)),
        ("go_verbose.txt", Go, (2, 1, 1)),
        ("go_build_error.txt", Go, (0, 2, 0)),
        ("go_json.txt", GoJson, (2, 1, 1)),
        ("junit_pytest.xml", Junit, (1, 3, 2)),
        ("junit_vitest.xml", Junit, (1, 2, 2)),
        ("node_tap.txt", Tap, (1, 1, 2)),
        ("vitest_tap.txt", Tap, (1, 2, 2)),
        ("unittest_failed.txt", Unittest, (2, 5, 2)),
        ("unittest_import_error.txt", Unittest, (0, 1, 0)),
        // These four are written after their tools' own code and documents, not recorded.
        ("mocha_failed.txt", Mocha, (2, 3, 1)),
        ("playwright_failed.txt", Playwright, (3, 2, 2)),
        ("phpunit_failed.txt", Phpunit, (3, 3, 2)),
        ("rspec_failed.txt", Rspec, (2, 3, 1)),
    ] {
        let reading = read(&fixture(name));
        assert_eq!(reading.formats, [format], "{name}");
        assert_eq!(counts(&reading.tests.unwrap()), expected, "{name}");
    }
}

#[test]
fn failures_of_more_runners_have_names_reasons_and_places() {
    let equal = "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:";
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
                ("add far numbers wraps", "", equal, 12),
                (
                    "sub \"before each\" hook for \"subtracts\"",
                    "TypeError",
                    "Cannot read properties of undefined (reading 'open')",
                    19,
                ),
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
            .map(|(name, kind, message, line)| failure(name, kind, message, file, line))
            .collect();
        assert_eq!(read(&fixture(name)).tests.unwrap().failures, expected);
    }
    let browser = |file: &str, title: &str| format!("[chromium] › {file} › {title}");
    let tiny = browser("tiny.spec.ts", "wraps");
    let waits = browser("far/more.spec.ts", "far › waits");
    let flaky = browser("far/more.spec.ts", "far › is flaky");
    let refused = "page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/";
    let (home, php) = ("/home/me/js", "/home/me/php/tests/AddTest.php");
    for (name, expected) in [
        (
            "playwright_failed.txt",
            vec![
                failure(
                    &tiny,
                    "",
                    "expect(received).toBe(expected) // Object.is equality",
                    &format!("{home}/tiny.spec.ts"),
                    8,
                ),
                failure(
                    &waits,
                    "",
                    "Test timeout of 30000ms exceeded.",
                    "far/more.spec.ts",
                    5,
                ),
                failure(&flaky, "", refused, &format!("{home}/far/more.spec.ts"), 14),
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
                    19,
                ),
                failure(
                    r"Tiny\Tests\AddTest::testEach with data set #1 (5, 6)",
                    "",
                    "one and two",
                    php,
                    25,
                ),
            ],
        ),
        (
            "rspec_failed.txt",
            vec![
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
                failure(
                    "Tiny includes it",
                    "",
                    "expected [3] to include 4",
                    "./spec/tiny_spec.rb",
                    18,
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

fn check(format: Format, rows: &[(&str, Option<Counts>)]) {
    for (output, expected) in rows {
        let run = format.parse(output.as_bytes());
        assert_eq!(run.as_ref().map(counts), *expected, "{format:?} {output}");
    }
}

#[test]
fn small_outputs_of_rust() {
    let crash = "test result: ok. 1 passed; 0 failed; 0 ignored\n\nCaused by:\n  process didn't \
                 exit successfully: `/t/a-1` (signal: 11, SIGSEGV: invalid memory reference)\n";
    check(
        Format::Cargo,
        &[
            (
                "test result: ok. 5 passed; 0 failed; 2 ignored\n",
                Some((5, 0, 2)),
            ),
            ("I think the test result: ok. 5 passed\n", None),
            ("running 5 tests\n", None),
            (crash, Some((1, 1, 0))),
        ],
    );
    let summary = "  Summary [ 1s] 9 tests run: 6 passed (1 slow, 1 flaky), 1 failed, 1 timed \
                   out, 1 exec failed, 4 skipped\n";
    check(Format::Nextest, &[(summary, Some((6, 3, 4)))]);
}

#[test]
fn small_outputs_of_scripts() {
    check(
        Format::Pytest,
        &[
            ("===== no tests ran in 0.01s =====\n", Some((0, 0, 0))),
            ("1 passed, 1 warning in 62.10s (0:01:02)\n", Some((1, 0, 0))),
            ("3 passed the exam in 1999\n", None),
        ],
    );
    check(
        Format::Jest,
        &[
            ("Tests:       4 passed, 4 total\n", Some((4, 0, 0))),
            ("Tests: we have 4 passed\n", None),
        ],
    );
    let vitest = " Test Files  1 passed (1)\n      Tests  4 passed (4)\n";
    check(Format::Vitest, &[(vitest, Some((4, 0, 0)))]);
    check(
        Format::Go,
        &[
            (
                "ok  \tpkg\t(cached)\n?   \tother\t[no test files]\n",
                Some((1, 0, 0)),
            ),
            ("ok  \tpkg\t0.1s [no tests to run]\n", Some((0, 0, 0))),
            (
                "panic: out of luck\nFAIL\tpkg\t0.1s\nFAIL\n",
                Some((0, 1, 0)),
            ),
            ("--- PASS: TestCut (0.00s)\n", Some((1, 0, 0))),
            ("FAIL\n", None),
        ],
    );
}

#[test]
fn small_reports() {
    let parts = "1..1\n    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - both\n";
    check(
        Format::Tap,
        &[
            ("1..2\nok 1\nok 2 - b\n", Some((2, 0, 0))),
            ("1..3\nok 1\n", Some((1, 2, 0))),
            ("1..2\nok 1\n---\nok 2\n", Some((2, 0, 0))),
            (
                "1..2\nok 1\n  ---\n  not ok\n  ...\nok 2\n",
                Some((2, 0, 0)),
            ),
            ("1..0 # SKIP no database\n", Some((0, 0, 0))),
            (
                "TAP version 13\nok 1\nBail out! disk full\n",
                Some((1, 1, 0)),
            ),
            (parts, Some((1, 1, 0))),
            ("ok 1 - but no plan\n", None),
            ("okay, here it comes\n1..\n", None),
        ],
    );
    let two = "noise <testsuite><testcase name='a'/></testsuite> noise \
               <testsuite><testcase name='b'><skipped/></testcase></testsuite>";
    check(
        Format::Junit,
        &[
            (two, Some((1, 0, 1))),
            ("<testsuites><testsuite><testcase name='a'/>", None),
            ("<testsuite/>", Some((0, 0, 0))),
            ("<html></html>", None),
        ],
    );
}

#[test]
fn runners_in_one_output_are_added_and_nested_summaries_are_not() {
    let several = [fixture("cargo_failed.txt"), fixture("pytest_failed.txt")].concat();
    let reading = read(&several);
    assert_eq!(reading.formats, [Format::Cargo, Format::Pytest]);
    assert_eq!(counts(&reading.tests.unwrap()), (4, 6, 3));

    let quoted = "<testsuite><testcase name='a'><failure>\ntest result: ok. 9 passed; 0 failed\n\
                  </failure></testcase></testsuite>";
    let reading = read(quoted.as_bytes());
    assert_eq!(counts(&reading.tests.unwrap()), (0, 1, 0));
}

#[test]
fn counts_are_exact_where_failures_are_cut() {
    let mut output = String::from("\nfailures:\n");
    for n in 0..100 {
        output += &format!("\n---- t{n} stdout ----\nthread 't{n}' panicked at a.rs:{n}:1:\nno\n");
    }
    output += "\ntest result: FAILED. 7 passed; 100 failed; 0 ignored\n";
    let run = read(output.as_bytes()).tests.unwrap();
    assert_eq!(counts(&run), (7, 100, 0));
    assert_eq!(run.failures.len(), KEPT);
}

#[test]
fn a_known_runner_whose_command_failed_has_a_failed_test() {
    let boast = b"test result: ok. 1000 passed; 0 failed; 0 ignored\n";
    for (output, succeeded, expected) in [
        (&boast[..], true, Some((1000, 0, 0))),
        (boast, false, Some((1000, 1, 0))),
        (b"Segmentation fault\n", false, None),
        (b"all good, trust me\n", true, None),
        (
            b"test result: FAILED. 1 passed; 2 failed\n",
            false,
            Some((1, 2, 0)),
        ),
        (
            b"test result: FAILED. 1 passed; 2 failed\n",
            true,
            Some((1, 2, 0)),
        ),
    ] {
        let tests = read(output).as_tests(succeeded).tests;
        assert_eq!(
            tests.as_ref().map(counts),
            expected,
            "{}",
            output.escape_ascii()
        );
    }
}

/// A line like those that a runner prints is not yet its report.
#[test]
fn what_only_looks_like_a_summary_is_claimed_by_no_format() {
    for text in [
        "7 passing (8ms)",
        "  7 passing (soon)",
        "  7 passing",
        "Ran 3 tests in 0.001s",
        "Ran 3 tests in 0.001s\n1\n2\n3\n4\nOK",
        "OK",
        "FAILED (failures=1)",
        "Tests: 11, Assertions: 11, Failures: 7.",
        "FAILURES!\n1\n2\n3\n4\nTests: 11, Assertions: 11, Failures: 7.",
        "OK (fine)",
        "11 examples, 7 failures",
        "Finished in 3 seconds",
        "Running 6 tests using 2 workers",
        "  1 failed\n  4 passed (7.6s)",
        "Running 6 tests using force\n  4 passed (7.6s)",
    ] {
        let reading = read(text.as_bytes());
        assert_eq!((reading.formats, reading.tests), (vec![], None), "{text}");
    }
}

#[test]
fn runs_without_a_failure_and_several_in_one_output_are_added_up() {
    for (text, expected) in [
        ("\n  7 passing (8ms)\n\n", (7, 0, 0)),
        ("  7 passing (1m)\n  2 pending\n", (7, 0, 2)),
        (
            "  1 passing (8ms)\n\n  2 passing (1s)\n  1 failing\n",
            (3, 1, 0),
        ),
        ("Ran 3 tests in 0.001s\n\nOK\n", (3, 0, 0)),
        ("Ran 3 tests in 0.001s\n\nOK (skipped=1)\n", (2, 0, 1)),
        ("Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", (0, 0, 0)),
        (
            "Ran 1 test in 0.001s\n\nFAILED (unexpected successes=1)\n",
            (0, 1, 0),
        ),
        (
            "Ran 3 tests in 0.1s\n\nOK\nRan 2 tests in 0.1s\n\nFAILED (errors=2)\n",
            (3, 2, 0),
        ),
        ("OK (6 tests, 9 assertions)\n", (6, 0, 0)),
        ("OK (1 test, 1 assertion)\n", (1, 0, 0)),
        (
            "OK, but some tests were skipped!\nTests: 6, Assertions: 5, Skipped: 1.\n",
            (5, 0, 1),
        ),
        (
            "Finished in 0.2 seconds (files took 1 second to load)\n3 examples, 0 failures\n",
            (3, 0, 0),
        ),
        (
            "Finished in 0.2 seconds\n0 examples, 0 failures, 1 error occurred outside of examples\n",
            (0, 1, 0),
        ),
        (
            "Running 1 test using 1 worker\n\n  1 passed (2.1s)\n",
            (1, 0, 0),
        ),
        (
            "Running 2 tests using 1 worker\n  2 interrupted\n  1 error was not a part of any test, see above for details\n",
            (0, 3, 0),
        ),
        // What a test prints comes before what its runner does, and cannot be more than were run.
        (
            "Running 2 tests using 1 worker\n  90 passed (1s)\n  2 failed\n",
            (0, 2, 0),
        ),
        (
            "Running 9 tests using 1 worker\n  8 passed (1s)\n  5 failed\n  4 passed (1s)\n",
            (4, 5, 0),
        ),
    ] {
        assert_eq!(
            counts(&read(text.as_bytes()).tests.unwrap()),
            expected,
            "{text}"
        );
    }
}

/// Whatever a test prints, its runner sees that one failed, and says so by how it ends.
#[test]
fn no_printed_summary_makes_a_pass_of_a_command_that_failed() {
    use fusebox_evidence::Evidence;
    for fake in [
        "  99 passing (8ms)\n",
        "Ran 99 tests in 0.001s\n\nOK\n",
        "OK (99 tests, 99 assertions)\n",
        "Finished in 0.2 seconds\n99 examples, 0 failures\n",
        "Running 99 tests using 1 worker\n  99 passed (2s)\n",
    ] {
        let mut evidence = Evidence::default();
        evidence.add_tests(fake.as_bytes(), false);
        assert_eq!(evidence.tests.map(|tests| tests.failed), Some(1), "{fake}");
    }
}
