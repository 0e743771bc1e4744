//! Outputs that no tool ever printed.

use fusebox_evidence::{KEPT, read};
use proptest::prelude::*;

use crate::support::fixture;

const FIXTURES: [&str; 20] = [
    "cargo_failed.txt",
    "nextest_failed.txt",
    "pytest_failed.txt",
    "jest_failed.txt",
    "vitest_failed.txt",
    "go_verbose.txt",
    "go_json.txt",
    "junit_pytest.xml",
    "node_tap.txt",
    "vitest_tap.txt",
    "mocha_failed.txt",
    "playwright_failed.txt",
    "unittest_failed.txt",
    "phpunit_failed.txt",
    "rspec_failed.txt",
    "pytest_cut.txt",
    "go_testify.txt",
    "jest_colour.txt",
    "node_tap_suites.txt",
    "node_spec.txt",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_are_read(output in proptest::collection::vec(any::<u8>(), 0..500)) {
        read(&output);
    }

    /// Real outputs with bytes changed and lines lost: read or not, but never with a panic.
    #[test]
    fn damaged_outputs_are_read(
        which in 0..FIXTURES.len(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut output = fixture(FIXTURES[which]);
        for (at, byte) in edits {
            let at = at.index(output.len());
            output[at] = byte;
        }
        output.truncate(cut.index(output.len()));
        let reading = read(&output);
        let kept = reading.tests.map_or(0, |run| run.failures.len());
        prop_assert!(kept <= KEPT && reading.problems.kept.len() <= KEPT);
    }
}

/// Chatter between the lines does not change the counts.
#[test]
fn interleaved_garbage_is_passed_over() {
    for name in FIXTURES {
        if name.ends_with(".xml") {
            continue;
        }
        let clean = fixture(name);
        let noisy: Vec<u8> = clean
            .split_inclusive(|byte| *byte == b'\n')
            .flat_map(|line| [b"\x1b[2Kdownloading \xff\xfe 42%\r\n".as_slice(), line].concat())
            .collect();
        let (clean, noisy) = (read(&clean).tests.unwrap(), read(&noisy).tests.unwrap());
        assert_eq!(
            (noisy.passed, noisy.failed, noisy.skipped),
            (clean.passed, clean.failed, clean.skipped),
            "{name}"
        );
    }
}

/// Reading takes time in proportion to the output, also where names repeat. With a search
/// among all tests for each of them, this would take minutes.
#[test]
fn many_tests_of_one_name_are_read_at_once() {
    let output = "--- FAIL: Test (0.00s)\n".repeat(20_000);
    let begun = std::time::Instant::now();
    let run = read(output.as_bytes()).tests.unwrap();
    assert_eq!((run.failed, run.failures.len()), (20_000, KEPT));
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
}
