//! The engine, driven as its callers drive it: one step at a time, with a clock
//! that the test moves.

use fusebox_core::circuit::{Cause, GrantId, Release, State};
use fusebox_core::decision::{Denial, DeniedBy, Gate, Place, Risk};
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine::{self, Claim, Start, Step, Trip};
use fusebox_core::observation::{Ended, Environment, ErrorReport, FileChanges};
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};

const MINUTE: u64 = 60_000;

struct Loop {
    circuit: Circuit,
    policy: Policy,
    now: Moment,
}

impl Loop {
    fn new() -> Self {
        let now = Moment {
            wall_ms: 1_000_000,
            boot_ms: 5_000_000,
            boot: BootId(7),
        };
        Self {
            circuit: Circuit::default(),
            policy: Policy::native(),
            now,
        }
    }

    fn take(&mut self, step: Step) -> Step {
        self.circuit = step.circuit.clone();
        step
    }

    fn wait(&mut self, ms: u64) {
        self.now.boot_ms += ms;
        self.now.wall_ms += i64::try_from(ms).expect("a short wait");
    }

    fn check(&mut self) -> Step {
        let step = machine::check(&self.circuit, &self.policy, Start::default(), &self.now);
        self.take(step)
    }

    fn record(&mut self, facts: Observation) -> Step {
        let step = machine::record(
            &self.circuit,
            &self.policy,
            facts,
            Claim::default(),
            &self.now,
        );
        self.take(step)
    }

    fn iterate(&mut self, facts: Observation) -> Step {
        assert!(self.check().decision.grant.is_some());
        self.record(facts)
    }

    fn open(&mut self) {
        for _ in 0..3 {
            self.iterate(idle());
        }
        assert_eq!(self.circuit.state(), State::Open);
    }
}

fn idle() -> Observation {
    Observation {
        files: Fact::Measured(FileChanges::default()),
        ..Observation::default()
    }
}

fn work() -> Observation {
    let files = FileChanges {
        count: 2,
        paths: vec!["a".into(), "b".into()],
    };
    Observation {
        files: Fact::Measured(files),
        ..Observation::default()
    }
}

fn failing(message: &str) -> Observation {
    let error = ErrorReport {
        message: message.into(),
        ..ErrorReport::default()
    };
    Observation {
        errors: Fact::Measured(vec![error]),
        ..work()
    }
}

fn person() -> Actor {
    Actor {
        user: "ada".into(),
        proof: AuthorityProof::Terminal,
    }
}

fn states(step: &Step) -> Vec<State> {
    step.decision.transitions.iter().map(|t| t.to).collect()
}

#[test]
fn req_004_015_three_idle_iterations_warn_and_then_open_with_evidence() {
    let mut it = Loop::new();
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
    let opening = it.circuit.core.phase.opening().unwrap();
    let evidence: Vec<&Place> = opening.evidence.iter().map(|e| &e.place).collect();
    assert_eq!(
        evidence,
        [2, 3, 4].map(Place::Iteration).iter().collect::<Vec<_>>()
    );
    assert_eq!(opening.evidence[0].found, "no file changed");
}

#[test]
fn req_004_017_the_same_error_five_times_opens_although_files_change() {
    let mut it = Loop::new();
    for line in 1..=4 {
        it.iterate(failing(&format!("src/a.rs:{line}: x is undefined")));
        assert_ne!(it.circuit.state(), State::Open);
    }
    let tripped = it.iterate(failing("src/a.rs:99: x is undefined")).decision;
    assert_eq!(tripped.state, State::Open);
    assert_eq!(tripped.reason, "Same error repeated 5 times");
    assert_eq!(it.circuit.core.phase.opening().unwrap().evidence.len(), 5);
}

#[test]
fn different_errors_with_real_changes_never_open() {
    let mut it = Loop::new();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        it.iterate(failing(&format!("cannot find {name}")));
        assert_eq!(it.circuit.state(), State::Closed);
    }
}

#[test]
fn req_000_017_claims_are_not_progress() {
    let mut it = Loop::new();
    for _ in 0..3 {
        let mut facts = idle();
        facts.files = Fact::Claimed(FileChanges {
            count: 9,
            paths: vec![],
        });
        facts.tasks_completed = Fact::Claimed(4);
        facts.claimed.complete = Some(true);
        it.iterate(facts);
    }
    assert_eq!(it.circuit.state(), State::Open);
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
        let mut it = Loop::new();
        it.iterate(idle());
        it.iterate(idle());
        for _ in 0..9 {
            it.iterate(excused.clone());
            assert_eq!(it.circuit.state(), State::Watching);
            assert_eq!(
                it.circuit.rows.last().unwrap().score,
                None,
                "it is worth nothing, not less"
            );
        }
        it.iterate(idle());
        assert_eq!(it.circuit.state(), State::Open);
    }
}

#[test]
fn no_fact_at_all_and_no_report_at_all_are_no_progress() {
    let mut it = Loop::new();
    it.iterate(Observation::default());
    it.check();
    it.check();
    let denied = it.check().decision;
    assert_eq!(
        denied.state,
        State::Open,
        "one empty report, two iterations never reported"
    );
    let found: Vec<_> = it
        .circuit
        .core
        .phase
        .opening()
        .unwrap()
        .evidence
        .iter()
        .map(|e| e.found.as_str())
        .collect();
    assert_eq!(
        found,
        [
            "file changes unknown",
            "started and never reported",
            "started and never reported"
        ]
    );
}

#[test]
fn req_004_009_after_the_cooldown_exactly_one_probe_runs() {
    let mut it = Loop::new();
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
    let mut it = Loop::new();
    it.open();
    it.wait(30 * MINUTE);
    let closed = it.iterate(work()).decision;
    assert_eq!((closed.state, closed.gate), (State::Closed, Gate::Allow));
    it.iterate(idle());
    it.iterate(idle());
    assert_eq!(it.circuit.state(), State::Watching);
}

#[test]
fn req_004_040_each_failed_probe_doubles_the_wait_and_the_third_leaves_it_to_a_person() {
    let mut it = Loop::new();
    it.open();
    for minutes in [60, 120] {
        it.wait(24 * 60 * MINUTE);
        it.iterate(idle());
        let release = it.circuit.core.phase.opening().unwrap().release;
        assert_eq!(release, Release::Cooldown(minutes * MINUTE));
    }
    it.wait(24 * 60 * MINUTE);
    it.iterate(idle());
    assert_eq!(
        it.circuit.core.phase.opening().unwrap().release,
        Release::Person
    );
    it.wait(9999 * 60 * MINUTE);
    assert!(it.check().decision.grant.is_none());
}

#[test]
fn a_probe_that_never_reports_fails_at_its_deadline() {
    let mut it = Loop::new();
    it.open();
    it.wait(30 * MINUTE);
    it.check();
    it.wait(30 * MINUTE);
    let late = it.check().decision;
    assert_eq!(late.state, State::Open);
    assert_eq!(it.circuit.core.failed_probes, 1);
    assert!(late.grant.is_none());
}

#[test]
fn outside_trouble_during_a_probe_proves_nothing() {
    let mut it = Loop::new();
    it.open();
    it.wait(30 * MINUTE);
    it.iterate(Observation {
        environment: Some(Environment::Network),
        ..Observation::default()
    });
    assert_eq!(it.circuit.core.failed_probes, 0);
    assert_eq!(
        it.circuit.core.phase.opening().unwrap().release,
        Release::Cooldown(30 * MINUTE)
    );
    assert!(it.check().decision.grant.is_none());
}

#[test]
fn stepping_the_wall_clock_does_not_end_a_cooldown() {
    let mut it = Loop::new();
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
fn late_results_are_remembered_and_cannot_close() {
    let mut it = Loop::new();
    it.check();
    let trip = Trip {
        reason: "looks wrong".into(),
        by: person(),
        cause: Cause::Asked,
    };
    let step = machine::trip(&it.circuit, &it.policy, trip, &it.now);
    it.take(step);
    let step = it.record(work());
    assert_eq!((step.decision.state, step.entries.len()), (State::Open, 1));
    assert!(step.entries[0].outcome.row.is_some() && it.circuit.rows.is_empty());

    let mut it = Loop::new();
    it.check();
    it.check();
    let step = machine::record(
        &it.circuit,
        &it.policy,
        work(),
        Claim {
            grant: Some(GrantId(1)),
            secret: None,
        },
        &it.now,
    );
    it.take(step);
    assert_eq!(
        it.circuit.core.counters.no_progress, 1,
        "it was already counted as unreported"
    );
    assert!(
        it.circuit.core.pending.is_some(),
        "the iteration under way is not settled by it"
    );
}

#[test]
fn a_trip_by_request_stays_until_a_person_resets() {
    let mut it = Loop::new();
    let trip = Trip {
        reason: "stop".into(),
        by: person(),
        cause: Cause::Asked,
    };
    let step = machine::trip(&it.circuit, &it.policy, trip, &it.now);
    it.take(step);
    it.wait(365 * 24 * 60 * MINUTE);
    let denied = it.check().decision;
    assert_eq!((denied.reason.as_str(), denied.grant), ("stop", None));
    let step = machine::reset(&it.circuit, &it.policy, "seen".into(), person(), &it.now).unwrap();
    assert_eq!(states(&it.take(step)), [State::Closed]);
    assert!(it.check().decision.grant.is_some());
}

#[test]
fn a_threshold_of_one_still_warns_first() {
    let mut it = Loop::new();
    it.policy = Policy::native().with_stagnation_threshold(1).unwrap();
    assert_eq!(states(&it.iterate(idle())), [State::Watching, State::Open]);
}

#[test]
fn req_004_051_the_hundred_and_first_call_is_told_when_to_come_back() {
    let mut it = Loop::new();
    for n in 0..100 {
        let step = it.iterate(work());
        assert_eq!(step.decision.calls.near, n >= 79);
        it.wait(1_000);
    }
    let denied = it.check();
    assert!(denied.entries.is_empty());
    let expected = it.now.wall_after(3_600_000 - 100_000);
    assert_eq!(
        denied.decision.gate,
        Gate::Deny(Denial {
            by: DeniedBy::CallLimit,
            retry_at_ms: Some(expected)
        })
    );
    it.wait(3_500_000);
    assert!(it.check().decision.grant.is_some());
}

#[test]
fn no_probe_is_spent_when_few_calls_are_left() {
    let mut it = Loop::new();
    it.open();
    it.wait(29 * MINUTE);
    let step = machine::take(&it.circuit, &it.policy, 85, &it.now);
    it.take(step);
    it.wait(MINUTE);
    let denied = it.check().decision;
    assert!(
        matches!(
            denied.gate,
            Gate::Deny(Denial {
                by: DeniedBy::CallsScarce,
                ..
            })
        ),
        "{denied:?}"
    );
    it.wait(59 * MINUTE);
    assert_eq!(it.check().decision.gate, Gate::AllowOnce);
}

#[test]
fn a_huge_report_leaves_a_small_state() {
    let mut it = Loop::new();
    let error = |n: usize| ErrorReport {
        message: format!("{n} {}", "x".repeat(100_000)),
        ..ErrorReport::default()
    };
    for _ in 0..20 {
        let mut facts = work();
        facts.errors = Fact::Measured((0..500).map(error).collect());
        facts.task = Some("t".repeat(1_000_000));
        let step = machine::record(&it.circuit, &it.policy, facts, Claim::default(), &it.now);
        let bytes = serde_json::to_vec(&step.entries).unwrap().len();
        assert!(bytes < 256 * 1024, "{bytes}");
        it.take(step);
    }
    assert!(serde_json::to_vec(&it.circuit).unwrap().len() < 64 * 1024);
}

#[test]
fn a_report_in_the_supervisors_place_opens_the_breaker_at_once() {
    let supervised = |it: &mut Loop| {
        let start = Start {
            tree: None,
            secret: Some(7),
        };
        let step = machine::check(&it.circuit, &it.policy, start, &it.now);
        it.take(step)
    };
    for claim in [
        Claim::default(),
        Claim {
            grant: Some(GrantId(1)),
            secret: None,
        },
        Claim {
            grant: Some(GrantId(1)),
            secret: Some(8),
        },
        Claim {
            grant: Some(GrantId(9)),
            secret: None,
        },
    ] {
        let mut it = Loop::new();
        supervised(&mut it);
        let step = machine::record(&it.circuit, &it.policy, work(), claim, &it.now);
        it.take(step);
        assert_eq!(it.circuit.state(), State::Open, "{claim:?}");
        let release = it.circuit.core.phase.opening().unwrap().release;
        assert_eq!(release, Release::Person);
    }
    let mut it = Loop::new();
    assert!(supervised(&mut it).decision.grant.is_some());
    let beside = it.check();
    assert_eq!(
        (beside.decision.grant, beside.entries.len()),
        (None, 0),
        "nothing beside it"
    );
    assert_eq!(
        beside.decision.gate,
        Gate::Allow,
        "its own grant covers what happens inside"
    );
    let claim = Claim {
        grant: Some(GrantId(1)),
        secret: Some(7),
    };
    let step = machine::record(&it.circuit, &it.policy, work(), claim, &it.now);
    it.take(step);
    assert_eq!(
        (it.circuit.state(), it.circuit.core.totals.progress),
        (State::Closed, 1)
    );
}

#[test]
fn a_probes_deadline_is_that_of_its_own_grant() {
    let mut it = Loop::new();
    it.open();
    it.wait(30 * MINUTE);
    it.policy.iteration_limit_ms = 180 * MINUTE;
    it.check();
    it.policy = Policy::native();
    it.wait(31 * MINUTE);
    assert!(it.check().decision.grant.is_none());
    assert_eq!(
        it.circuit.state(),
        State::Probing,
        "somebody else's limit does not end it"
    );
}

#[test]
fn asking_again_never_shortens_a_wait_nor_hides_the_first_reason() {
    let mut it = Loop::new();
    it.policy = Policy::of(fusebox_core::Preset::Superkit);
    it.open();
    for _ in 0..2 {
        it.wait(24 * 60 * MINUTE);
        it.iterate(idle());
    }
    let before = it.circuit.core.phase.opening().unwrap().clone();
    assert_eq!(before.release, Release::Cooldown(120 * MINUTE));
    let trip = Trip {
        reason: "hurry".into(),
        by: person(),
        cause: Cause::Asked,
    };
    let step = machine::trip(&it.circuit, &it.policy, trip, &it.now);
    it.take(step);
    let after = it.circuit.core.phase.opening().unwrap();
    assert_eq!(
        (after.release, &after.reason, &after.evidence),
        (before.release, &before.reason, &before.evidence)
    );
}

#[test]
fn naming_phases_in_turn_hides_nothing_where_there_are_none() {
    use fusebox_core::observation::WorkPhase;
    let mut it = Loop::new();
    for phase in [WorkPhase::Red, WorkPhase::Green, WorkPhase::Red] {
        it.iterate(Observation {
            phase: Some(phase),
            ..idle()
        });
    }
    assert_eq!(it.circuit.state(), State::Open);
}

#[test]
fn the_largest_numbers_overflow_nothing() {
    let mut it = Loop::new();
    for lines in [u64::MAX, u64::MAX, 1] {
        let mut facts = work();
        facts.output_lines = Fact::Measured(lines);
        facts.metrics.tests_passing = Some(u64::MAX);
        facts.metrics.tests_failing = Some(5);
        facts.duration_ms = Some(u64::MAX);
        facts.tasks_completed = Fact::Measured(u32::MAX);
        it.record(facts);
    }
    let decline = it
        .record(work())
        .decision
        .readings
        .iter()
        .map(|reading| reading.value)
        .max();
    assert!(decline.is_some());
}
