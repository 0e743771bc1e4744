//! Errors that look alike while work gets somewhere, and those that are the same.

use fusebox_core::circuit::{Cause, State};
use fusebox_core::observation::{ErrorReport, TestCounts};
use fusebox_core::policy::Preset;
use fusebox_core::signals::Signal;
use fusebox_core::signature::output_id;
use fusebox_core::{Fact, Observation};

use crate::harness::{Loop, files};

const SHAPE: &str = "assertion `left == right` failed";

/// Tests `failing` fail, all with the same words, and so many pass.
fn tests(passed: u32, failing: std::ops::Range<u32>) -> Observation {
    let errors = failing.clone().map(|n| ErrorReport {
        message: SHAPE.into(),
        test: Some(format!("tests::case_{n}")),
        file: Some("src/lib.rs".into()),
        line: Some(n),
        ..ErrorReport::default()
    });
    Observation {
        errors: Fact::Measured(errors.collect()),
        tests: Fact::Measured(TestCounts {
            passed,
            failed: failing.end - failing.start,
            skipped: 0,
        }),
        ..files(1)
    }
}

/// The build fails with so many errors, all alike and in one file.
fn build(errors: u32) -> Observation {
    let error = ErrorReport {
        kind: Some("E0308".into()),
        message: "mismatched types".into(),
        file: Some("src/lib.rs".into()),
        ..ErrorReport::default()
    };
    Observation {
        errors: Fact::Measured(vec![error; errors as usize]),
        build_errors: Fact::Measured(errors),
        ..files(1)
    }
}

/// Records until the breaker opens: after how many iterations, and why.
fn opens(preset: Preset, facts: impl Iterator<Item = Observation>) -> Option<(usize, Cause)> {
    let mut it = Loop::new(preset);
    for (n, facts) in (1..).zip(facts) {
        it.record(facts);
        if it.state() == State::Open {
            return Some((n, it.opening().cause));
        }
    }
    None
}

const BY_ERROR: Cause = Cause::Signal(Signal::RepeatedError);

#[test]
fn work_that_repairs_one_failure_after_the_other_is_not_stopped_for_failures_that_are_left() {
    let from_the_front = || (0..12).map(|n| tests(n, n..12));
    let from_the_back = || (0..12).map(|n| tests(n, 0..12 - n));
    let errors = || (0..12).map(|n| build(12 - n));
    assert_eq!(opens(Preset::Native, from_the_front()), None);
    assert_eq!(opens(Preset::Native, from_the_back()), None);
    assert_eq!(opens(Preset::Native, errors()), None);
}

#[test]
fn req_004_017_to_018_superkit_compares_messages_and_knows_of_nothing_that_ends_a_streak() {
    let repairs = (0..12).map(|n| Observation {
        tasks_completed: Fact::Measured(1),
        ..tests(n, n..12)
    });
    assert_eq!(opens(Preset::Superkit, repairs), Some((5, BY_ERROR)));
}

#[test]
fn req_004_017_the_same_test_with_the_same_words_and_nothing_gained_trips_at_five() {
    let stuck = || (0..12).map(|_| tests(3, 4..5));
    assert_eq!(opens(Preset::Native, stuck()), Some((5, BY_ERROR)));
    let stuck_build = (0..12).map(|_| build(3));
    assert_eq!(opens(Preset::Native, stuck_build), Some((5, BY_ERROR)));
    // Another failure beside it hides nothing, and neither does one that comes and goes.
    let beside = (0..12).map(|n| tests(3, 4 - n % 2..5));
    assert_eq!(opens(Preset::Native, beside), Some((5, BY_ERROR)));
    // The last repair is the first of the five.
    let after_repairs = (0..3).map(|n| tests(n, n..5)).chain(stuck());
    assert_eq!(opens(Preset::Native, after_repairs), Some((8, BY_ERROR)));
}

#[test]
fn failures_that_only_move_on_are_no_repetition_and_no_gain() {
    let moving = (0..12).map(|n| tests(3, n..n + 1));
    let drift = Cause::Signal(Signal::Drift);
    assert_eq!(opens(Preset::Native, moving), Some((8, drift)));
}

#[test]
fn tests_added_beside_a_failing_one_put_the_stop_off_to_the_fifteenth_iteration() {
    let growing = (0..40).map(|n| tests(3 * n, 900..901));
    assert_eq!(opens(Preset::Native, growing), Some((15, BY_ERROR)));
}

/// A runner that nobody knows fails, and says this and prints that.
fn unknown(message: &str, printed: &str) -> Observation {
    let error = ErrorReport {
        message: message.into(),
        output: Some(output_id(printed)),
        ..ErrorReport::default()
    };
    Observation {
        errors: Fact::Measured(vec![error]),
        checks_failed: Fact::Measured(1),
        ..files(1)
    }
}

#[test]
fn an_unknown_runner_that_fails_for_ever_is_stopped_whatever_it_prints() {
    let login = |n: u32| format!("login: no session (request {n})");
    let counted = (0..60).map(|n| unknown(&login(n), &login(n)));
    assert_eq!(opens(Preset::Native, counted), Some((15, BY_ERROR)));
    let to_and_fro = (0..60).map(|n| unknown("no session", &login(n % 2)));
    assert_eq!(opens(Preset::Native, to_and_fro), Some((15, BY_ERROR)));
    let same = (0..60).map(|n| unknown(&login(n), "no session"));
    assert_eq!(opens(Preset::Native, same), Some((5, BY_ERROR)));
    // As many failures as ten can be repaired, though nobody sees that they are.
    let repairs = (0..10).map(|n| unknown("not ok: login", &login(n)));
    assert_eq!(opens(Preset::Native, repairs), None);
    // And whatever it says, what is edited for ever gains something or drifts.
    let names = ('a'..='z').map(|it| unknown(&format!("no {it}"), &format!("no {it}")));
    let drift = Cause::Signal(Signal::Drift);
    assert_eq!(opens(Preset::Native, names), Some((18, drift)));
    let silent = (0..60).map(|_| Observation {
        checks_failed: Fact::Measured(1),
        ..files(1)
    });
    assert_eq!(opens(Preset::Native, silent), Some((8, drift)));
}

#[test]
fn an_error_that_only_its_message_tells_is_shown_with_the_iterations_that_had_it() {
    let mut it = Loop::new(Preset::Native);
    for n in 0..15 {
        it.record(unknown("no session", &format!("request {n}")));
    }
    let evidence = &it.opening().evidence;
    assert_eq!(evidence.len(), 5, "{evidence:?}");
    assert!(evidence.iter().all(|it| it.found.contains("no session")));
}
