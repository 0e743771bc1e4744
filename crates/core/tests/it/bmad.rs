//! Sessions that must let a feature pass.

use fusebox_core::Observation;
use fusebox_core::circuit::State;
use fusebox_core::decision::{Denial, Gate};
use fusebox_core::machine::{self, Adoption, Claim};
use fusebox_core::policy::Preset;

use crate::harness::{Loop, MINUTE, files, person, session, states};

#[test]
fn req_003_022_and_024_and_026_and_029_and_064_to_065_five_sessions_in_a_row_trip_bmad() {
    let mut it = Loop::new(Preset::Bmad);
    for features in [0, 0, 0, 0, 1, 0, 0, 0, 0] {
        it.record(session(features));
        assert_eq!(it.state(), State::Closed);
    }
    it.record(session(0));
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_003_020_and_061_to_062_and_068_and_083_and_d_010_an_edited_threshold_moves_bmad_both_ways_at_once()
 {
    let mut it = Loop::new(Preset::Bmad);
    it.repeat(4, &session(0));
    for (threshold, state) in [(4, State::Open), (6, State::Closed), (3, State::Open)] {
        let step = it.set_threshold(threshold);
        assert_eq!(states(&step), [state], "{threshold}");
        assert_eq!(it.state(), state, "{threshold}");
        assert_eq!(states(&it.set_threshold(threshold)), [], "it follows once");
    }
    assert_eq!(it.circuit.core.totals.trips, 2);
    it.trip("asked");
    it.reset().unwrap();
    it.trip("asked");
    assert_eq!(states(&it.set_threshold(4)), [], "no threshold opened that");
    let mut elsewhere = Loop::new(Preset::Cub);
    elsewhere.repeat(2, &files(0));
    assert_eq!(
        states(&elsewhere.set_threshold(2)),
        [],
        "the next tick will see"
    );
}

#[test]
fn req_003_063_and_d_012_and_029_to_030_complete_ends_the_loop_and_triggered_outranks_it() {
    let mut it = Loop::new(Preset::Bmad);
    it.complete();
    assert_eq!(it.state(), State::Complete);
    assert!(it.check().decision.grant.is_none());
    it.reset().unwrap();
    it.repeat(5, &Observation::default());
    it.complete();
    assert_eq!(it.state(), State::Open);
    for preset in Preset::ALL {
        let mut it = Loop::new(preset);
        it.complete();
        let complete = it.state() == State::Complete;
        assert_eq!(complete, preset == Preset::Bmad, "{preset}");
        let denied = matches!(it.check().decision.gate, Gate::Deny(_));
        assert_eq!(denied, complete, "{preset}");
    }
}

#[test]
fn req_003_006_and_020_and_061_a_lowered_threshold_is_heeded_before_anything_is_granted() {
    let mut it = Loop::new(Preset::Bmad);
    it.repeat(3, &session(0));
    it.policy = it.policy.clone().with_stagnation_threshold(3).unwrap();
    let peeked = machine::peek(&it.circuit, &it.policy, &it.now);
    assert_eq!(peeked.state, State::Open);
    let step = it.check();
    assert_eq!(
        (states(&step), step.decision.grant),
        (vec![State::Open], None)
    );
    it.policy = it.policy.clone().with_stagnation_threshold(9).unwrap();
    assert_eq!(it.check().decision.state, State::Open, "that is no release");
    // Elsewhere the next iteration will see.
    let mut cub = Loop::new(Preset::Cub);
    cub.repeat(2, &files(0));
    cub.policy = cub.policy.clone().with_stagnation_threshold(2).unwrap();
    assert!(cub.check().decision.grant.is_some());
}

#[test]
fn req_003_009_work_that_is_taken_up_again_is_not_complete_and_releases_nothing() {
    let mut it = Loop::new(Preset::Bmad);
    it.repeat(2, &session(0));
    it.complete();
    let step = machine::take_up(&it.circuit, &it.policy, &it.now);
    assert_eq!(states(&it.take(step)), [State::Closed]);
    assert_eq!(
        it.circuit.core.counters.no_progress, 2,
        "it goes on counting"
    );
    it.trip("asked");
    let step = machine::take_up(&it.circuit, &it.policy, &it.now);
    assert!(step.entries.is_empty() && step.circuit.state() == State::Open);
}

#[test]
fn req_003_025_and_027_a_session_is_counted_once() {
    let mut it = Loop::new(Preset::Bmad);
    for (features, failures) in [(0, 1), (0, 2), (1, 0), (0, 1)] {
        let grant = it.check().decision.grant;
        for _ in 0..3 {
            let claim = Claim {
                grant,
                ..Claim::default()
            };
            it.record_by(claim, session(features));
            assert_eq!(it.circuit.core.counters.no_progress, failures);
        }
    }
}

#[test]
fn req_003_002_to_004_and_006_bmad_goes_on_below_the_threshold_and_waits_for_a_person() {
    let mut it = Loop::new(Preset::Bmad);
    for _ in 0..5 {
        let healthy = it.check().decision;
        assert_eq!((healthy.state, healthy.gate), (State::Closed, Gate::Allow));
        it.record(session(0));
    }
    for _ in 0..3 {
        it.wait(99_999 * MINUTE);
        let denied = it.check().decision;
        assert_eq!(denied.state, State::Open);
        let Gate::Deny(Denial { retry_at_ms, .. }) = denied.gate else {
            panic!("{denied:?}");
        };
        assert_eq!(retry_at_ms, None, "no clock releases it");
    }
}

#[test]
fn req_003_028_and_059_and_067_and_098_a_reset_heals_bmad_and_the_same_cause_trips_it_again() {
    let mut it = Loop::new(Preset::Bmad);
    for _ in 0..2 {
        it.repeat(5, &session(0));
        assert_eq!(it.state(), State::Open);
        it.reset().unwrap();
        assert_eq!(it.state(), State::Closed);
        assert_eq!(it.circuit.core.counters.no_progress, 0);
    }
}

#[test]
fn req_003_049_and_051_and_067_to_068_an_edit_is_one_entry_and_the_state_follows_in_it() {
    let mut it = Loop::new(Preset::Bmad);
    it.repeat(5, &session(0));
    let set = |it: &Loop, threshold| {
        let reason = "features are large".to_owned();
        machine::set_threshold(
            &it.circuit,
            &it.policy,
            threshold,
            reason,
            person(),
            &it.now,
        )
    };
    for never in [0, 100] {
        assert!(set(&it, never).is_err(), "{never}");
    }
    for (threshold, state) in [(7, State::Closed), (7, State::Closed), (5, State::Open)] {
        let step = set(&it, threshold).unwrap();
        assert_eq!(step.entries.len(), 1);
        it.take(step);
        assert_eq!(
            (it.state(), it.circuit.core.threshold),
            (state, Some(threshold))
        );
    }
    let forget = |it: &Loop| {
        machine::forget_failures(&it.circuit, &it.policy, "fixed".into(), person(), &it.now)
    };
    let step = forget(&it);
    assert_eq!(states(&it.take(step)), [State::Closed]);
    assert_eq!(it.circuit.core.counters.no_progress, 0);
    it.reset().unwrap();
    assert_eq!(
        it.circuit.core.threshold,
        Some(5),
        "a reset is no edit of the threshold"
    );
    it.trip("asked");
    let step = forget(&it);
    it.take(step);
    assert_eq!(it.state(), State::Open, "no failure opened that");
    // Where there are failures to forget, the state follows, whatever had opened it.
    it.reset().unwrap();
    it.repeat(2, &session(0));
    it.trip("asked");
    let step = forget(&it);
    assert_eq!(states(&it.take(step)), [State::Closed]);
}

#[test]
fn req_d_024_a_threshold_is_taken_over_only_if_it_is_stricter() {
    for (threshold, taken, state) in [
        (2, Some(2), State::Open),
        (4, Some(4), State::Closed),
        (5, None, State::Closed),
        (9, None, State::Closed),
        (0, None, State::Closed),
    ] {
        let mut it = Loop::new(Preset::Bmad);
        it.repeat(2, &session(0));
        let adoption = Adoption {
            threshold: Some(threshold),
            ..Adoption::default()
        };
        let from = ("a file".to_owned(), "a number".to_owned());
        let step = machine::adopt(&it.circuit, &it.policy, &adoption, from, &it.now);
        it.take(step);
        assert_eq!(
            (it.circuit.core.threshold, it.state()),
            (taken, state),
            "{threshold}"
        );
    }
}
