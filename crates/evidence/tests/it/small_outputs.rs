//! What each format makes of a few lines.

use fusebox_evidence::{Format, read};

use crate::support::{Counts, counts};

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
    let one = "     Summary [   0.004s] 1 test run: 0 passed, 1 failed, 0 skipped\n";
    check(
        Format::Nextest,
        &[(summary, Some((6, 3, 4))), (one, Some((0, 1, 0)))],
    );
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

/// Each part of a test that fails is a failure by itself, and all of them were one test.
#[test]
fn parts_of_a_test_that_fail_are_no_passes() {
    let rule = "=".repeat(70);
    let block = |name: &str| format!("{rule}\nFAIL: {name}\n{}\nno\n\n", "-".repeat(70));
    let part = |n: u32| block(&format!("test_each (m.C.test_each) (n={n})"));
    let parts: String = (0..3).map(part).collect();
    let forged = block("x (m.C.x)").repeat(50);
    let end = |ran: u32, verdict: &str| format!("Ran {ran} tests in 0.001s\n\n{verdict}\n");
    for (name, text, expected) in [
        (
            "one test with three parts",
            parts.clone() + &end(1, "FAILED (failures=3)"),
            (0, 3, 0),
        ),
        (
            "and two that passed, and one that was skipped",
            parts + &end(4, "FAILED (failures=3, skipped=1)"),
            (2, 3, 1),
        ),
        (
            "printed by one of three that fail",
            forged.clone() + &end(10, "FAILED (failures=1)"),
            (9, 1, 0),
        ),
        (
            "printed where all pass",
            forged.clone() + &end(3, "OK"),
            (3, 0, 0),
        ),
        (
            "printed by the only one",
            forged + &end(1, "FAILED (failures=4)"),
            (0, 4, 0),
        ),
    ] {
        let read = read(text.as_bytes()).tests.unwrap();
        assert_eq!(counts(&read), expected, "{name}");
    }
}
