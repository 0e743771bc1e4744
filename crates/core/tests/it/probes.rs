//! Waits and probes: how an open breaker is tried again.

use fusebox_core::circuit::{Release, State};
use fusebox_core::decision::{Denial, DeniedBy, Gate};
use fusebox_core::machine::{Claim, Refused, Start};
use fusebox_core::observation::{Ended, Environment};
use fusebox_core::policy::{Enforcement, Preset};
use fusebox_core::recovery::{self, Escalation};
use fusebox_core::{Observation, Policy};

use crate::harness::{Loop, MINUTE, idle, states, work};

#[test]
fn beside_a_run_the_probe_is_the_runs() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    it.wait(30 * MINUTE);
    let (circuit, policy) = (&it.circuit, &it.policy);
    let step = fusebox_core::machine::beside_run(circuit, policy, &it.now);
    let Gate::Deny(Denial { by, .. }) = step.decision.gate else {
        panic!("{:?}", step.decision.gate)
    };
    assert_eq!(by, DeniedBy::ProbeUnderWay);
    assert!(step.entries.is_empty());
}

#[test]
fn req_004_009_after_the_cooldown_exactly_one_probe_runs() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    let Gate::Deny(Denial { by, retry_at_ms }) = it.check().decision.gate else {
        panic!()
    };
    assert_eq!(
        by,
        DeniedBy::Open {
            release: Release::Cooldown(30 * MINUTE)
        }
    );
    assert_eq!(retry_at_ms, Some(it.now.wall_after(30 * MINUTE)));
    it.wait(30 * MINUTE - 1);
    assert!(it.check().decision.grant.is_none());
    it.wait(1);
    let probe = it.check();
    assert_eq!(
        (probe.decision.gate, probe.decision.state),
        (Gate::AllowOnce, State::Probing)
    );
    let second = it.check().decision;
    assert!(matches!(
        second.gate,
        Gate::Deny(Denial {
            by: DeniedBy::ProbeUnderWay,
            ..
        })
    ));
}

#[test]
fn req_004_039_a_successful_probe_closes_and_counts_anew() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    it.wait(30 * MINUTE);
    let closed = it.iterate(work()).decision;
    assert_eq!((closed.state, closed.gate), (State::Closed, Gate::Allow));
    it.iterate(idle());
    it.iterate(idle());
    assert_eq!(it.state(), State::Watching);
}

#[test]
fn req_004_040_each_failed_probe_doubles_the_wait_and_the_third_leaves_it_to_a_person() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    for minutes in [60, 120] {
        it.wait(24 * 60 * MINUTE);
        it.iterate(idle());
        let release = it.opening().release;
        assert_eq!(release, Release::Cooldown(minutes * MINUTE));
    }
    assert_eq!(it.circuit.core.totals.probes, 2);
    it.wait(24 * 60 * MINUTE);
    it.iterate(idle());
    assert_eq!(it.opening().release, Release::Person);
    it.wait(9999 * 60 * MINUTE);
    assert!(it.check().decision.grant.is_none());
}

#[test]
fn req_d_066_a_probe_that_never_reports_fails_at_its_deadline() {
    let mut it = Loop::new(Preset::Native);
    it.probe();
    it.wait(30 * MINUTE);
    let late = it.check().decision;
    assert_eq!(late.state, State::Open);
    assert_eq!(it.circuit.core.failed_probes, 1);
    assert!(late.grant.is_none());
}

#[test]
fn outside_trouble_during_a_probe_proves_nothing() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    it.wait(30 * MINUTE);
    it.iterate(Observation {
        environment: Some(Environment::Network),
        ..Observation::default()
    });
    assert_eq!(it.circuit.core.failed_probes, 0);
    assert_eq!(it.opening().release, Release::Cooldown(30 * MINUTE));
    assert!(it.check().decision.grant.is_none());
}

#[test]
fn req_x_007_stepping_the_wall_clock_does_not_end_a_cooldown() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    it.now.wall_ms += 365 * 24 * 3_600_000;
    assert!(it.check().decision.grant.is_none());
    it.now.wall_ms = 0;
    it.now.boot_ms += 60 * MINUTE;
    assert!(
        it.check().decision.grant.is_none(),
        "the longer of the two waits counts"
    );
}

#[test]
fn req_d_008_a_trip_by_request_stays_until_a_person_resets() {
    let mut it = Loop::new(Preset::Native);
    it.trip("stop");
    it.wait(365 * 24 * 60 * MINUTE);
    let denied = it.check().decision;
    assert_eq!((denied.reason.as_str(), denied.grant), ("stop", None));
    assert_eq!(states(&it.reset().unwrap()), [State::Closed]);
    assert!(it.check().decision.grant.is_some());
}

#[test]
fn a_trip_while_open_begins_the_wait_anew() {
    let mut it = Loop::new(Preset::Superkit);
    it.open();
    it.wait(29 * MINUTE);
    it.trip("and once more");
    it.wait(29 * MINUTE);
    assert_eq!(
        it.check().decision.grant,
        None,
        "half an hour from the trip"
    );
    it.wait(MINUTE);
    assert!(it.check().decision.grant.is_some());
}

#[test]
fn a_trip_halts_a_loop_that_was_only_told_of_its_opening() {
    let mut it = Loop::new(Preset::Cub);
    it.policy.enforcement = Enforcement::Announce;
    it.open();
    assert!(it.check().decision.grant.is_some(), "it was only told");
    it.trip("enough");
    assert_eq!(it.check().decision.grant, None);
}

#[test]
fn a_probes_deadline_is_that_of_its_own_grant() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    it.wait(30 * MINUTE);
    it.policy.iteration_limit_ms = 180 * MINUTE;
    it.check();
    it.policy = Policy::native();
    it.wait(31 * MINUTE);
    assert!(it.check().decision.grant.is_none());
    assert_eq!(
        it.state(),
        State::Probing,
        "somebody else's limit does not end it"
    );
}

#[test]
fn asking_again_never_shortens_a_wait_nor_hides_the_first_reason() {
    let mut it = Loop::new(Preset::Superkit);
    it.open();
    for _ in 0..2 {
        it.wait(24 * 60 * MINUTE);
        it.iterate(idle());
    }
    let before = it.opening().clone();
    assert_eq!(before.release, Release::Cooldown(120 * MINUTE));
    it.trip("hurry");
    let after = it.opening();
    assert_eq!(
        (after.release, &after.reason, &after.evidence),
        (before.release, &before.reason, &before.evidence)
    );
}

#[test]
fn req_004_046_a_relapse_within_three_iterations_of_a_recovery_goes_to_a_person() {
    for (good, relapse, release) in [
        (0, true, Release::Person),
        (1, false, Release::Cooldown(30 * MINUTE)),
    ] {
        let mut it = Loop::new(Preset::Native);
        it.probe();
        it.record(work());
        it.repeat(good, &work());
        it.repeat(3, &idle());
        let opening = it.opening();
        assert_eq!((opening.release, opening.escalate), (release, relapse));
    }
    let mut it = Loop::new(Preset::Superkit);
    it.probe();
    it.record(work());
    it.repeat(3, &idle());
    // A person is called, and the clock still decides.
    let called = |it: &Loop| recovery::escalation(&it.circuit.core, &it.policy);
    assert_eq!(called(&it), Some(Escalation::Relapse));
    assert_eq!(it.opening().release, Release::Cooldown(30 * MINUTE));
    it.wait(30 * MINUTE);
    it.iterate(idle());
    assert_eq!(called(&it), Some(Escalation::Relapse), "until it closes");
    it.wait(60 * MINUTE);
    it.iterate(work());
    assert_eq!(called(&it), None);
}

#[test]
fn req_d_034_a_success_puts_the_wait_and_the_ladder_back_to_their_base() {
    let mut it = Loop::new(Preset::Superkit);
    it.open();
    for minutes in [30, 60, 120] {
        assert_eq!(it.opening().release, Release::Cooldown(minutes * MINUTE));
        it.wait(minutes * MINUTE);
        it.iterate(idle());
    }
    it.wait(240 * MINUTE);
    it.iterate(work());
    assert_eq!(it.state(), State::Closed);
    it.repeat(3, &work());
    it.open();
    assert_eq!(it.opening().release, Release::Cooldown(30 * MINUTE));
}

#[test]
fn req_004_040_and_d_035_what_a_probe_shows_and_what_comes_of_it() {
    let outage = || Observation {
        environment: Some(Environment::Network),
        ..work()
    };
    let timed_out = || Observation {
        ended: Some(Ended::TimedOut),
        ..work()
    };
    for (preset, facts, failed) in [
        (Preset::Native, work(), None),
        (Preset::Native, idle(), Some(1)),
        (Preset::Native, outage(), Some(0)),
        (Preset::Native, timed_out(), Some(1)),
        (Preset::Superkit, work(), None),
        (Preset::Superkit, idle(), Some(1)),
        (Preset::Superkit, outage(), Some(1)),
        (Preset::Superkit, timed_out(), Some(1)),
    ] {
        let mut it = Loop::new(preset);
        it.probe();
        let step = it.record(facts.clone());
        assert_eq!(step.decision.transitions.len(), 1, "{facts:?}");
        let Some(failed) = failed else {
            assert_eq!(it.state(), State::Closed, "{preset} {facts:?}");
            continue;
        };
        assert_eq!(it.state(), State::Open, "{preset} {facts:?}");
        assert_eq!(it.circuit.core.failed_probes, failed, "{preset} {facts:?}");
        let wait = Release::Cooldown((30 << failed) * MINUTE);
        assert_eq!((it.opening().release, it.opening().since), (wait, it.now));
    }
}

#[test]
fn req_d_066_a_probe_that_reports_after_its_deadline_has_failed() {
    for (minutes, secret, state) in [
        (29, None, State::Closed),
        (30, None, State::Open),
        // A supervisor ends the iteration itself and needs a moment to measure it.
        (31, Some(7), State::Closed),
    ] {
        let mut it = Loop::new(Preset::Native);
        it.open();
        it.wait(30 * MINUTE);
        let start = Start {
            secret,
            ..Start::default()
        };
        let grant = it.check_with(start).decision.grant;
        it.wait(minutes * MINUTE);
        it.record_by(Claim { grant, secret }, work());
        assert_eq!(it.state(), state, "after {minutes} minutes");
    }
}

#[test]
fn req_x_009_whoever_is_guarded_gains_nothing_by_cutting_a_probe_short() {
    let cut_by_a_trip = |it: &mut Loop| drop(it.trip("hurry"));
    let cut_by_a_forged_report = |it: &mut Loop| drop(it.record(work()));
    for cut in [cut_by_a_trip as fn(&mut Loop), cut_by_a_forged_report] {
        let mut it = Loop::new(Preset::Superkit);
        it.open();
        for wait in [60, 120] {
            it.wait(24 * 60 * MINUTE);
            let start = Start {
                secret: Some(7),
                ..Start::default()
            };
            assert!(it.check_with(start).decision.grant.is_some());
            cut(&mut it);
            assert_eq!(it.state(), State::Open);
            assert_eq!(it.opening().release, Release::Cooldown(wait * MINUTE));
            // The supervisor's own report comes too late.
            let claim = Claim {
                secret: Some(7),
                ..Claim::default()
            };
            it.record_by(claim, work());
            assert_eq!(it.state(), State::Open);
        }
    }
}

#[test]
fn req_d_073_a_failed_retry_gives_nothing_to_the_clock_that_was_a_persons() {
    let by_request = |it: &mut Loop| drop(it.trip("stop"));
    let by_relapse = |it: &mut Loop| {
        it.probe();
        it.record(work());
        it.repeat(3, &idle());
    };
    let by_signal = |it: &mut Loop| it.open();
    for (open, after) in [
        (by_request as fn(&mut Loop), Release::Person),
        (by_relapse, Release::Person),
        (by_signal, Release::Cooldown(60 * MINUTE)),
    ] {
        let mut it = Loop::new(Preset::Native);
        open(&mut it);
        it.retry(false).unwrap();
        assert_eq!(it.check().decision.gate, Gate::AllowOnce);
        it.record(idle());
        assert_eq!(it.opening().release, after);
    }
}

#[test]
fn a_retry_needs_an_opening_and_a_policy_that_knows_it() {
    for (preset, refused) in [
        (Preset::Native, Refused::NotOpen),
        (Preset::Cub, Refused::NotOpen),
        (Preset::Prp, Refused::OnlyTheCooldown),
        (Preset::Superkit, Refused::OnlyTheCooldown),
    ] {
        assert_eq!(Loop::new(preset).retry(true), Err(refused), "{preset}");
    }
}

#[test]
fn req_d_009_and_073_a_strategy_is_told_to_the_probe_and_forgotten_after_it() {
    let mut it = Loop::new(Preset::Superkit);
    assert_eq!(it.recover(None), Err(Refused::NotOpen));
    it.open();
    let before = it.opening().clone();
    it.recover(None).unwrap();
    assert_eq!(*it.opening(), before, "the wait is the same");
    assert_eq!(it.circuit.core.guidance.as_deref(), Some("note"));
    assert_eq!(it.circuit.core.strategies, 1);
    it.wait(30 * MINUTE);
    it.iterate(work());
    assert_eq!(it.circuit.core.guidance, None);
    assert_eq!(it.circuit.core.strategies, 0);
    it.trip("asked");
    assert_eq!(
        it.recover(Some(1)),
        Err(Refused::NoSuchStrategy),
        "no row for it"
    );
}
