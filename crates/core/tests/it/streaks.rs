//! Errors that look alike while work gets somewhere, and those that are the same.

use fusebox_core::circuit::{Cause, State};
use fusebox_core::observation::{ErrorReport, TestCounts};
use fusebox_core::policy::Preset;
use fusebox_core::signals::Signal;
use fusebox_core::signature::output_id;
use fusebox_core::{Fact, Observation};

use crate::harness::{Loop, files};

const SHAPE: &str = "assertion `left == right` failed";

/// A number as a name that has none in it.
fn letters(mut number: u32) -> String {
    let mut name = String::new();
    loop {
        name.extend(char::from_u32(u32::from('a') + number % 26));
        number /= 26;
        if number == 0 {
            return name;
        }
    }
}

/// One test by this name fails, and so many pass.
fn one_fails(name: &str, passed: u32) -> Observation {
    let mut facts = tests(passed, 0..1);
    if let Fact::Measured(errors) = &mut facts.errors {
        errors[0].test = Some(name.into());
    }
    facts
}

/// Tests `failing` fail, all with the same words, and so many pass.
fn tests(passed: u32, failing: std::ops::Range<u32>) -> Observation {
    let errors = failing.clone().map(|n| ErrorReport {
        message: SHAPE.into(),
        test: Some(format!("tests::case_{}", letters(n))),
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

#[test]
fn a_test_that_is_renamed_beside_tests_that_are_added_is_stopped_all_the_same() {
    let renamed = (0..60).map(|n| one_fails(&format!("test_login[id-{n}]"), n + 3));
    assert_eq!(opens(Preset::Native, renamed), Some((15, BY_ERROR)));
    let by_letters = (0..60).map(|n| one_fails(&letters(n), n + 3));
    let drift = Cause::Signal(Signal::Drift);
    assert_eq!(opens(Preset::Native, by_letters), Some((18, drift)));
    // A repair now and then makes up for what was added.
    let repairing = (0..60).map(|n| Observation {
        errors: Fact::Measured(tests(0, n..n + 1).errors.seen().unwrap().clone()),
        ..tests(n, 0..60 - n / 6)
    });
    assert_eq!(opens(Preset::Native, repairing), None);
}

#[test]
fn an_error_that_stays_for_good_ends_a_run_however_much_is_repaired_beside_it() {
    let beside = |n: u32| {
        let mut facts = tests(n, n..500);
        if let Fact::Measured(errors) = &mut facts.errors {
            errors.truncate(3);
            errors.push(ErrorReport {
                message: "no session".into(),
                test: Some("login".into()),
                ..ErrorReport::default()
            });
        }
        facts
    };
    assert_eq!(opens(Preset::Native, (0..54).map(beside)), None);
    assert_eq!(
        opens(Preset::Native, (0..400).map(beside)),
        Some((55, BY_ERROR))
    );
    // Repairs of as many, each of them another one, go on as long as there are any.
    let others = (0..400).map(|n| tests(n, n..400));
    let others = others.map(|mut facts| {
        if let Fact::Measured(errors) = &mut facts.errors {
            errors.truncate(1);
        }
        facts
    });
    assert_eq!(opens(Preset::Native, others), None);
}

/// These tests fail, each with words of its own, of so many.
fn of_all(all: u32, failing: &[&str]) -> Observation {
    let failed = u32::try_from(failing.len()).expect("a few");
    let errors = failing.iter().map(|test| ErrorReport {
        message: format!("{test} is wrong"),
        test: Some((*test).into()),
        ..ErrorReport::default()
    });
    Observation {
        errors: Fact::Measured(errors.collect()),
        tests: Fact::Measured(TestCounts {
            passed: all - failed,
            failed,
            skipped: 0,
        }),
        ..files(1)
    }
}

/// The build fails with errors at these places.
fn broken_at(places: &[&str]) -> Observation {
    let errors = places.iter().map(|place| ErrorReport {
        message: format!("cannot find `{place}` in this scope"),
        file: Some(format!("src/{place}.rs")),
        ..ErrorReport::default()
    });
    Observation {
        errors: Fact::Measured(errors.collect()),
        build_errors: Fact::Measured(u32::try_from(places.len()).expect("a few")),
        ..files(1)
    }
}

#[test]
fn going_back_and_forth_between_failures_gains_nothing() {
    let in_turn = |states: Vec<Observation>| (0..60).map(move |n| states[n % states.len()].clone());
    let drift = Cause::Signal(Signal::Drift);
    let (alpha, others) = (of_all(10, &["alpha"]), of_all(10, &["beta", "gamma"]));
    let broken = Observation {
        tests: Fact::Unknown,
        ..broken_at(&["a", "b"])
    };
    let built = Observation {
        build_errors: Fact::Measured(0),
        ..alpha.clone()
    };
    for (name, states, expected) in [
        (
            "one test, two others",
            vec![alpha.clone(), others.clone()],
            8,
        ),
        ("two, one", vec![others.clone(), alpha.clone()], 10),
        (
            "one error of the build, two others",
            vec![broken_at(&["a"]), broken_at(&["b", "c"])],
            8,
        ),
        ("the build, then a test", vec![broken, built], 10),
        (
            "one test that stays, another that flaps, and all pass now and then",
            vec![
                alpha.clone(),
                of_all(10, &["alpha", "beta"]),
                alpha.clone(),
                of_all(10, &["alpha", "gamma"]),
                of_all(10, &[]),
            ],
            14,
        ),
        (
            "many broken, and repaired at once",
            vec![
                alpha,
                of_all(10, &["b", "c", "d", "e", "f", "g", "h"]),
                others,
                of_all(10, &["i", "k", "l", "m", "n", "o", "p"]),
            ],
            8,
        ),
    ] {
        assert_eq!(
            opens(Preset::Native, in_turn(states)),
            Some((expected, drift)),
            "{name}"
        );
    }
}

#[test]
fn work_that_breaks_and_repairs_is_not_stopped() {
    let names: Vec<String> = (0..60).map(letters).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let one_by_one = |all: u32, failing: u32| {
        let names = &names;
        (0..=failing)
            .rev()
            .map(move |left| of_all(all, &names[(failing - left) as usize..failing as usize]))
    };
    let rounds = |round: Vec<Observation>| (0..60).map(move |n| round[n % round.len()].clone());
    let test_first = (0..60).map(|n| match n % 2 {
        0 => of_all(11 + n / 2, &names[n as usize..][..1]),
        _ => of_all(11 + n / 2, &[]),
    });
    let known = |facts: Observation| match facts.tests.seen() {
        Some(tests) => Observation {
            tests: Fact::Measured(TestCounts {
                passed: tests.passed,
                failed: tests.failed + 1,
                skipped: 0,
            }),
            errors: Fact::Unknown,
            ..facts
        },
        None => facts,
    };
    let refactoring = || one_by_one(40, 20);
    let cases: [(&str, Vec<Observation>); 5] = [
        ("one test after the other", one_by_one(60, 60).collect()),
        (
            "a refactoring that breaks twenty, from green to green",
            rounds(refactoring().collect()).collect(),
        ),
        ("a test first, then what it asks for", test_first.collect()),
        (
            "a refactoring beside a test that is known to fail",
            [of_all(40, &[])]
                .into_iter()
                .chain(refactoring())
                .map(known)
                .collect(),
        ),
        (
            "errors of the build, one after the other",
            (0..60).map(|done| broken_at(&names[done..])).collect(),
        ),
    ];
    for (name, facts) in cases {
        assert_eq!(opens(Preset::Native, facts.into_iter()), None, "{name}");
    }
}
