//! Trouble outside that is expected to last, observing without denying, and
//! tasks that are given up.

use fusebox_core::circuit::State;
use fusebox_core::decision::{Denial, DeniedBy, Gate};
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine::{self, Claim, Start, Step, Trip};
use fusebox_core::observation::{Environment, FileChanges};
use fusebox_core::policy::{Enforcement, Preset};
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};

const HOUR_MS: u64 = 3_600_000;

struct Loop {
    circuit: Circuit,
    policy: Policy,
    now: Moment,
}

impl Loop {
    fn new(policy: Policy) -> Self {
        Self {
            circuit: Circuit::default(),
            policy,
            now: Moment {
                wall_ms: 1_000_000_000,
                boot_ms: 5_000_000,
                boot: BootId(7),
            },
        }
    }

    fn take(&mut self, step: Step) -> Gate {
        self.circuit = step.circuit;
        step.decision.gate
    }

    fn check(&mut self) -> Gate {
        let step = machine::check(&self.circuit, &self.policy, Start::default(), &self.now);
        self.take(step)
    }

    fn record(&mut self, facts: Observation) -> Gate {
        let step = machine::record(
            &self.circuit,
            &self.policy,
            facts,
            Claim::default(),
            &self.now,
        );
        self.take(step)
    }

    fn wait(&mut self, ms: u64) {
        self.now.boot_ms += ms;
        self.now.wall_ms = self.now.wall_after(ms);
    }

    fn limited_for(&self, ms: u64) -> Observation {
        Observation {
            environment: Some(Environment::Limit),
            retry_at_ms: Some(self.now.wall_after(ms)),
            ..Observation::default()
        }
    }
}

fn nothing() -> Observation {
    Observation {
        files: Fact::Measured(FileChanges::default()),
        ..Observation::default()
    }
}

fn somebody() -> Actor {
    Actor {
        user: "ada".into(),
        proof: AuthorityProof::NotNeeded,
    }
}

#[test]
fn a_usage_limit_shuts_the_gate_until_it_resets_and_not_a_moment_longer() {
    for preset in Preset::ALL {
        let mut it = Loop::new(Policy::of(preset));
        it.check();
        let limited = it.limited_for(5 * HOUR_MS);
        let until = limited.retry_at_ms;
        let denied = Gate::Deny(Denial {
            by: DeniedBy::Outage(Environment::Limit),
            retry_at_ms: until,
        });
        assert_eq!(it.record(limited), denied, "{preset}");
        assert_eq!(
            it.circuit.state(),
            State::Closed,
            "{preset}: not stagnation"
        );
        it.wait(5 * HOUR_MS - 1);
        assert_eq!(it.check(), denied, "{preset}");
        it.wait(1);
        assert_eq!(it.check(), Gate::Allow, "{preset}");
    }
}

#[test]
fn the_clock_that_ran_less_decides_and_no_limit_lasts_longer_than_eight_days() {
    let mut it = Loop::new(Policy::native());
    let limited = it.limited_for(HOUR_MS);
    it.record(limited);
    it.now.wall_ms = it.now.wall_after(2 * HOUR_MS);
    assert!(
        matches!(it.check(), Gate::Deny(_)),
        "a stepped clock waits for nobody"
    );
    it.now.boot_ms += HOUR_MS;
    assert_eq!(it.check(), Gate::Allow);

    let limited = it.limited_for(u64::MAX / 4);
    it.record(limited);
    it.wait(8 * 24 * HOUR_MS);
    assert_eq!(it.check(), Gate::Allow);
}

#[test]
fn trouble_without_a_time_or_long_past_shuts_nothing_and_a_sound_iteration_ends_it() {
    let mut it = Loop::new(Policy::native());
    let unknown = Observation {
        environment: Some(Environment::Overload),
        ..Observation::default()
    };
    assert_eq!(it.record(unknown), Gate::Allow);
    let past = Observation {
        environment: Some(Environment::Limit),
        retry_at_ms: Some(5),
        ..Observation::default()
    };
    assert_eq!(it.record(past), Gate::Allow);
    let limited = it.limited_for(HOUR_MS);
    assert!(matches!(it.record(limited), Gate::Deny(_)));
    assert_eq!(it.record(nothing()), Gate::Allow);
}

#[test]
fn a_probe_waits_for_the_limit_as_well() {
    let mut it = Loop::new(Policy::of(Preset::Superkit));
    for _ in 0..3 {
        it.check();
        it.record(nothing());
    }
    assert_eq!(it.circuit.state(), State::Open);
    it.wait(HOUR_MS);
    it.check();
    assert_eq!(it.circuit.state(), State::Probing);
    let limited = it.limited_for(3 * HOUR_MS);
    it.record(limited);
    it.wait(2 * HOUR_MS);
    let Gate::Deny(denial) = it.check() else {
        panic!("a probe was spent on a limit");
    };
    assert_eq!(denial.by, DeniedBy::Outage(Environment::Limit));
    it.wait(HOUR_MS);
    assert_eq!(it.check(), Gate::AllowOnce);
}

#[test]
fn observing_denies_nothing_but_decides_everything_and_releases_nothing() {
    let mut policy = Policy::native();
    policy.calls.limit = 2;
    policy.enforcement = Enforcement::Observe;
    let mut it = Loop::new(policy);
    for _ in 0..6 {
        assert_eq!(it.check(), Gate::Allow, "neither limit nor opening denies");
        it.record(nothing());
    }
    assert_eq!(it.circuit.state(), State::Open, "but it is seen and said");

    let mut it = Loop::new(Policy::native());
    let trip = Trip {
        reason: "enough".into(),
        by: somebody(),
        cause: fusebox_core::circuit::Cause::Asked,
    };
    let step = machine::trip(&it.circuit, &it.policy, trip, &it.now);
    it.take(step);
    it.policy.enforcement = Enforcement::Observe;
    assert!(
        matches!(it.check(), Gate::Deny(_)),
        "what was open stays so"
    );
}

#[test]
fn req_000_051_and_060_a_task_that_is_given_up_stays_so_until_it_is_taken_up_again() {
    let mut it = Loop::new(Policy::of(Preset::Cub));
    for task in ["a", "b", "a"] {
        let step = machine::block_task(
            &it.circuit,
            &it.policy,
            task.into(),
            "stuck".into(),
            somebody(),
            &it.now,
        );
        it.take(step);
    }
    assert_eq!(it.circuit.core.blocked, ["b", "a"]);
    let step = machine::reopen_task(&it.circuit, &it.policy, "b".into(), somebody(), &it.now);
    assert_eq!(step.entries.len(), 1);
    it.take(step);
    let step = machine::reopen_task(&it.circuit, &it.policy, "b".into(), somebody(), &it.now);
    assert!(step.entries.is_empty(), "nothing to take up");
    assert_eq!(it.circuit.core.blocked, ["a"]);
    for n in 0..100 {
        let step = machine::block_task(
            &it.circuit,
            &it.policy,
            n.to_string(),
            String::new(),
            somebody(),
            &it.now,
        );
        it.take(step);
    }
    assert_eq!(it.circuit.core.blocked.len(), 64);
    assert_eq!(it.circuit.core.blocked.last().unwrap(), "99");
}
