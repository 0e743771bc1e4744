//! A loop under a breaker, with a clock that the test moves, and the facts it
//! reports.

use fusebox_core::circuit::{Cause, Opening, State};
use fusebox_core::decision::{Decision, Reading};
use fusebox_core::journal::{Actor, AuthorityProof};
use fusebox_core::machine::{self, Claim, Refused, Retry, Start, Step, Trip};
use fusebox_core::observation::{Claims, ErrorReport, FileChanges, PhaseMetrics, WorkPhase};
use fusebox_core::policy::{Preset, WindowLimit};
use fusebox_core::signals::Signal;
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};

pub(crate) const MINUTE: u64 = 60_000;

/// A budget in whose window two iterations find room, and a third does not.
pub(crate) const RULE: WindowLimit = WindowLimit {
    limit: 100,
    window_ms: 6_200,
    reserve: 40,
    warn_percent: 80,
};

/// So long after the machine was booted.
pub(crate) fn up(boot_ms: u64) -> Moment {
    Moment {
        wall_ms: 0,
        boot_ms,
        boot: BootId(1),
    }
}

pub(crate) struct Loop {
    pub(crate) circuit: Circuit,
    pub(crate) policy: Policy,
    pub(crate) now: Moment,
}

impl Loop {
    pub(crate) fn new(preset: Preset) -> Self {
        Self::under(Policy::of(preset))
    }

    pub(crate) fn under(policy: Policy) -> Self {
        let now = Moment {
            wall_ms: 1_000_000,
            boot_ms: 5_000_000,
            boot: BootId(7),
        };
        Self {
            circuit: Circuit::default(),
            policy,
            now,
        }
    }

    /// Goes on from a step, as its callers do: what is written and read back
    /// must give the same state.
    pub(crate) fn take(&mut self, step: Step) -> Step {
        let mut replayed = self.circuit.clone();
        for entry in &step.entries {
            let line = serde_json::to_string(entry).expect("an entry can be written");
            replayed.fold(&serde_json::from_str(&line).expect("and read"));
        }
        if !step.entries.is_empty() {
            assert_eq!(replayed, step.circuit);
        }
        let slot = serde_json::to_string(&step.circuit).expect("a state can be written");
        self.circuit = serde_json::from_str(&slot).expect("and read");
        assert_eq!(self.circuit, step.circuit);
        step
    }

    pub(crate) fn wait(&mut self, ms: u64) {
        self.now.boot_ms += ms;
        self.now.wall_ms = self.now.wall_after(ms);
    }

    pub(crate) fn check(&mut self) -> Step {
        self.check_with(Start::default())
    }

    pub(crate) fn check_with(&mut self, start: Start) -> Step {
        let step = machine::check(&self.circuit, &self.policy, start, &self.now);
        self.take(step)
    }

    pub(crate) fn record(&mut self, facts: Observation) -> Step {
        self.record_by(Claim::default(), facts)
    }

    pub(crate) fn record_by(&mut self, claim: Claim, facts: Observation) -> Step {
        let step = machine::record(&self.circuit, &self.policy, facts, claim, &self.now);
        self.take(step)
    }

    /// Goes round once: asks, and reports.
    pub(crate) fn iterate(&mut self, facts: Observation) -> Step {
        assert!(self.check().decision.grant.is_some(), "{:?}", self.circuit);
        self.record(facts)
    }

    /// Reports the same facts so many times.
    pub(crate) fn repeat(&mut self, times: u32, facts: &Observation) {
        for _ in 0..times {
            self.record(facts.clone());
        }
    }

    /// Opens by three idle iterations.
    pub(crate) fn open(&mut self) {
        self.repeat(3, &idle());
        assert_eq!(self.state(), State::Open);
    }

    /// Opens, and asks for a probe once the wait is over.
    pub(crate) fn probe(&mut self) {
        self.open();
        self.wait(30 * MINUTE);
        self.check();
        assert_eq!(self.state(), State::Probing);
    }

    pub(crate) fn trip(&mut self, reason: &str) -> Step {
        let trip = Trip {
            reason: reason.into(),
            by: person(),
            cause: Cause::Asked,
        };
        let step = machine::trip(&self.circuit, &self.policy, trip, &self.now);
        self.take(step)
    }

    pub(crate) fn reset(&mut self) -> Result<Step, Refused> {
        let reason = "seen".to_owned();
        let step = machine::reset(&self.circuit, &self.policy, reason, person(), &self.now)?;
        Ok(self.take(step))
    }

    pub(crate) fn retry(&mut self, escalate: bool) -> Result<Step, Refused> {
        let wish = Retry {
            note: "another model".into(),
            by: person(),
            escalate,
            rungs: 3,
        };
        let step = machine::retry(&self.circuit, &self.policy, wish, &self.now)?;
        Ok(self.take(step))
    }

    pub(crate) fn recover(&mut self, strategy: Option<u32>) -> Result<Step, Refused> {
        let (policy, note) = (&self.policy, "note".to_owned());
        let step = machine::recover(&self.circuit, policy, strategy, note, person(), &self.now)?;
        Ok(self.take(step))
    }

    /// A person sets the threshold, which is then in force.
    pub(crate) fn set_threshold(&mut self, threshold: u32) -> Step {
        let policy = self.policy.clone().with_stagnation_threshold(threshold);
        self.policy = policy.expect("a threshold in range");
        let (policy, reason, by) = (&self.policy, "edited".to_owned(), person());
        let set = machine::set_threshold(&self.circuit, policy, threshold, reason, by, &self.now);
        self.take(set.expect("a threshold in range"))
    }

    pub(crate) fn complete(&mut self) -> Step {
        let step = machine::complete(&self.circuit, &self.policy, &self.now);
        self.take(step)
    }

    pub(crate) fn enter(&mut self, phase: WorkPhase) -> Step {
        let step = machine::enter_phase(&self.circuit, &self.policy, phase, &self.now);
        self.take(step)
    }

    pub(crate) fn state(&self) -> State {
        self.circuit.state()
    }

    /// Why it is open.
    pub(crate) fn opening(&self) -> &Opening {
        let opening = self.circuit.core.phase.opening();
        opening.expect("the breaker is open")
    }
}

pub(crate) fn person() -> Actor {
    Actor {
        user: "ada".into(),
        proof: AuthorityProof::Terminal,
    }
}

/// The states that a step went through.
pub(crate) fn states(step: &Step) -> Vec<State> {
    step.decision.transitions.iter().map(|t| t.to).collect()
}

pub(crate) fn reading(decision: &Decision, signal: Signal) -> Option<&Reading> {
    let mut readings = decision.readings.iter();
    readings.find(|reading| reading.signal == signal)
}

pub(crate) fn files(count: u64) -> Observation {
    let paths = vec![];
    Observation {
        files: Fact::Measured(FileChanges {
            count,
            paths,
            ..FileChanges::default()
        }),
        ..Observation::default()
    }
}

pub(crate) fn idle() -> Observation {
    files(0)
}

pub(crate) fn work() -> Observation {
    files(2)
}

/// Files changed, and this error remains.
pub(crate) fn failing(message: &str) -> Observation {
    let error = ErrorReport {
        message: message.into(),
        ..ErrorReport::default()
    };
    Observation {
        errors: Fact::Measured(vec![error]),
        ..work()
    }
}

pub(crate) fn failing_as(kind: &str, message: &str) -> Observation {
    let mut facts = failing(message);
    if let Fact::Measured(errors) = &mut facts.errors {
        errors[0].kind = Some(kind.into());
    }
    facts
}

/// The agent says that it is done, and so does the list of tasks.
pub(crate) fn claiming_done() -> Observation {
    Observation {
        claimed: Claims {
            complete: Some(true),
            ..Claims::default()
        },
        tasks_completed: Fact::Measured(1),
        ..files(1)
    }
}

/// An action in `phase` after which so many tests pass and fail.
pub(crate) fn action(phase: WorkPhase, passing: u64, failing: u64) -> Observation {
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

/// An action after which so many tests were written.
pub(crate) fn wrote_tests(count: u64, error: Option<&str>) -> Observation {
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

/// A session in which so many features came to pass.
pub(crate) fn session(features: u32) -> Observation {
    Observation {
        features_passed: Fact::Measured(features),
        ..files(9)
    }
}
