//! Phases, each with thresholds and measures of its own.

use fusebox_core::circuit::State;
use fusebox_core::decision::{Gate, Risk};
use fusebox_core::observation::{PhaseMetrics, TestCounts, WorkPhase};
use fusebox_core::policy::Preset;
use fusebox_core::signals::Signal;
use fusebox_core::{Circuit, Fact, Observation};

use crate::harness::{Loop, MINUTE, action, failing_as, reading, states, wrote_tests};

#[test]
fn req_001_012_and_015_and_022_and_024_and_d_058_prp_warns_at_two_opens_at_its_phase_and_closes_on_progress()
 {
    let mut it = Loop::new(Preset::Prp);
    it.record(action(WorkPhase::Refactor, 3, 7));
    assert_eq!(it.state(), State::Closed);
    assert_eq!(
        states(&it.record(action(WorkPhase::Refactor, 3, 7))),
        [State::Watching]
    );
    for _ in 0..2 {
        it.record(action(WorkPhase::Refactor, 3, 7));
        assert_eq!(it.state(), State::Watching);
    }
    assert_eq!(
        states(&it.record(action(WorkPhase::Refactor, 3, 7))),
        [State::Open]
    );
    assert_eq!(it.opening().reason.as_str(), "No progress for 5 iterations");

    let mut it = Loop::new(Preset::Prp);
    it.record(action(WorkPhase::Red, 0, 0));
    it.record(action(WorkPhase::Red, 0, 0));
    let mut better = action(WorkPhase::Red, 0, 0);
    better.metrics.tests_generated = Some(1);
    assert_eq!(states(&it.record(better)), [State::Closed]);
    assert_eq!(it.circuit.core.counters.no_progress, 0);
}

#[test]
fn req_001_041_and_d_006_green_opens_through_half_open_in_one_evaluation() {
    let mut it = Loop::new(Preset::Prp);
    it.record(action(WorkPhase::Green, 3, 7));
    it.record(action(WorkPhase::Green, 3, 7));
    assert_eq!(
        states(&it.record(action(WorkPhase::Green, 3, 7))),
        [State::Watching, State::Open]
    );
}

#[test]
fn req_001_042_and_056_to_058_the_same_exact_error_opens_from_closed() {
    let mut it = Loop::new(Preset::Prp);
    let boom = |passing, message: &str| Observation {
        errors: failing_as("E", message).errors,
        ..action(WorkPhase::Green, passing, 9)
    };
    it.record(boom(1, "boom at 1"));
    it.record(boom(2, "boom at 2"));
    assert_eq!(
        it.circuit.core.counters.errors,
        {
            let mut fresh = Loop::new(Preset::Prp);
            fresh.record(boom(1, "boom at 2"));
            fresh.circuit.core.counters.errors
        },
        "another text is another error"
    );
    it.record(boom(3, "boom at 2"));
    // Nothing stood still, so no warning of that is passed through.
    assert_eq!(states(&it.record(boom(4, "boom at 2"))), [State::Open]);
    assert_eq!(it.opening().reason.as_str(), "Same error repeated 3 times");
}

#[test]
fn req_001_046_to_047_and_d_025_counted_tests_are_the_numbers_of_the_phase() {
    let counted = |passed| Observation {
        phase: Some(WorkPhase::Green),
        tests: Fact::Measured(TestCounts {
            passed,
            failed: 10 - passed,
            skipped: 1,
        }),
        ..Observation::default()
    };
    let mut it = Loop::new(Preset::Prp);
    for passed in [3, 5, 7, 7] {
        it.record(counted(passed));
    }
    assert_eq!(it.circuit.core.counters.no_progress, 1);
    let last = it.circuit.core.counters.last_metrics(WorkPhase::Green);
    assert_eq!(
        (last.tests_passing, last.tests_failing, last.tests_total),
        (Some(7), Some(3), Some(11))
    );
    // A number that is given for the phase itself is the one that counts.
    let mut told = counted(7);
    told.metrics.tests_passing = Some(8);
    it.record(told);
    assert_eq!(it.circuit.core.counters.no_progress, 0);
    // What the agent says of its tests is no number of the phase.
    let mut it = Loop::new(Preset::Prp);
    for passed in [3, 5] {
        let mut claimed = counted(passed);
        if let Fact::Measured(tests) = claimed.tests {
            claimed.tests = Fact::Claimed(tests);
        }
        it.record(claimed);
    }
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_001_107_an_action_of_no_named_phase_is_one_of_the_first() {
    let mut it = Loop::new(Preset::Prp);
    it.record(Observation::default());
    assert_eq!(it.circuit.core.counters.phase, Some(WorkPhase::Red));
    let mut it = Loop::new(Preset::Native);
    it.record(Observation::default());
    assert_eq!(it.circuit.core.counters.phase, None);
}

#[test]
fn req_001_011_and_d_007_and_054_neither_time_nor_late_progress_closes_prp() {
    let mut it = Loop::new(Preset::Prp);
    it.repeat(3, &action(WorkPhase::Green, 3, 7));
    it.wait(99_999 * MINUTE);
    assert!(matches!(it.check().decision.gate, Gate::Deny(_)));
    it.record(action(WorkPhase::Green, 9, 1));
    assert_eq!(it.state(), State::Open);
    it.reset().unwrap();
    assert_eq!(it.state(), State::Closed);
}

#[test]
fn req_d_056_and_074_another_phase_counts_anew_closes_a_warning_and_leaves_an_opening() {
    let mut it = Loop::new(Preset::Prp);
    it.record(action(WorkPhase::Red, 0, 0));
    it.record(action(WorkPhase::Red, 0, 0));
    assert_eq!(it.state(), State::Watching);
    assert_eq!(states(&it.enter(WorkPhase::Green)), [State::Closed]);
    assert_eq!(it.circuit.core.counters.no_progress, 0);
    it.repeat(2, &action(WorkPhase::Green, 0, 5));
    assert_eq!(it.state(), State::Open);
    it.enter(WorkPhase::Document);
    assert_eq!(it.state(), State::Open);
    assert!(
        it.enter(WorkPhase::Document).entries.is_empty(),
        "it is there"
    );
}

#[test]
fn req_001_066_and_d_057_the_last_numbers_of_each_phase_outlive_the_others() {
    let mut it = Loop::new(Preset::Prp);
    let progress = |it: &mut Loop, phase, passing, failing| {
        it.record(action(phase, passing, failing));
        it.circuit.core.counters.no_progress == 0
    };
    assert!(progress(&mut it, WorkPhase::Green, 3, 7));
    assert!(!progress(&mut it, WorkPhase::Document, 9, 1));
    it.enter(WorkPhase::Green);
    assert!(
        !progress(&mut it, WorkPhase::Green, 3, 7),
        "as many as before"
    );
    it.reset().unwrap();
    assert!(
        !progress(&mut it, WorkPhase::Green, 3, 7),
        "nor after a release"
    );
    let mut silent = action(WorkPhase::Green, 0, 0);
    silent.metrics = PhaseMetrics::default();
    it.reset().unwrap();
    it.record(silent);
    assert!(progress(&mut it, WorkPhase::Green, 4, 6));
}

#[test]
fn req_d_074_a_report_names_its_phase_and_a_late_one_changes_none() {
    let mut it = Loop::new(Preset::Prp);
    it.record(action(WorkPhase::Red, 0, 0));
    it.record(action(WorkPhase::Green, 0, 0));
    assert_eq!(it.circuit.core.counters.no_progress, 1, "counted anew");
    it.record(action(WorkPhase::Green, 0, 0));
    assert_eq!(it.state(), State::Open);
    it.record(action(WorkPhase::Red, 0, 0));
    assert_eq!(it.circuit.core.counters.phase, Some(WorkPhase::Green));
    it.reset().unwrap();
    it.repeat(2, &Observation::default());
    assert_eq!(
        it.state(),
        State::Open,
        "GREEN goes on where nothing is said"
    );
}

#[test]
fn req_d_055_what_moves_the_count_of_one_error() {
    for (messages, count) in [
        (&["boom"][..], 1),
        (&["boom", "boom"], 2),
        (&["boom", "boom", "bang"], 1),
        (&["boom", "boom", ""], 0),
        (&["boom", "", "boom"], 1),
    ] {
        let mut it = Loop::new(Preset::Prp);
        for (written, message) in (1..).zip(messages) {
            let error = (!message.is_empty()).then_some(*message);
            it.record(wrote_tests(written, error));
        }
        let decision = it.check().decision;
        let value = reading(&decision, Signal::RepeatedError).map(|reading| reading.value);
        assert_eq!(value, Some(count), "{messages:?}");
    }
}

#[test]
fn req_001_001_to_002_and_004_to_008_and_014_and_020_and_084_to_086_prp_warns_and_goes_on_and_then_halts()
 {
    let mut it = Loop::new(Preset::Prp);
    let idle = || wrote_tests(0, None);
    assert_eq!(it.check().decision.gate, Gate::Allow);
    it.record(idle());
    assert_eq!(it.state(), State::Closed);
    it.iterate(idle());
    let warned = it.check().decision;
    assert_eq!((warned.state, warned.gate), (State::Watching, Gate::Allow));
    assert_eq!(
        (warned.reason.as_str(), warned.risk),
        ("No progress for 2 iterations", Risk::High)
    );
    it.record(idle());
    for _ in 0..3 {
        let denied = it.check().decision;
        assert_eq!(denied.state, State::Open);
        assert!(matches!(denied.gate, Gate::Deny(_)) && denied.grant.is_none());
        assert_eq!(denied.reason, "No progress for 3 iterations");
    }
}

#[test]
fn req_001_026_and_028_to_032_a_release_leaves_nothing_of_the_opening() {
    let mut it = Loop::new(Preset::Prp);
    it.repeat(3, &wrote_tests(0, Some("boom")));
    assert_eq!(it.state(), State::Open);
    let fresh = Circuit::default().core;
    assert_ne!(it.circuit.core.counters.errors, fresh.counters.errors);
    it.reset().unwrap();
    let core = &it.circuit.core;
    assert_eq!(core.counters.no_progress, 0);
    assert_eq!(core.counters.errors, fresh.counters.errors);
    assert_eq!(core.phase.opening(), None, "neither reason nor time");
    assert_eq!(it.check().decision.gate, Gate::Allow);
}

#[test]
fn req_001_025_and_087_to_091_and_d_055_what_prp_does_after_each_action() {
    let mut it = Loop::new(Preset::Prp);
    for (written, error, idle, same_error, state) in [
        (0, Some("boom"), 1, 1, State::Closed),
        (0, Some("boom"), 2, 2, State::Watching),
        (1, Some("boom"), 0, 3, State::Closed),
        (1, Some("boom"), 1, 4, State::Closed),
        (2, Some("boom"), 0, 5, State::Open),
    ] {
        let decision = it.iterate(wrote_tests(written, error)).decision;
        let value = |signal| reading(&decision, signal).map(|reading| reading.value);
        assert_eq!(value(Signal::NoProgress), Some(idle), "after {written}");
        assert_eq!(value(Signal::RepeatedError), Some(same_error));
        assert_eq!(it.state(), state, "after {written}");
    }
}
