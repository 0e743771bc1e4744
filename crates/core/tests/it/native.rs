//! The default way of working.

use fusebox_core::circuit::{Cause, State};
use fusebox_core::decision::{Gate, Place, Risk};
use fusebox_core::observation::{
    Claims, Ended, Environment, FileChanges, Shift, TestCounts, WorkType,
};
use fusebox_core::policy::Preset;
use fusebox_core::signals::Signal;
use fusebox_core::{Fact, Observation, Policy};

use crate::harness::{Loop, claiming_done, failing, files, idle, reading, states, work};

use WorkType::{Implementation, Testing};

#[test]
fn req_004_015_three_idle_iterations_warn_and_then_open_with_evidence() {
    let mut it = Loop::new(Preset::Native);
    assert_eq!(it.iterate(work()).decision.risk, Risk::Low);
    assert_eq!(it.iterate(idle()).decision.risk, Risk::Medium);
    let warned = it.iterate(idle());
    assert_eq!(
        (warned.decision.state, warned.decision.risk),
        (State::Watching, Risk::High)
    );
    assert_eq!(warned.decision.gate, Gate::Allow);
    let tripped = it.iterate(idle()).decision;
    assert_eq!(tripped.state, State::Open);
    assert_eq!(tripped.reason, "No progress for 3 iterations");
    assert_eq!(tripped.rule.as_deref(), Some("004.15"));
    let opening = it.opening();
    let evidence: Vec<&Place> = opening.evidence.iter().map(|e| &e.place).collect();
    assert_eq!(
        evidence,
        [2, 3, 4].map(Place::Iteration).iter().collect::<Vec<_>>()
    );
    assert_eq!(opening.evidence[0].found, "no file changed");
}

#[test]
fn req_004_017_the_same_error_five_times_opens_although_files_change() {
    let mut it = Loop::new(Preset::Native);
    for line in 1..=4 {
        it.iterate(failing(&format!("src/a.rs:{line}: x is undefined")));
        assert_ne!(it.state(), State::Open);
    }
    let tripped = it.iterate(failing("src/a.rs:99: x is undefined")).decision;
    assert_eq!(tripped.state, State::Open);
    assert_eq!(tripped.reason, "Same error repeated 5 times");
    assert_eq!(it.opening().evidence.len(), 5);
}

#[test]
fn different_errors_with_real_changes_never_open() {
    let mut it = Loop::new(Preset::Native);
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        it.iterate(failing(&format!("cannot find {name}")));
        assert_eq!(it.state(), State::Closed);
    }
}

#[test]
fn req_000_017_claims_are_not_progress() {
    let mut it = Loop::new(Preset::Native);
    for _ in 0..3 {
        let mut facts = idle();
        facts.files = Fact::Claimed(FileChanges {
            count: 9,
            paths: vec![],
            ..FileChanges::default()
        });
        facts.tasks_completed = Fact::Claimed(4);
        facts.claimed.complete = Some(true);
        it.iterate(facts);
    }
    assert_eq!(it.state(), State::Open);
}

#[test]
fn outside_trouble_and_a_persons_ctrl_c_are_neither_progress_nor_the_lack_of_it() {
    let outage = Observation {
        environment: Some(Environment::Overload),
        ..work()
    };
    let ctrl_c = Observation {
        ended: Some(Ended::Interrupted),
        ..idle()
    };
    for excused in [outage, ctrl_c] {
        let mut it = Loop::new(Preset::Native);
        it.iterate(idle());
        it.iterate(idle());
        for _ in 0..9 {
            it.iterate(excused.clone());
            assert_eq!(it.state(), State::Watching);
            assert_eq!(
                it.circuit.rows.last().unwrap().score,
                None,
                "it is worth nothing, not less"
            );
        }
        it.iterate(idle());
        assert_eq!(it.state(), State::Open);
    }
}

#[test]
fn a_threshold_of_one_still_warns_first() {
    let mut it = Loop::new(Preset::Native);
    it.policy = Policy::native().with_stagnation_threshold(1).unwrap();
    assert_eq!(states(&it.iterate(idle())), [State::Watching, State::Open]);
}

#[test]
fn naming_phases_in_turn_hides_nothing_where_there_are_none() {
    use fusebox_core::observation::WorkPhase;
    let mut it = Loop::new(Preset::Native);
    for phase in [WorkPhase::Red, WorkPhase::Green, WorkPhase::Red] {
        it.iterate(Observation {
            phase: Some(phase),
            ..idle()
        });
    }
    assert_eq!(it.state(), State::Open);
}

#[test]
fn native_notices_what_no_document_speaks_of() {
    let tree = |name: &str| Observation {
        tree: Fact::Measured(name.into()),
        ..files(1)
    };
    let asks = || Observation {
        claimed: Claims {
            needs_person: Some(true),
            ..Claims::default()
        },
        ..files(1)
    };
    let edits = || Observation {
        tasks_completed: Fact::Measured(0),
        ..files(1)
    };
    let circles = || Observation {
        ended: Some(Ended::Circling),
        ..files(1)
    };
    let failing_tests = Fact::Measured(TestCounts {
        passed: 1,
        failed: 2,
        skipped: 0,
    });
    let claims = || Observation {
        tests: failing_tests,
        ..claiming_done()
    };
    for (signal, ticks) in [
        (
            Signal::Returns,
            vec![tree("a"), tree("b"), tree("a"), tree("b")],
        ),
        (Signal::NeedsPerson, vec![asks(), asks()]),
        (Signal::Drift, vec![edits(); 8]),
        (Signal::Circling, vec![circles(), circles()]),
        (Signal::Unproven, vec![claims(), claims(), claims()]),
    ] {
        let mut it = Loop::new(Preset::Native);
        let last = ticks.len() - 1;
        for (n, facts) in ticks.into_iter().enumerate() {
            it.record(facts);
            assert_eq!(
                it.state() == State::Open,
                n == last,
                "{signal:?} at {n}: {:?}",
                it.circuit.core.counters
            );
        }
        assert_eq!(it.opening().cause, Cause::Signal(signal));
        assert!(!it.opening().evidence.is_empty(), "{signal:?}");
    }
}

/// Iterations by the tree each begins and ends in, and how far the work moved meanwhile.
#[test]
fn work_that_comes_back_is_a_return_whatever_the_tree_says() {
    let moved = |from: &str, to: &str, by: u64| Observation {
        tree: Fact::Measured(to.into()),
        shift: Fact::Measured(Shift {
            from: from.into(),
            by,
        }),
        ..files(1)
    };
    let back = |by: u64| Shift::RANGE - by;
    for (name, ticks, returns) in [
        (
            "there and back, twice",
            vec![
                moved("t0", "t1", 5),
                moved("t1", "t2", 7),
                moved("t2", "t3", back(7)),
                moved("t3", "t4", 7),
            ],
            vec![None, None, Some(1), Some(2)],
        ),
        (
            "nothing moved but notes",
            vec![
                moved("t0", "t1", 5),
                moved("t1", "t2", 0),
                moved("t2", "t3", 0),
            ],
            vec![None; 3],
        ),
        (
            "a move in between that nobody measured",
            vec![
                moved("t0", "t1", 5),
                moved("t1", "t2", 7),
                moved("elsewhere", "t3", back(7)),
                moved("t3", "t4", 3),
            ],
            vec![None; 4],
        ),
        (
            "a tree without its move",
            vec![
                moved("t0", "t1", 5),
                moved("t1", "t2", 7),
                Observation {
                    tree: Fact::Measured("t3".into()),
                    ..files(1)
                },
                moved("t3", "t4", back(7)),
            ],
            vec![None; 4],
        ),
    ] {
        let mut it = Loop::new(Preset::Native);
        for facts in ticks {
            it.record(facts);
        }
        let rows = &it.circuit.rows;
        let seen: Vec<Option<u64>> = rows.iter().map(|row| row.returned_to).collect();
        assert_eq!(seen, returns, "{name}");
        assert!(
            rows.iter()
                .all(|row| row.sources_alone == row.returned_to.is_some())
        );
    }
}

/// The same error is one signal's business: drift does not count it again, so
/// that work with tests known to fail is stopped as late as work without.
#[test]
fn req_004_017_the_same_failing_test_while_files_change_trips_at_five_by_the_error_alone() {
    let red = |error: Option<&str>| Observation {
        tests: Fact::Measured(TestCounts {
            passed: 3,
            failed: 1,
            skipped: 0,
        }),
        ..error.map_or_else(|| files(2), failing)
    };
    for (error, ticks, by) in [
        (Some("x is undefined"), 5, Signal::RepeatedError),
        (None, 8, Signal::Drift),
    ] {
        let mut it = Loop::new(Preset::Native);
        for n in 1..=ticks {
            assert_ne!(it.state(), State::Open, "{by:?} before {n}");
            it.record(red(error));
        }
        assert_eq!(it.state(), State::Open, "{:?}", it.circuit.core.counters);
        assert_eq!(it.opening().cause, Cause::Signal(by));
    }
    // Errors that differ each time are no repetition, and gain nothing either.
    let mut it = Loop::new(Preset::Native);
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        assert_ne!(it.state(), State::Open, "before {name}");
        it.record(red(Some(&format!("'{name}' is undefined"))));
    }
    assert_eq!(it.opening().cause, Cause::Signal(Signal::Drift));
}

#[test]
fn a_productive_loop_of_a_plain_command_never_trips_native() {
    let mut it = Loop::new(Preset::Native);
    for n in 0..200 {
        let mut facts = files(1);
        facts.tree = Fact::Measured(format!("tree {n}"));
        facts.output_lines = Fact::Measured(100 + n);
        facts.errors = Fact::Measured(vec![]);
        it.record(facts);
        assert_eq!(
            it.state(),
            State::Closed,
            "{n}: {:?}",
            it.circuit.core.counters
        );
    }
}

#[test]
fn trouble_outside_is_counted_apart() {
    let mut it = Loop::new(Preset::Native);
    let outage = Observation {
        environment: Some(Environment::Limit),
        ..idle()
    };
    for (facts, expected) in [(&outage, 1), (&outage, 2), (&work(), 0), (&outage, 1)] {
        let decision = it.record(facts.clone()).decision;
        let value = reading(&decision, Signal::Environment).map(|reading| reading.value);
        assert_eq!(value, Some(expected));
    }
}

#[test]
fn req_d_037_a_share_near_its_bound_is_not_iterations_away_from_it() {
    let mut it = Loop::new(Preset::Native);
    for work_type in [Testing, Implementation, Implementation] {
        let facts = Observation {
            work_type: Some(work_type),
            ..work()
        };
        it.record(facts);
    }
    let decision = it.check().decision;
    let share = reading(&decision, Signal::TestsOnly).map(|reading| reading.value);
    assert_eq!((share, decision.risk), (Some(33), Risk::Medium));
}
