//! Each preset, driven through what its document promises of decisions.

use fusebox_core::circuit::{Cause, Release, State};
use fusebox_core::decision::Gate;
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine::{self, Claim, Refused, Retry, Start, Step, Trip};
use fusebox_core::observation::{
    Claims, ErrorReport, FileChanges, PhaseMetrics, TestCounts, WorkPhase, WorkType,
};
use fusebox_core::policy::{Enforcement, Preset};
use fusebox_core::signals::Signal;
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};

const MINUTE: u64 = 60_000;

struct Loop {
    circuit: Circuit,
    policy: Policy,
    now: Moment,
}

impl Loop {
    fn new(preset: Preset) -> Self {
        let now = Moment {
            wall_ms: 1_000_000,
            boot_ms: 5_000_000,
            boot: BootId(7),
        };
        Self {
            circuit: Circuit::default(),
            policy: Policy::of(preset),
            now,
        }
    }

    fn wait(&mut self, ms: u64) {
        self.now.boot_ms += ms;
        self.now.wall_ms += i64::try_from(ms).expect("a short wait");
    }

    fn take(&mut self, step: Step) -> Step {
        self.circuit = step.circuit.clone();
        step
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

    fn state(&self) -> State {
        self.circuit.state()
    }

    fn reason(&self) -> &str {
        self.circuit
            .core
            .phase
            .opening()
            .map_or("", |opening| opening.reason.as_str())
    }

    fn reset(&mut self) -> Result<(), Refused> {
        let step = machine::reset(
            &self.circuit,
            &self.policy,
            "seen".into(),
            person(),
            &self.now,
        )?;
        self.circuit = step.circuit;
        Ok(())
    }

    fn retry(&mut self, escalate: bool) -> Result<(), Refused> {
        let wish = Retry {
            note: "another model".into(),
            by: person(),
            escalate,
            rungs: 3,
        };
        let step = machine::retry(&self.circuit, &self.policy, wish, &self.now)?;
        self.circuit = step.circuit;
        Ok(())
    }
}

fn person() -> Actor {
    Actor {
        user: "ada".into(),
        proof: AuthorityProof::Terminal,
    }
}

fn files(count: u64) -> Observation {
    Observation {
        files: Fact::Measured(FileChanges {
            count,
            paths: vec![],
        }),
        ..Observation::default()
    }
}

fn failing(kind: &str, message: &str) -> Observation {
    let error = ErrorReport {
        kind: Some(kind.into()),
        message: message.into(),
        ..ErrorReport::default()
    };
    Observation {
        errors: Fact::Measured(vec![error]),
        ..files(1)
    }
}

fn phase(phase: WorkPhase, passing: u64, failing: u64) -> Observation {
    let metrics = PhaseMetrics {
        tests_passing: Some(passing),
        tests_failing: Some(failing),
        ..PhaseMetrics::default()
    };
    Observation {
        phase: Some(phase),
        metrics,
        errors: Fact::Measured(vec![]),
        ..Observation::default()
    }
}

fn to(step: &Step) -> Vec<State> {
    step.decision.transitions.iter().map(|t| t.to).collect()
}

#[test]
fn req_000_001_to_002_and_018_to_019_and_029_and_037_and_040_to_041_and_097_cub_trips_at_three() {
    let mut it = Loop::new(Preset::Cub);
    assert_eq!(to(&it.record(files(0))), []);
    assert_eq!(to(&it.record(files(0))), []);
    assert_eq!(to(&it.record(files(0))), [State::Open]);
    assert_eq!(it.reason(), "No progress for 3 iterations");
    assert!(matches!(it.check().decision.gate, Gate::Deny(_)));
    let mut it = Loop::new(Preset::Cub);
    for line in 1..=3 {
        it.record(failing("TypeError", &format!("x at line {line}")));
    }
    assert_eq!(
        (it.state(), it.reason()),
        (State::Open, "Same error repeated 3 times")
    );
}

#[test]
fn req_000_030_cub_trips_when_a_task_takes_five_iterations() {
    let mut it = Loop::new(Preset::Cub);
    for n in 1..=5 {
        assert_eq!(it.state(), State::Closed, "{n}");
        it.record(Observation {
            task: Some("T-1".into()),
            ..files(1)
        });
    }
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_000_072_each_signal_of_cub_can_be_off_and_then_never_trips() {
    let stuck = Observation {
        task: Some("T-1".into()),
        ..files(1)
    };
    let claim = Observation {
        claimed: Claims {
            complete: Some(true),
            ..Claims::default()
        },
        criteria_unmet: Fact::Measured(1),
        tasks_completed: Fact::Measured(1),
        ..files(1)
    };
    for (signal, facts) in [
        (Signal::NoProgress, files(0)),
        (Signal::RepeatedError, failing("TypeError", "x")),
        (Signal::TaskStuck, stuck),
        (Signal::Unproven, claim),
    ] {
        for (off, state) in [(false, State::Open), (true, State::Closed)] {
            let mut it = Loop::new(Preset::Cub);
            if off {
                it.policy.rules.switch_off(signal);
            }
            (0..20).for_each(|_| drop(it.record(facts.clone())));
            assert_eq!(it.state(), state, "{signal:?} off: {off}");
        }
    }
}

#[test]
fn req_000_038_cub_continue_closes_and_retry_probes_once() {
    let mut it = Loop::new(Preset::Cub);
    let trip = |it: &mut Loop| (0..3).for_each(|_| drop(it.record(files(0))));
    trip(&mut it);
    it.wait(999 * MINUTE);
    assert!(
        matches!(it.check().decision.gate, Gate::Deny(_)),
        "no clock releases it"
    );
    it.reset().unwrap();
    assert_eq!(
        (it.state(), it.circuit.core.counters.no_progress),
        (State::Closed, 0)
    );
    trip(&mut it);
    it.retry(false).unwrap();
    assert_eq!(
        (it.check().decision.gate, it.state()),
        (Gate::AllowOnce, State::Probing)
    );
    it.record(files(1));
    assert_eq!(it.state(), State::Closed);
}

#[test]
fn req_000_065_the_ladder_is_climbed_in_order_and_ends() {
    let mut it = Loop::new(Preset::Cub);
    (0..3).for_each(|_| drop(it.record(files(0))));
    for rung in 1..=2 {
        it.retry(true).unwrap();
        assert_eq!(it.circuit.core.rung, rung);
        it.check();
        it.record(files(0));
        assert_eq!(it.state(), State::Open);
    }
    assert_eq!(it.retry(true), Err(Refused::TopOfTheLadder));
    it.retry(false).unwrap();
    it.check();
    it.record(files(1));
    assert_eq!(
        (it.state(), it.circuit.core.rung),
        (State::Closed, 0),
        "after success back to the base"
    );
}

#[test]
fn req_000_055_and_x_002_alert_goes_on_while_open_and_speaks_again_every_threshold_iterations() {
    let mut it = Loop::new(Preset::Cub);
    it.policy.enforcement = Enforcement::Announce;
    let mut spoke = Vec::new();
    for n in 1..=9 {
        if !to(&it.record(files(0))).is_empty() {
            spoke.push(n);
        }
        assert_eq!(it.check().decision.gate, Gate::Allow);
    }
    assert_eq!(spoke, [3, 6, 9]);
    assert_eq!(to(&it.record(files(1))), [State::Closed]);
}

#[test]
fn req_001_012_and_015_and_022_and_024_prp_warns_at_two_opens_at_its_phase_and_closes_on_progress()
{
    let mut it = Loop::new(Preset::Prp);
    it.record(phase(WorkPhase::Refactor, 3, 7));
    assert_eq!(it.state(), State::Closed);
    assert_eq!(
        to(&it.record(phase(WorkPhase::Refactor, 3, 7))),
        [State::Watching]
    );
    for _ in 0..2 {
        it.record(phase(WorkPhase::Refactor, 3, 7));
        assert_eq!(it.state(), State::Watching);
    }
    assert_eq!(
        to(&it.record(phase(WorkPhase::Refactor, 3, 7))),
        [State::Open]
    );
    assert_eq!(it.reason(), "No progress for 5 iterations");

    let mut it = Loop::new(Preset::Prp);
    it.record(phase(WorkPhase::Red, 0, 0));
    it.record(phase(WorkPhase::Red, 0, 0));
    let mut better = phase(WorkPhase::Red, 0, 0);
    better.metrics.tests_generated = Some(1);
    assert_eq!(to(&it.record(better)), [State::Closed]);
    assert_eq!(it.circuit.core.counters.no_progress, 0);
}

#[test]
fn req_001_041_green_opens_through_half_open_in_one_evaluation() {
    let mut it = Loop::new(Preset::Prp);
    it.record(phase(WorkPhase::Green, 3, 7));
    it.record(phase(WorkPhase::Green, 3, 7));
    assert_eq!(
        to(&it.record(phase(WorkPhase::Green, 3, 7))),
        [State::Watching, State::Open]
    );
}

#[test]
fn req_001_042_and_056_to_058_the_same_exact_error_opens_from_closed() {
    let mut it = Loop::new(Preset::Prp);
    let boom = |passing, message: &str| Observation {
        errors: failing("E", message).errors,
        ..phase(WorkPhase::Green, passing, 9)
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
    it.record(boom(4, "boom at 2"));
    assert_eq!(
        (it.state(), it.reason()),
        (State::Open, "Same error repeated 3 times")
    );
}

#[test]
fn req_001_011_neither_time_nor_late_progress_closes_prp() {
    let mut it = Loop::new(Preset::Prp);
    (0..3).for_each(|_| drop(it.record(phase(WorkPhase::Green, 3, 7))));
    it.wait(99_999 * MINUTE);
    assert!(matches!(it.check().decision.gate, Gate::Deny(_)));
    it.record(phase(WorkPhase::Green, 9, 1));
    assert_eq!(it.state(), State::Open);
    it.reset().unwrap();
    assert_eq!(it.state(), State::Closed);
}

#[test]
fn another_phase_counts_anew_closes_a_warning_and_leaves_an_opening() {
    let mut it = Loop::new(Preset::Prp);
    it.record(phase(WorkPhase::Red, 0, 0));
    it.record(phase(WorkPhase::Red, 0, 0));
    assert_eq!(it.state(), State::Watching);
    let step = machine::enter_phase(&it.circuit, &it.policy, WorkPhase::Green, &it.now);
    assert_eq!(to(&it.take(step)), [State::Closed]);
    assert_eq!(it.circuit.core.counters.no_progress, 0);
    (0..2).for_each(|_| drop(it.record(phase(WorkPhase::Green, 0, 5))));
    assert_eq!(it.state(), State::Open);
    let step = machine::enter_phase(&it.circuit, &it.policy, WorkPhase::Document, &it.now);
    it.take(step);
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_003_022_and_024_and_026_and_029_and_064_to_065_five_sessions_in_a_row_trip_bmad() {
    let session = |features| Observation {
        features_passed: Fact::Measured(features),
        ..files(9)
    };
    let mut it = Loop::new(Preset::Bmad);
    for features in [0, 0, 0, 0, 1, 0, 0, 0, 0] {
        it.record(session(features));
        assert_eq!(it.state(), State::Closed);
    }
    it.record(session(0));
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_003_061_to_062_and_068_an_edited_threshold_moves_bmad_both_ways_at_once() {
    let mut it = Loop::new(Preset::Bmad);
    (0..4).for_each(|_| {
        drop(it.record(Observation {
            features_passed: Fact::Measured(0),
            ..Observation::default()
        }));
    });
    for (threshold, state) in [(4, State::Open), (6, State::Closed), (3, State::Open)] {
        it.policy = Policy::of(Preset::Bmad)
            .with_stagnation_threshold(threshold)
            .unwrap();
        let step = machine::reconsider(&it.circuit, &it.policy, &it.now);
        it.take(step);
        assert_eq!(it.state(), state, "{threshold}");
    }
}

#[test]
fn req_003_063_complete_ends_the_loop_and_triggered_outranks_it() {
    let mut it = Loop::new(Preset::Bmad);
    let step = machine::complete(&it.circuit, &it.policy, &it.now);
    it.take(step);
    assert_eq!(it.state(), State::Complete);
    assert!(it.check().decision.grant.is_none());
    it.reset().unwrap();
    (0..5).for_each(|_| drop(it.record(Observation::default())));
    let step = machine::complete(&it.circuit, &it.policy, &it.now);
    it.take(step);
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_004_095_nobody_overrides_superkit_and_the_cooldown_is_the_only_way_out() {
    let mut it = Loop::new(Preset::Superkit);
    (0..3).for_each(|_| drop(it.record(files(0))));
    assert_eq!(it.reset(), Err(Refused::OnlyTheCooldown));
    assert_eq!(it.retry(false), Err(Refused::OnlyTheCooldown));
    it.wait(30 * MINUTE);
    assert_eq!(it.check().decision.gate, Gate::AllowOnce);
    assert_eq!(it.reset(), Err(Refused::OnlyTheCooldown));
    let mut it = Loop::new(Preset::Superkit);
    let trip = Trip {
        reason: "asked".into(),
        by: person(),
        cause: Cause::Asked,
    };
    let step = machine::trip(&it.circuit, &it.policy, trip, &it.now);
    it.take(step);
    assert!(matches!(
        it.circuit.core.phase.opening().unwrap().release,
        Release::Cooldown(_)
    ));
}

#[test]
fn req_004_039_a_probe_of_superkit_must_score_above_zero() {
    for (facts, closed) in [
        (files(1), true),
        (files(0), false),
        (
            Observation {
                tasks_completed: Fact::Measured(1),
                ..files(0)
            },
            true,
        ),
        (Observation::default(), false),
    ] {
        let mut it = Loop::new(Preset::Superkit);
        (0..3).for_each(|_| drop(it.record(files(0))));
        it.wait(30 * MINUTE);
        it.check();
        it.record(facts.clone());
        assert_eq!(it.state() == State::Closed, closed, "{facts:?}");
    }
}

#[test]
fn req_004_019_to_025_and_034_to_035_and_110_the_other_conditions_of_superkit_open_at_once() {
    let lines = |lines| Observation {
        output_lines: Fact::Measured(lines),
        ..files(1)
    };
    let tests = || Observation {
        work_type: Some(WorkType::Testing),
        tasks_completed: Fact::Measured(1),
        ..files(1)
    };
    let tried = |name: &str| Observation {
        approach: Some(name.into()),
        ..files(1)
    };
    let denied = |run| Observation {
        permission_denials: Fact::Measured(run),
        ..files(1)
    };
    for (signal, ticks) in [
        (
            Signal::OutputDecline,
            vec![lines(100), lines(100), lines(30)],
        ),
        (Signal::Denials, vec![denied(2), denied(3)]),
        (Signal::TestsOnly, vec![tests(), tests(), tests()]),
        (
            Signal::Circular,
            vec![
                tried("patch"),
                tried("rewrite"),
                tried("Patch "),
                tried("rewrite"),
            ],
        ),
        (Signal::Score, vec![files(0), files(0), files(1)]),
    ] {
        let mut it = Loop::new(Preset::Superkit);
        let last = ticks.len() - 1;
        for (n, facts) in ticks.into_iter().enumerate() {
            assert_eq!(it.state(), State::Closed, "{signal:?} opened early");
            it.record(facts);
            assert_eq!(it.state() == State::Open, n == last, "{signal:?} at {n}");
        }
        assert_eq!(
            it.circuit.core.phase.opening().unwrap().cause,
            Cause::Signal(signal)
        );
    }
}

#[test]
fn req_004_046_a_relapse_within_three_iterations_of_a_recovery_goes_to_a_person() {
    let mut it = Loop::new(Preset::Native);
    (0..3).for_each(|_| drop(it.record(files(0))));
    it.wait(30 * MINUTE);
    it.check();
    it.record(files(1));
    (0..3).for_each(|_| drop(it.record(files(0))));
    let opening = it.circuit.core.phase.opening().unwrap();
    assert_eq!((opening.release, opening.escalate), (Release::Person, true));

    let mut it = Loop::new(Preset::Native);
    (0..3).for_each(|_| drop(it.record(files(0))));
    it.wait(30 * MINUTE);
    it.check();
    it.record(files(1));
    it.record(files(1));
    (0..3).for_each(|_| drop(it.record(files(0))));
    assert!(
        !it.circuit.core.phase.opening().unwrap().escalate,
        "the fourth is no relapse"
    );
}

#[test]
fn req_004_045_strategies_are_taken_in_order_and_end_with_the_fourth() {
    let mut it = Loop::new(Preset::Superkit);
    let recover = |it: &mut Loop, strategy| {
        let step = machine::recover(
            &it.circuit,
            &it.policy,
            strategy,
            "note".into(),
            person(),
            &it.now,
        );
        step.map(|step| drop(it.take(step)))
    };
    assert_eq!(recover(&mut it, None), Err(Refused::NotOpen));
    (0..3).for_each(|_| drop(it.record(files(0))));
    let gate = it.check().decision.gate;
    for number in 1..=4 {
        recover(&mut it, None).unwrap();
        assert_eq!(it.circuit.core.strategies, number);
    }
    assert_eq!(
        it.check().decision.gate,
        gate,
        "a strategy changes the probe, not the wait"
    );
    assert_eq!(recover(&mut it, None), Err(Refused::NoSuchStrategy));
    assert_eq!(recover(&mut it, Some(0)), Err(Refused::NoSuchStrategy));
    recover(&mut it, Some(2)).unwrap();
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
    let failing_tests = Fact::Measured(TestCounts {
        passed: 1,
        failed: 2,
        skipped: 0,
    });
    let claims = || Observation {
        claimed: Claims {
            complete: Some(true),
            ..Claims::default()
        },
        tests: failing_tests,
        tasks_completed: Fact::Measured(1),
        ..files(1)
    };
    for (signal, ticks) in [
        (
            Signal::Returns,
            vec![tree("a"), tree("b"), tree("a"), tree("b")],
        ),
        (Signal::NeedsPerson, vec![asks(), asks()]),
        (Signal::Drift, vec![edits(); 8]),
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
        assert_eq!(
            it.circuit.core.phase.opening().unwrap().cause,
            Cause::Signal(signal)
        );
        assert!(
            !it.circuit.core.phase.opening().unwrap().evidence.is_empty(),
            "{signal:?}"
        );
    }
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
