//! Trouble outside that is expected to last, observing without denying, and
//! tasks that are given up.

use fusebox_core::circuit::State;
use fusebox_core::decision::{Denial, DeniedBy, Gate};
use fusebox_core::machine::{self, Trip};
use fusebox_core::observation::{Ended, Environment, FeatureCounts};
use fusebox_core::policy::{Enforcement, Preset};
use fusebox_core::{Fact, Observation, Policy};

use crate::harness::{Loop, idle, person, work};

const HOUR_MS: u64 = 3_600_000;

/// A report of a usage limit that resets so long from now.
fn limited_for(it: &Loop, ms: u64) -> Observation {
    Observation {
        environment: Some(Environment::Limit),
        retry_at_ms: Some(it.now.wall_after(ms)),
        ..Observation::default()
    }
}

#[test]
fn a_usage_limit_shuts_the_gate_until_it_resets_and_not_a_moment_longer() {
    for preset in Preset::ALL {
        let mut it = Loop::under(Policy::of(preset));
        it.check();
        let limited = limited_for(&it, 5 * HOUR_MS);
        let until = limited.retry_at_ms;
        let denied = Gate::Deny(Denial {
            by: DeniedBy::Outage(Environment::Limit),
            retry_at_ms: until,
        });
        assert_eq!(it.record(limited).decision.gate, denied, "{preset}");
        assert_eq!(
            it.circuit.state(),
            State::Closed,
            "{preset}: not stagnation"
        );
        it.wait(5 * HOUR_MS - 1);
        assert_eq!(it.check().decision.gate, denied, "{preset}");
        it.wait(1);
        assert_eq!(it.check().decision.gate, Gate::Allow, "{preset}");
    }
}

#[test]
fn the_clock_that_ran_less_decides_and_no_limit_lasts_longer_than_eight_days() {
    let mut it = Loop::under(Policy::native());
    let limited = limited_for(&it, HOUR_MS);
    it.record(limited);
    it.now.wall_ms = it.now.wall_after(2 * HOUR_MS);
    assert!(
        matches!(it.check().decision.gate, Gate::Deny(_)),
        "a stepped clock waits for nobody"
    );
    it.now.boot_ms += HOUR_MS;
    assert_eq!(it.check().decision.gate, Gate::Allow);

    let limited = limited_for(&it, u64::MAX / 4);
    it.record(limited);
    it.wait(8 * 24 * HOUR_MS - 1);
    assert!(
        matches!(it.check().decision.gate, Gate::Deny(_)),
        "a week's limit is waited for to its end"
    );
    it.wait(1);
    assert_eq!(it.check().decision.gate, Gate::Allow);
}

#[test]
fn trouble_without_a_time_or_long_past_shuts_nothing_and_a_sound_iteration_ends_it() {
    let mut it = Loop::under(Policy::native());
    let unknown = Observation {
        environment: Some(Environment::Overload),
        ..Observation::default()
    };
    assert_eq!(it.record(unknown).decision.gate, Gate::Allow);
    let past = Observation {
        environment: Some(Environment::Limit),
        retry_at_ms: Some(5),
        ..Observation::default()
    };
    assert_eq!(it.record(past).decision.gate, Gate::Allow);
    let limited = limited_for(&it, HOUR_MS);
    assert!(matches!(it.record(limited).decision.gate, Gate::Deny(_)));
    assert_eq!(it.record(idle()).decision.gate, Gate::Allow);
}

#[test]
fn a_probe_waits_for_the_limit_as_well() {
    let mut it = Loop::under(Policy::of(Preset::Superkit));
    for _ in 0..3 {
        it.check();
        it.record(idle());
    }
    assert_eq!(it.circuit.state(), State::Open);
    it.wait(HOUR_MS);
    it.check();
    assert_eq!(it.circuit.state(), State::Probing);
    let limited = limited_for(&it, 3 * HOUR_MS);
    it.record(limited);
    it.wait(2 * HOUR_MS);
    let Gate::Deny(denial) = it.check().decision.gate else {
        panic!("a probe was spent on a limit");
    };
    assert_eq!(denial.by, DeniedBy::Outage(Environment::Limit));
    it.wait(HOUR_MS);
    assert_eq!(it.check().decision.gate, Gate::AllowOnce);
}

#[test]
fn observing_denies_nothing_but_decides_everything_and_releases_idle() {
    let mut policy = Policy::native();
    policy.calls.limit = 2;
    policy.enforcement = Enforcement::Observe;
    let mut it = Loop::under(policy);
    for _ in 0..6 {
        assert_eq!(
            it.check().decision.gate,
            Gate::Allow,
            "neither limit nor opening denies"
        );
        it.record(idle());
    }
    assert_eq!(it.circuit.state(), State::Open, "but it is seen and said");

    let mut it = Loop::under(Policy::native());
    let trip = Trip {
        reason: "enough".into(),
        by: person(),
        cause: fusebox_core::circuit::Cause::Asked,
    };
    let step = machine::trip(&it.circuit, &it.policy, trip, &it.now);
    it.take(step);
    it.policy.enforcement = Enforcement::Observe;
    assert!(
        matches!(it.check().decision.gate, Gate::Deny(_)),
        "what was open stays so"
    );
}

#[test]
fn req_000_051_and_060_a_task_that_is_given_up_stays_so_until_it_is_taken_up_again() {
    let mut it = Loop::under(Policy::of(Preset::Cub));
    for task in ["a", "b", "a"] {
        let step = machine::block_task(
            &it.circuit,
            &it.policy,
            task.into(),
            "stuck".into(),
            person(),
            &it.now,
        );
        it.take(step);
    }
    assert_eq!(it.circuit.core.blocked, ["b", "a"]);
    let step = machine::reopen_task(&it.circuit, &it.policy, "b".into(), person(), &it.now);
    assert_eq!(step.entries.len(), 1);
    it.take(step);
    let step = machine::reopen_task(&it.circuit, &it.policy, "b".into(), person(), &it.now);
    assert!(step.entries.is_empty(), "nothing to take up");
    assert_eq!(it.circuit.core.blocked, ["a"]);
    for n in 0..100 {
        let step = machine::block_task(
            &it.circuit,
            &it.policy,
            n.to_string(),
            String::new(),
            person(),
            &it.now,
        );
        it.take(step);
    }
    assert_eq!(it.circuit.core.blocked.len(), 64);
    assert_eq!(it.circuit.core.blocked.last().unwrap(), "99");
}

#[test]
fn closing_forgets_neither_the_run_nor_the_tasks_that_were_given_up_nor_the_features() {
    let mut it = Loop::new(Preset::Cub);
    let begins = machine::Beginning {
        plan: "as asked".into(),
        takes_tasks: false,
        pid: 1,
    };
    let step = machine::begin_run(&it.circuit, &it.policy, begins, &it.now);
    it.take(step);
    let step = machine::block_task(
        &it.circuit,
        &it.policy,
        "a".into(),
        "stuck".into(),
        person(),
        &it.now,
    );
    it.take(step);
    let features = FeatureCounts {
        pass: 3,
        ..FeatureCounts::default()
    };
    it.record(Observation {
        features: Fact::Measured(features),
        ..idle()
    });
    it.open();
    it.reset().unwrap();
    assert_eq!(it.circuit.core.features, Some(features));
    assert_eq!(it.circuit.state(), State::Closed);
    assert_eq!(it.circuit.core.plan.as_deref(), Some("as asked"));
    assert_eq!(it.circuit.core.blocked, ["a"]);
}

#[test]
fn trouble_outside_neither_counts_nor_forgets_iterations_that_went_in_circles() {
    let circled = || Observation {
        ended: Some(Ended::Circling),
        ..work()
    };
    let mut it = Loop::under(Policy::native());
    it.record(circled());
    it.record(Observation {
        environment: Some(Environment::Network),
        ..Observation::default()
    });
    assert_eq!(it.circuit.core.counters.circling, 1);
    it.record(circled());
    assert_eq!(it.circuit.state(), State::Open);
    let mut it = Loop::under(Policy::native());
    it.record(circled());
    it.record(work());
    assert_eq!(it.circuit.core.counters.circling, 0, "a sound one ends it");
}
