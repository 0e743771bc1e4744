//! May the next step run? The answer of each preset in each of its states.

use fusebox_core::circuit::{Cause, State};
use fusebox_core::decision::{Decision, Denial, Gate, Reading, Risk};
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine::{self, Step};
use fusebox_core::observation::{
    Claims, ErrorReport, FileChanges, PhaseMetrics, TestCounts, WorkPhase, WorkType,
};
use fusebox_core::policy::Preset;
use fusebox_core::signals::{Level, Signal};
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

    fn take(&mut self, step: Step) -> Decision {
        self.circuit = step.circuit;
        step.decision
    }

    fn check(&mut self) -> Decision {
        let step = machine::check(
            &self.circuit,
            &self.policy,
            machine::Start::default(),
            &self.now,
        );
        self.take(step)
    }

    fn record(&mut self, facts: Observation) -> Decision {
        let step = machine::record(
            &self.circuit,
            &self.policy,
            facts,
            machine::Claim::default(),
            &self.now,
        );
        self.take(step)
    }

    fn wait(&mut self, minutes: u64) {
        self.now.boot_ms += minutes * MINUTE;
        self.now.wall_ms = self.now.wall_after(minutes * MINUTE);
    }

    fn reset(&mut self) -> Decision {
        let by = Actor {
            user: "ada".into(),
            proof: AuthorityProof::Terminal,
        };
        let step = machine::reset(&self.circuit, &self.policy, "seen".into(), by, &self.now);
        self.take(step.expect("this preset lets a person release"))
    }

    /// Goes round once: asks, and reports if it may run.
    fn iterate(&mut self, facts: Observation) -> Decision {
        assert!(self.check().grant.is_some(), "{:?}", self.circuit.core);
        self.record(facts)
    }
}

fn files(count: u64) -> Observation {
    let paths = vec![];
    Observation {
        files: Fact::Measured(FileChanges { count, paths }),
        ..Observation::default()
    }
}

/// A phase action after which so many tests were written.
fn wrote_tests(count: u64, error: Option<&str>) -> Observation {
    let error = error.map(|message| ErrorReport {
        message: message.into(),
        ..ErrorReport::default()
    });
    Observation {
        phase: Some(WorkPhase::Red),
        metrics: PhaseMetrics {
            tests_generated: Some(count),
            ..PhaseMetrics::default()
        },
        errors: Fact::Measured(error.into_iter().collect()),
        ..Observation::default()
    }
}

fn session(features: u32) -> Observation {
    Observation {
        features_passed: Fact::Measured(features),
        ..files(9)
    }
}

fn reading(decision: &Decision, signal: Signal) -> Option<&Reading> {
    let mut readings = decision.readings.iter();
    readings.find(|reading| reading.signal == signal)
}

#[test]
fn req_001_001_to_002_and_004_to_008_and_014_and_020_and_084_to_086_prp_warns_and_goes_on_and_then_halts()
 {
    let mut it = Loop::new(Preset::Prp);
    let idle = || wrote_tests(0, None);
    assert_eq!(it.check().gate, Gate::Allow);
    it.record(idle());
    assert_eq!(it.circuit.state(), State::Closed);
    it.iterate(idle());
    let warned = it.check();
    assert_eq!((warned.state, warned.gate), (State::Watching, Gate::Allow));
    assert_eq!(
        (warned.reason.as_str(), warned.risk),
        ("No progress for 2 iterations", Risk::High)
    );
    it.record(idle());
    for _ in 0..3 {
        let denied = it.check();
        assert_eq!(denied.state, State::Open);
        assert!(matches!(denied.gate, Gate::Deny(_)) && denied.grant.is_none());
        assert_eq!(denied.reason, "No progress for 3 iterations");
    }
}

#[test]
fn req_001_026_and_028_to_032_a_release_leaves_nothing_of_the_opening() {
    let mut it = Loop::new(Preset::Prp);
    (0..3).for_each(|_| drop(it.iterate(wrote_tests(0, Some("boom")))));
    assert_eq!(it.circuit.state(), State::Open);
    let fresh = Circuit::default().core;
    assert_ne!(it.circuit.core.counters.errors, fresh.counters.errors);
    it.reset();
    let core = &it.circuit.core;
    assert_eq!(core.counters.no_progress, 0);
    assert_eq!(core.counters.errors, fresh.counters.errors);
    assert_eq!(core.phase.opening(), None, "neither reason nor time");
    assert_eq!(it.check().gate, Gate::Allow);
}

#[test]
fn req_001_025_and_087_to_091_what_prp_does_after_each_action() {
    let mut it = Loop::new(Preset::Prp);
    for (written, error, idle, same_error, state) in [
        (0, Some("boom"), 1, 1, State::Closed),
        (0, Some("boom"), 2, 2, State::Watching),
        (1, Some("boom"), 0, 3, State::Closed),
        (1, Some("boom"), 1, 4, State::Closed),
        (2, Some("boom"), 0, 5, State::Open),
    ] {
        let decision = it.iterate(wrote_tests(written, error));
        let value = |signal| reading(&decision, signal).map(|reading| reading.value);
        assert_eq!(value(Signal::NoProgress), Some(idle), "after {written}");
        assert_eq!(value(Signal::RepeatedError), Some(same_error));
        assert_eq!(it.circuit.state(), state, "after {written}");
    }
}

#[test]
fn req_003_002_to_004_and_006_bmad_goes_on_below_the_threshold_and_waits_for_a_person() {
    let mut it = Loop::new(Preset::Bmad);
    for _ in 0..5 {
        let healthy = it.check();
        assert_eq!((healthy.state, healthy.gate), (State::Closed, Gate::Allow));
        it.record(session(0));
    }
    for _ in 0..3 {
        it.wait(99_999);
        let denied = it.check();
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
        (0..5).for_each(|_| drop(it.iterate(session(0))));
        assert_eq!(it.circuit.state(), State::Open);
        it.reset();
        assert_eq!(it.circuit.state(), State::Closed);
        assert_eq!(it.circuit.core.counters.no_progress, 0);
    }
}

#[test]
fn req_004_006_to_007_and_010_to_014_and_033_and_038_and_116_and_118_to_125_superkit_step_by_step()
{
    let mut it = Loop::new(Preset::Superkit);
    for (count, score) in [(2, 2), (0, -3), (0, -3)] {
        let closed = it.check();
        assert_eq!((closed.state, closed.gate), (State::Closed, Gate::Allow));
        it.record(files(count));
        assert_eq!(it.circuit.rows.last().unwrap().score, Some(score));
    }
    let opened = it.check();
    assert_eq!(opened.state, State::Open);
    for (cooldown, files_changed, then) in [(30, 0, State::Open), (60, 1, State::Closed)] {
        let denied = it.check();
        assert!(!denied.reason.is_empty() && denied.grant.is_none());
        let Gate::Deny(Denial { retry_at_ms, .. }) = denied.gate else {
            panic!("{denied:?}");
        };
        assert_eq!(retry_at_ms, Some(it.now.wall_after(cooldown * MINUTE)));
        it.wait(cooldown - 1);
        assert!(it.check().grant.is_none());
        it.wait(1);
        let probe = it.check();
        assert_eq!((probe.state, probe.gate), (State::Probing, Gate::AllowOnce));
        assert!(it.check().grant.is_none(), "one probe and no second");
        it.record(files(files_changed));
        assert_eq!(it.circuit.state(), then);
    }
    assert_eq!(it.check().gate, Gate::Allow);
}

#[test]
fn req_000_017_and_031_to_033_cub_trips_on_the_first_claim_that_is_not_borne_out() {
    let claim = || Observation {
        claimed: Claims {
            complete: Some(true),
            ..Claims::default()
        },
        tasks_completed: Fact::Measured(1),
        ..files(1)
    };
    let tests = Fact::Measured(TestCounts {
        passed: 1,
        failed: 1,
        skipped: 0,
    });
    let unproven = Cause::Signal(Signal::Unproven);
    for (facts, cause) in [
        (claim(), None),
        (Observation { tests, ..claim() }, Some(unproven)),
        (
            Observation {
                required_missing: Fact::Measured(1),
                ..claim()
            },
            Some(unproven),
        ),
        (
            Observation {
                criteria_unmet: Fact::Measured(1),
                ..claim()
            },
            Some(unproven),
        ),
    ] {
        let mut it = Loop::new(Preset::Cub);
        it.record(facts.clone());
        let opening = it.circuit.core.phase.opening();
        assert_eq!(opening.map(|opening| opening.cause), cause, "{facts:?}");
    }
}

#[test]
fn req_000_005_cub_warns_of_more_than_three_tenths_of_work_on_tests_and_never_trips() {
    use WorkType::{Implementation, Testing};
    for (work, level) in [
        (
            &[Testing, Implementation, Implementation, Implementation][..],
            Level::Quiet,
        ),
        (&[Testing, Implementation, Implementation], Level::Warn),
        (&[Testing; 9], Level::Warn),
    ] {
        let mut it = Loop::new(Preset::Cub);
        for work_type in work {
            it.record(Observation {
                work_type: Some(*work_type),
                ..files(1)
            });
        }
        let decision = it.check();
        let share = reading(&decision, Signal::TestsOnly);
        let found = share.map_or(Level::Quiet, |reading| reading.level);
        assert_eq!((found, decision.state), (level, State::Closed), "{work:?}");
    }
}
