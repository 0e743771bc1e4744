//! Each format, as its tool really prints it: what is counted.

use fusebox_evidence::{Format, KEPT, read};

use crate::support::{counts, fixture};

#[test]
fn recorded_outputs_are_counted_exactly() {
    use Format::{
        Cargo, Go, GoJson, Jest, Junit, Mocha, Nextest, Node, Phpunit, Playwright, Pytest, Rspec,
        Tap, Unittest, Vitest,
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
        ("mocha_failed.txt", Mocha, (2, 4, 1)),
        ("playwright_failed.txt", Playwright, (3, 2, 2)),
        ("phpunit_failed.txt", Phpunit, (3, 3, 2)),
        ("rspec_failed.txt", Rspec, (1, 4, 1)),
        ("pytest_cut.txt", Pytest, (0, 4, 0)),
        ("go_testify.txt", Go, (0, 6, 0)),
        ("go_testify_json.txt", GoJson, (1, 6, 0)),
        ("jest_colour.txt", Jest, (1, 3, 2)),
        ("node_tap_suites.txt", Tap, (7, 4, 2)),
        ("node_spec.txt", Node, (7, 4, 2)),
        ("junit_node.xml", Junit, (7, 4, 2)),
        ("unittest_setup.txt", Unittest, (1, 2, 0)),
    ] {
        let reading = read(&fixture(name));
        assert_eq!(reading.formats, [format], "{name}");
        assert_eq!(counts(&reading.tests.unwrap()), expected, "{name}");
    }
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
