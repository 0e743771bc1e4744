//! Living beside other systems: what is taken over from them, and what only a
//! person changes.

use fusebox_core::circuit::{Core, Release, State};
use fusebox_core::journal::{Event, ImportedFile, Projection};
use fusebox_core::machine::{self, Adoption, Refused, Reset};
use fusebox_core::observation::{PhaseMetrics, WorkPhase};
use fusebox_core::policy::Preset;
use fusebox_core::signature::Signature;
use fusebox_core::{Circuit, Policy};

use crate::harness::{Loop, MINUTE, action, person, states};

fn adopt(it: &mut Loop, adoption: &Adoption) -> machine::Step {
    let about = ("file".to_owned(), "words".to_owned());
    let step = machine::adopt(&it.circuit, &it.policy, adoption, about, &it.now);
    it.take(step)
}

#[test]
fn what_is_stricter_moves_the_state_and_what_is_not_changes_nothing() {
    for (adoption, state) in [
        (Adoption::default(), State::Closed),
        (
            Adoption {
                no_progress: 1,
                ..Adoption::default()
            },
            State::Closed,
        ),
        (
            Adoption {
                no_progress: 2,
                ..Adoption::default()
            },
            State::Watching,
        ),
        (
            Adoption {
                no_progress: 3,
                ..Adoption::default()
            },
            State::Open,
        ),
        (
            Adoption {
                error: Some((Signature(7), 5)),
                ..Adoption::default()
            },
            State::Open,
        ),
        (
            Adoption {
                open: Some("seen elsewhere".to_owned()),
                ..Adoption::default()
            },
            State::Open,
        ),
    ] {
        let mut it = Loop::new(Preset::Prp);
        let step = adopt(&mut it, &adoption);
        assert_eq!(it.state(), state, "{adoption:?}");
        let told = step.decision.transitions.last().map(|change| change.to);
        assert_eq!(told.unwrap_or(State::Closed), state, "{adoption:?}");
        assert_eq!(step.entries.is_empty(), adoption == Adoption::default());
        let again = adopt(&mut it, &adoption);
        assert!(again.entries.is_empty(), "{adoption:?} twice");
        // Less than is known is nothing.
        assert!(adopt(&mut it, &Adoption::default()).entries.is_empty());
        assert_eq!(it.state(), state);
    }
}

#[test]
fn what_is_open_elsewhere_is_a_trip_here() {
    let mut it = Loop::new(Preset::Prp);
    let elsewhere = Adoption {
        open: Some("another".to_owned()),
        ..Adoption::default()
    };
    adopt(&mut it, &elsewhere);
    assert_eq!(
        (it.opening().reason.as_str(), it.circuit.core.totals.trips),
        ("another", 1)
    );
}

#[test]
fn a_wait_that_began_elsewhere_is_not_begun_anew_and_one_that_began_here_is_not_cut_short() {
    let mut it = Loop::new(Preset::Superkit);
    it.now.wall_ms = i64::try_from(100 * MINUTE).unwrap();
    let since = |minutes: u64| Adoption {
        open: Some("another".to_owned()),
        opened_ms: i64::try_from(minutes * MINUTE).ok(),
        ..Adoption::default()
    };
    adopt(&mut it, &since(90));
    let Release::Cooldown(left) = it.opening().release else {
        panic!("superkit waits");
    };
    assert_eq!(Release::Cooldown(left + 10 * MINUTE), whole_wait());
    adopt(&mut it, &since(80));
    assert_eq!(it.opening().release, Release::Cooldown(left));
}

/// What superkit waits for whatever was asked for.
fn whole_wait() -> Release {
    let mut it = Loop::new(Preset::Superkit);
    it.trip("asked for");
    it.opening().release
}

#[test]
fn an_open_breaker_keeps_its_own_reason() {
    let mut it = Loop::new(Preset::Prp);
    it.repeat(3, &action(WorkPhase::Red, 0, 0));
    let reason = it.opening().reason.clone();
    let elsewhere = Adoption {
        open: Some("another".to_owned()),
        ..Adoption::default()
    };
    adopt(&mut it, &elsewhere);
    assert_eq!(
        (it.opening().reason.clone(), it.circuit.core.totals.trips),
        (reason, 1)
    );
}

#[test]
fn numbers_are_taken_over_where_they_are_harder_to_better() {
    let numbers = |passing, failing| PhaseMetrics {
        tests_passing: Some(passing),
        tests_failing: Some(failing),
        ..PhaseMetrics::default()
    };
    let mut it = Loop::new(Preset::Prp);
    it.record(action(WorkPhase::Green, 3, 7));
    for (said, expected) in [((5, 5), (5, 5)), ((2, 9), (5, 5)), ((4, 1), (5, 1))] {
        let adoption = Adoption {
            metrics: vec![(WorkPhase::Green, numbers(said.0, said.1))],
            ..Adoption::default()
        };
        adopt(&mut it, &adoption);
        let last = it.circuit.core.counters.last_metrics(WorkPhase::Green);
        assert_eq!(
            (last.tests_passing, last.tests_failing),
            (Some(expected.0), Some(expected.1)),
            "{said:?}"
        );
    }
    assert_eq!(it.circuit.core.counters.phase, Some(WorkPhase::Green));
}

#[test]
fn req_001_096_and_d_045_a_phase_is_skipped_to_the_next_and_the_last_one_stays() {
    let mut it = Loop::new(Preset::Prp);
    let skip =
        |it: &Loop| machine::skip_phase(&it.circuit, &it.policy, "x".to_owned(), person(), &it.now);
    assert_eq!(
        skip(&it).unwrap_err(),
        Refused::NoPhase,
        "none is under way"
    );
    it.repeat(3, &action(WorkPhase::Refactor, 0, 0));
    for (from, next) in [
        (WorkPhase::Refactor, Some(WorkPhase::Document)),
        (WorkPhase::Document, None),
    ] {
        it.trip("stop");
        let step = skip(&it).unwrap();
        assert_eq!(states(&step), [State::Closed]);
        let event = &step.entries[0].event;
        assert!(
            matches!(event, Event::PhaseSkipped { phase, next: to, .. } if *phase == from && *to == next),
            "{event:?}"
        );
        it.circuit = step.circuit;
        assert!(it.circuit.core.has_skipped(from), "it is complete");
        assert!(it.circuit.core.has_skipped(WorkPhase::Refactor), "still");
        assert_eq!(it.circuit.core.counters.phase, Some(next.unwrap_or(from)));
        assert_eq!(it.circuit.core.counters.no_progress, 0);
    }
    for preset in Preset::ALL {
        let mut it = Loop::new(preset);
        it.record(action(WorkPhase::Red, 0, 0));
        let may = it.policy.capabilities.skip_phase;
        assert_eq!(skip(&it).is_ok(), may, "{preset}");
    }
}

#[test]
fn req_001_096_and_105_failures_are_known_until_the_skipped_phase_begins_anew() {
    let mut it = Loop::new(Preset::Prp);
    it.repeat(3, &action(WorkPhase::Green, 8, 2));
    let step =
        machine::skip_phase(&it.circuit, &it.policy, "x".to_owned(), person(), &it.now).unwrap();
    it.take(step);
    assert_eq!(it.circuit.core.known_failures(), 2);
    it.record(action(WorkPhase::Refactor, 8, 2));
    it.reset().unwrap();
    assert_eq!(
        it.circuit.core.known_failures(),
        2,
        "a reset forgets nothing"
    );
    it.enter(WorkPhase::Green);
    assert_eq!(it.circuit.core.known_failures(), 0);
    assert!(!it.circuit.core.has_skipped(WorkPhase::Green));
}

#[test]
fn req_001_098_guidance_stays_until_the_breaker_closes_the_next_time() {
    let mut it = Loop::new(Preset::Prp);
    it.repeat(3, &action(WorkPhase::Red, 0, 0));
    let wish = Reset {
        reason: "x".to_owned(),
        by: person(),
        guidance: Some("smaller steps".to_owned()),
    };
    let step = machine::redirect(&it.circuit, &it.policy, wish, &it.now).unwrap();
    it.circuit = step.circuit;
    it.record(action(WorkPhase::Red, 0, 0));
    assert_eq!(it.circuit.core.guidance.as_deref(), Some("smaller steps"));
    it.reset().unwrap();
    assert_eq!(it.circuit.core.guidance, None);
}

#[test]
fn another_way_of_working_counts_anew_and_waits_for_a_release() {
    let native = Policy::of(Preset::Native);
    let mut it = Loop::new(Preset::Cub);
    it.record(action(WorkPhase::Red, 0, 0));
    let step = machine::change_preset(&it.circuit, &native, person(), &it.now).unwrap();
    assert_eq!(step.circuit.core.preset, Some(Preset::Native));
    assert_eq!(step.circuit.core.counters.no_progress, 0);
    let same = machine::change_preset(&step.circuit, &native, person(), &it.now).unwrap();
    assert!(same.entries.is_empty(), "nothing to change");
    it.trip("stop");
    let refused = machine::change_preset(&it.circuit, &native, person(), &it.now);
    assert_eq!(refused.unwrap_err(), Refused::StillOpen);
}

#[test]
fn the_latest_of_each_file_is_remembered() {
    let it = Loop::new(Preset::Prp);
    let file = |path: &str, after: &str| Projection {
        path: path.to_owned(),
        before: None,
        after: Some(after.to_owned()),
    };
    let project = |circuit: &Circuit, files| machine::project(circuit, &it.policy, files, &it.now);
    let one = project(&it.circuit, vec![file("a", "1"), file("b", "2")]);
    let two = project(&one.circuit, vec![file("a", "3")]);
    assert_eq!(two.circuit.projections, [file("b", "2"), file("a", "3")]);
    assert!(project(&two.circuit, Vec::new()).entries.is_empty());
    let imported = |trusted| ImportedFile {
        path: "rc".to_owned(),
        digest: "d".to_owned(),
        trusted,
    };
    let import = |circuit: &Circuit, trusted| {
        machine::import(circuit, &it.policy, imported(trusted), person(), &it.now)
    };
    let plain = import(&it.circuit, false);
    let vouched = import(&plain.circuit, true);
    assert_eq!(vouched.circuit.imported, [imported(true)]);
    assert!(
        import(&vouched.circuit, true).entries.is_empty(),
        "known already"
    );
}

/// How strict a state is.
fn rank(state: State) -> u8 {
    match state {
        State::Closed | State::Complete => 0,
        State::Watching => 1,
        State::Probing => 2,
        State::Open => 3,
    }
}

#[test]
fn req_d_024_nothing_that_is_taken_over_ever_relaxes() {
    let opens = [None, Some("seen elsewhere".to_owned())];
    for preset in Preset::ALL {
        for idle in 0..7 {
            for (no_progress, open, error) in (0..6).flat_map(|count| {
                opens.iter().flat_map(move |open| {
                    [None, Some((Signature(7), count))].map(|error| (count, open.clone(), error))
                })
            }) {
                let mut it = Loop::new(preset);
                it.repeat(idle, &action(WorkPhase::Green, 1, 2));
                let before = it.circuit.core.clone();
                let opens_there = open.is_some();
                let adoption = Adoption {
                    open,
                    no_progress,
                    error,
                    ..Adoption::default()
                };
                adopt(&mut it, &adoption);
                let after = &it.circuit.core;
                let case = format!("{preset} after {idle}: {adoption:?}");
                assert!(
                    rank(after.phase.state()) >= rank(before.phase.state()),
                    "{case}"
                );
                assert!(
                    after.counters.no_progress >= before.counters.no_progress,
                    "{case}"
                );
                let longest = |core: &Core| core.counters.errors.longest(it.policy.streaks);
                assert!(longest(after) >= longest(&before), "{case}");
                assert!(!opens_there || after.phase.opening().is_some(), "{case}");
            }
        }
    }
}
