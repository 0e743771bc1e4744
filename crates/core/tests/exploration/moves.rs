//! What can happen to a breaker, one move at a time.

use fusebox_core::circuit::{Cause, GrantId};
use fusebox_core::journal::{Actor, AuthorityProof, Losses};
use fusebox_core::machine::{self, Claim, Retry, Start, Step, Trip};
use fusebox_core::observation::{Environment, ErrorReport, FileChanges, PhaseMetrics, WorkPhase};
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details, analyse};
use fusebox_core::policy::{THRESHOLD_RANGE, ThresholdEdits, TickUnit};
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};

use crate::laws::{self, Seen};

/// What a supervisor knows and nobody else.
const SECRET: u64 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// A question without a supervisor, and one with.
    Check,
    Supervise,
    /// Reports: of progress, of none, of one error in spite of progress, of
    /// outside trouble.
    Progress,
    Idle,
    SameError,
    Outage,
    /// A report for an iteration that nobody waits for.
    Stale,
    /// A report of progress by the supervisor.
    Measured,
    /// Requests and releases.
    Trip,
    Reset,
    Retry,
    /// The loop's own wish to go on with the next model.
    Climb,
    Complete,
    /// A protected file is missing.
    Lose,
    /// Half an hour, a step of the wall clock, a boot of the machine.
    Wait,
    WallForward,
    Reboot,
    /// Where patterns are looked for.
    FindPattern,
    FindNothing,
    Resolve,
    /// Where there are phases.
    NextPhase,
    /// Where the state follows an edited threshold: to one, and back.
    Tighten,
    Relax,
}

const EVERYWHERE: [Move; 17] = [
    Move::Check,
    Move::Supervise,
    Move::Progress,
    Move::Idle,
    Move::SameError,
    Move::Outage,
    Move::Stale,
    Move::Measured,
    Move::Trip,
    Move::Reset,
    Move::Retry,
    Move::Climb,
    Move::Complete,
    Move::Lose,
    Move::Wait,
    Move::WallForward,
    Move::Reboot,
];

pub(crate) fn alphabet(policy: &Policy) -> Vec<Move> {
    let mut moves = EVERYWHERE.to_vec();
    if policy.patterns.is_some() {
        moves.extend([Move::FindPattern, Move::FindNothing, Move::Resolve]);
    }
    if policy.unit == TickUnit::PhaseAction {
        moves.push(Move::NextPhase);
    }
    if policy.edits == ThresholdEdits::Reevaluate {
        moves.extend([Move::Tighten, Move::Relax]);
    }
    moves
}

/// Two anomalies that make a pattern. They are the same at any time, so once
/// acknowledged they never count again.
fn anomalies() -> [Anomaly; 2] {
    ["a", "b"].map(|task| Anomaly {
        at_ms: 0,
        undated: false,
        task: task.into(),
        reporter: "r".into(),
        kind: AnomalyKind::ExternalBlocker,
        details: Details {
            blocker_service: Some("api".into()),
            ..Details::default()
        },
    })
}

fn edited(policy: &Policy, threshold: u32) -> Policy {
    policy.clone().with_stagnation_threshold(threshold).unwrap()
}

fn person() -> Actor {
    Actor {
        user: "t".into(),
        proof: AuthorityProof::Terminal,
    }
}

fn anyone() -> Actor {
    Actor {
        proof: AuthorityProof::NotNeeded,
        ..person()
    }
}

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) circuit: Circuit,
    pub(crate) now: Moment,
    /// The time nobody can set, and the calls that were granted at it.
    truth: u64,
    granted: Vec<u64>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            circuit: Circuit::default(),
            now: Moment {
                wall_ms: 0,
                boot_ms: 10_000_000,
                boot: BootId(0),
            },
            truth: 0,
            granted: Vec::new(),
        }
    }

    /// Makes a move and holds what came of it against the laws.
    pub(crate) fn advance(&mut self, policy: &Policy, chosen: Move) {
        match chosen {
            Move::Wait => self.pass(1_900_000),
            Move::WallForward => self.now.wall_ms += 1_000_000_000,
            Move::Reboot => {
                self.pass(1_000);
                self.now.boot = BootId(self.now.boot.0 + 1);
                self.now.boot_ms = 500;
            }
            Move::Tighten | Move::Relax => {
                let threshold = if chosen == Move::Tighten { 1 } else { 99 };
                self.edit(policy, chosen, threshold);
                // Back to what it was, so that all other moves mean the same.
                let same = |count: &u32| edited(policy, *count) == *policy;
                let threshold = THRESHOLD_RANGE.into_iter().find(same).unwrap();
                self.edit(policy, chosen, threshold);
            }
            other => {
                if let Some(step) = self.step(policy, other) {
                    self.take(policy, other, step);
                }
            }
        }
    }

    fn edit(&mut self, policy: &Policy, chosen: Move, threshold: u32) {
        let (reason, by) = ("edited".to_owned(), person());
        let step = machine::set_threshold(&self.circuit, policy, threshold, reason, by, &self.now)
            .unwrap();
        self.take(&edited(policy, threshold), chosen, step);
    }

    fn pass(&mut self, ms: u32) {
        self.now.wall_ms += i64::from(ms);
        self.now.boot_ms += u64::from(ms);
        self.truth += u64::from(ms);
    }

    fn take(&mut self, policy: &Policy, chosen: Move, step: Step) {
        self.granted.extend(step.decision.grant.map(|_| self.truth));
        let seen = Seen {
            old: &self.circuit,
            policy,
            now: &self.now,
            chosen,
            step: &step,
            granted: &self.granted,
        };
        laws::hold(&seen);
        self.circuit = step.circuit;
    }

    fn retry(&self, policy: &Policy, by: Actor, escalate: bool) -> Option<Step> {
        let wish = Retry {
            note: "again".into(),
            by,
            escalate,
            rungs: 3,
        };
        machine::retry(&self.circuit, policy, wish, &self.now).ok()
    }

    fn step(&self, policy: &Policy, chosen: Move) -> Option<Step> {
        let Self { circuit, now, .. } = self;
        let check = |secret| {
            let start = Start {
                secret,
                ..Start::default()
            };
            Some(machine::check(circuit, policy, start, now))
        };
        let record = |facts, grant, secret| {
            let claim = Claim { grant, secret };
            Some(machine::record(circuit, policy, facts, claim, now))
        };
        match chosen {
            Move::Check => check(None),
            Move::Supervise => check(Some(SECRET)),
            Move::Progress => record(self.facts(true), None, None),
            Move::Measured => record(self.facts(true), None, Some(SECRET)),
            Move::Stale => record(self.facts(true), Some(GrantId(u64::MAX)), None),
            Move::Idle => record(self.facts(false), None, None),
            Move::SameError => {
                let error = ErrorReport {
                    message: "Error: boom".into(),
                    ..ErrorReport::default()
                };
                let errors = Fact::Measured(vec![error]);
                let facts = Observation {
                    errors,
                    ..self.facts(true)
                };
                record(facts, None, None)
            }
            Move::Outage => {
                let facts = Observation {
                    environment: Some(Environment::Network),
                    ..self.facts(true)
                };
                record(facts, None, None)
            }
            Move::Trip => {
                let trip = Trip {
                    reason: "asked".into(),
                    by: person(),
                    cause: Cause::Asked,
                };
                Some(machine::trip(circuit, policy, trip, now))
            }
            Move::Reset => machine::reset(circuit, policy, "ok".into(), person(), now).ok(),
            Move::Retry => self.retry(policy, person(), false),
            Move::Climb => self.retry(policy, anyone(), true),
            Move::Lose => {
                let losses = Losses {
                    missing: 1,
                    found: vec!["specs/a.md is missing".into()],
                    ..Losses::default()
                };
                Some(machine::lost(circuit, policy, losses, now))
            }
            Move::Complete => Some(machine::complete(circuit, policy, now)),
            Move::FindPattern => Some(self.analysed(policy, &anomalies())),
            Move::FindNothing => Some(self.analysed(policy, &[])),
            Move::Resolve => machine::resolve(circuit, policy, "ADR".into(), person(), now).ok(),
            Move::NextPhase => Some(machine::enter_phase(circuit, policy, WorkPhase::Red, now)),
            Move::Wait | Move::WallForward | Move::Reboot | Move::Tighten | Move::Relax => None,
        }
    }

    /// A report that is progress in everybody's terms, or in nobody's.
    fn facts(&self, gained: bool) -> Observation {
        let last = self.circuit.core.counters.last_metrics(WorkPhase::Green);
        let gain = u32::from(gained);
        let metrics = PhaseMetrics {
            tests_passing: Some(last.tests_passing.unwrap_or(0) + u64::from(gain)),
            ..PhaseMetrics::default()
        };
        Observation {
            phase: Some(WorkPhase::Green),
            metrics,
            files: Fact::Measured(FileChanges {
                count: u64::from(gain),
                paths: vec![],
                ..FileChanges::default()
            }),
            features_passed: Fact::Measured(gain),
            errors: Fact::Measured(vec![]),
            ..Observation::default()
        }
    }

    fn analysed(&self, policy: &Policy, anomalies: &[Anomaly]) -> Step {
        let rules = policy.patterns.unwrap_or_default();
        let known = self.circuit.anomalies.set();
        let analysis = analyse(anomalies, None, &known, &rules);
        machine::analysed(&self.circuit, policy, &analysis, &self.now)
    }
}
