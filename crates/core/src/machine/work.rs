//! A step in the making: where counters, phases and grants move.

use super::gate::gate;
use super::{Step, words};
use crate::alerts::alerts;
use crate::circuit::{
    Cause, Circuit, Core, Grant, GrantId, Opening, Phase, Release, Row, RowContext, push_row,
};
use crate::clock::Moment;
use crate::decision::{Decision, Gate, Reading, Risk, Transition};
use crate::journal::{Entry, Event, Granted, Outcome, Report};
use crate::observation::{Observation, WorkPhase};
use crate::policy::{Policy, ProbeRule};
use crate::signals::{Level, Progress, Sight};

/// Which waiting iterations to settle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Settle {
    /// All but a probe that is still within its time.
    IfOverdue,
    /// All of them.
    Always,
}

/// A step in the making.
pub(super) struct Work<'a> {
    policy: &'a Policy,
    now: &'a Moment,
    pub(super) circuit: Circuit,
    entries: Vec<Entry>,
}

impl<'a> Work<'a> {
    pub(super) fn begin(circuit: &Circuit, policy: &'a Policy, now: &'a Moment) -> Self {
        let mut circuit = circuit.clone();
        circuit.core.preset.get_or_insert(policy.preset);
        Self {
            policy,
            now,
            circuit,
            entries: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, event: Event, outcome: Outcome) {
        let entry = Entry::new(*self.now, self.policy, event, outcome);
        self.circuit.fold(&entry);
        self.entries.push(entry);
    }

    pub(super) fn move_to(&mut self, mut core: Core, phase: Phase, event: Event) {
        let transitions = transition(&self.circuit.core.phase, &phase)
            .into_iter()
            .collect();
        core.phase = phase;
        self.push(
            event,
            Outcome {
                transitions,
                ..plain(core)
            },
        );
    }

    /// Counts an iteration that was granted and never reported.
    pub(super) fn settle(&mut self, which: Settle) {
        let Some(pending) = self.circuit.core.pending.clone() else {
            return;
        };
        let probing = matches!(self.circuit.core.phase, Phase::Probing(_));
        let overdue = self.now.waited_since(&pending.at) >= self.policy.iteration_limit_ms;
        if which == Settle::Always || !probing || overdue {
            self.report(Observation::unreported(), Some(pending.id));
        }
    }

    pub(super) fn gate(&self) -> Gate {
        gate(&self.circuit, self.policy, self.now)
    }

    pub(super) fn grant(&mut self, probe: bool, tree: Option<String>) -> GrantId {
        let mut core = self.circuit.core.clone();
        core.iterations += 1;
        let id = GrantId(core.iterations);
        core.pending = Some(Grant {
            id,
            at: *self.now,
            tree,
        });
        let phase = match &core.phase {
            Phase::Open(opening) if probe => Phase::Probing(opening.clone()),
            other => other.clone(),
        };
        let transitions = transition(&core.phase, &phase).into_iter().collect();
        core.phase = phase;
        let granted = Some(Granted {
            calls: 1,
            rule: self.policy.calls,
        });
        self.push(
            Event::Granted { grant: id, probe },
            Outcome {
                granted,
                transitions,
                ..plain(core)
            },
        );
        id
    }

    pub(super) fn enter_phase(&mut self, phase: WorkPhase) {
        let mut core = self.circuit.core.clone();
        if core.counters.phase == Some(phase) {
            return;
        }
        core.counters = core.counters.in_phase(phase);
        let next = if core.phase == Phase::Watching {
            Phase::Closed
        } else {
            core.phase.clone()
        };
        self.move_to(core, next, Event::PhaseEntered { phase });
    }

    pub(super) fn report(&mut self, facts: Observation, grant: Option<GrantId>) {
        let waiting = self.circuit.core.pending.as_ref().map(|pending| pending.id);
        let answers = grant.is_none_or(|named| Some(named) == waiting);
        let halted = matches!(&self.circuit.core.phase, Phase::Open(opening) if !opening.advisory);
        let late = !answers || halted || self.circuit.core.phase == Phase::Complete;
        if let Some(phase) = facts.phase.filter(|_| !late) {
            self.enter_phase(phase);
        }
        let mut core = self.circuit.core.clone();
        let iteration = grant.or(waiting).map_or(core.iterations + 1, |id| id.0);
        let probing = matches!(core.phase, Phase::Probing(_));
        let row = self.row_context(!late && !probing).row(iteration, &facts);
        core.totals.add(&facts, row.progress);
        core.meet(&facts.extra);
        if let Some(tree) = facts.tree.seen() {
            core.tree = Some(tree.clone());
        }
        if answers {
            core.pending = None;
            core.iterations = core.iterations.max(iteration);
        }
        let transitions = if late {
            Vec::new()
        } else {
            self.tick(&mut core, &facts, &row)
        };
        let report = Report {
            grant: grant.or(waiting),
            late,
            facts,
        };
        self.push(
            Event::Reported(Box::new(report)),
            Outcome {
                row: Some(row),
                transitions,
                ..plain(core)
            },
        );
    }

    fn row_context(&self, counted: bool) -> RowContext<'_> {
        RowContext {
            policy: self.policy,
            counters: &self.circuit.core.counters,
            rows: self.circuit.counted_rows(),
            trees: &self.circuit.trees,
            current: self.circuit.core.tree.as_deref(),
            counted,
            now: self.now,
        }
    }

    /// Moves counters and phase by one iteration.
    fn tick(&self, core: &mut Core, facts: &Observation, row: &Row) -> Vec<Transition> {
        if let Phase::Probing(opening) = core.phase.clone() {
            return self.end_probe(core, &opening, row);
        }
        core.counters = core.counters.after(facts, row, self.policy);
        let (mut rows, mut trees) = (self.circuit.counted_rows().to_vec(), Vec::new());
        push_row(&mut rows, &mut trees, row.clone());
        let readings = Sight {
            counters: &core.counters,
            rows: &rows,
        }
        .read(self.policy);
        let transitions = match &core.phase {
            Phase::Open(_) => go_on_while_open(core, row, &readings),
            _ => self.follow_signals(core, &readings),
        };
        core.watched = core.watched.saturating_sub(1);
        transitions
    }

    fn follow_signals(&self, core: &mut Core, readings: &[Reading]) -> Vec<Transition> {
        let mut transitions = Vec::new();
        let mut enter = |core: &mut Core, phase: Phase| {
            transitions.extend(transition(&core.phase, &phase));
            core.phase = phase;
        };
        match words::worst(readings) {
            Some(reading) if reading.level == Level::Trip => {
                // The warning comes first even when both are due at once.
                if self.policy.watches() {
                    enter(core, Phase::Watching);
                }
                let opening = self.opening(reading, core);
                enter(core, Phase::Open(opening));
                core.totals.trips += 1;
                core.failed_probes = 0;
            }
            Some(reading) if reading.level == Level::Warn && self.policy.watches() => {
                enter(core, Phase::Watching);
            }
            _ => enter(core, Phase::Closed),
        }
        transitions
    }

    pub(super) fn opening(&self, reading: &Reading, core: &Core) -> Opening {
        // A relapse right after a recovery is a person's business.
        let relapse = core.watched > 0;
        let by_clock = self.policy.release.cooldown && !(relapse && self.policy.release.person);
        let release = if by_clock {
            Release::Cooldown(self.policy.recovery.cooldown_after(0))
        } else {
            Release::Person
        };
        Opening {
            cause: Cause::Signal(reading.signal),
            reason: reading.signal.sentence(reading.value),
            rule: reading.rule.clone(),
            since: *self.now,
            release,
            evidence: reading.evidence.clone(),
            advisory: self.policy.advisory,
            escalate: relapse,
        }
    }

    /// One successful iteration closes; one that gained nothing opens again for
    /// twice as long; outside trouble proves nothing either way.
    fn end_probe(&self, core: &mut Core, opening: &Opening, row: &Row) -> Vec<Transition> {
        let from = core.phase.state();
        let success = match self.policy.release.probe {
            ProbeRule::Progress => row.progress == Progress::Made,
            ProbeRule::PositiveScore => row.score.is_some_and(|score| score > 0),
        };
        if success {
            *core = Core {
                watched: self.policy.recovery.watched,
                ..closed(core)
            };
        } else if row.progress == Progress::Exempt {
            core.phase = Phase::Open(Opening {
                since: *self.now,
                ..opening.clone()
            });
        } else {
            core.failed_probes = core.failed_probes.saturating_add(1);
            let recovery = &self.policy.recovery;
            let spent = recovery
                .probes
                .is_some_and(|most| core.failed_probes >= most);
            let by_clock = self.policy.release.cooldown && !spent;
            let release = if by_clock {
                Release::Cooldown(recovery.cooldown_after(core.failed_probes))
            } else {
                Release::Person
            };
            core.phase = Phase::Open(Opening {
                since: *self.now,
                release,
                ..opening.clone()
            });
        }
        vec![Transition {
            from,
            to: core.phase.state(),
        }]
    }

    /// Ends with the gate as it stands.
    pub(super) fn end_here(self) -> Step {
        let gate = self.gate();
        self.end(gate, None)
    }

    pub(super) fn end(self, gate: Gate, grant: Option<GrantId>) -> Step {
        let core = &self.circuit.core;
        let state = core.phase.state();
        let rows = self.circuit.counted_rows();
        let readings = Sight {
            counters: &core.counters,
            rows,
        }
        .read(self.policy);
        let calls = self.circuit.calls.left(&self.policy.calls, self.now);
        let decision = Decision {
            state,
            reason: words::reason(core, &readings, &gate),
            rule: words::rule(core, &readings, &gate),
            risk: Risk::of(state, &readings),
            readings,
            alerts: alerts(&self.circuit, &calls),
            calls,
            grant,
            transitions: self
                .entries
                .iter()
                .flat_map(|entry| entry.outcome.transitions.clone())
                .collect(),
            gate,
        };
        Step {
            circuit: self.circuit,
            entries: self.entries,
            decision,
        }
    }
}

/// An opening that is only announced: progress closes it, and it is announced
/// again each time the threshold is reached once more.
fn go_on_while_open(core: &mut Core, row: &Row, readings: &[Reading]) -> Vec<Transition> {
    let from = core.phase.state();
    if row.progress == Progress::Made {
        *core = closed(core);
        return vec![Transition {
            from,
            to: core.phase.state(),
        }];
    }
    let again = readings.iter().any(|reading| {
        let times = reading
            .threshold
            .filter(|threshold| *threshold > 0)
            .map(|threshold| reading.value % threshold);
        reading.level == Level::Trip && times == Some(0)
    });
    if again {
        vec![Transition { from, to: from }]
    } else {
        Vec::new()
    }
}

/// An outcome that changes nothing but the core.
pub(super) fn plain(core: Core) -> Outcome {
    Outcome {
        core,
        granted: None,
        row: None,
        transitions: Vec::new(),
    }
}

/// The core of a circuit that starts counting anew.
pub(super) fn closed(core: &Core) -> Core {
    Core {
        preset: core.preset,
        iterations: core.iterations,
        totals: core.totals,
        tree: core.tree.clone(),
        strangers: core.strangers.clone(),
        counters: core.counters.anew(),
        ..Core::default()
    }
}

fn transition(from: &Phase, to: &Phase) -> Option<Transition> {
    let (from, to) = (from.state(), to.state());
    (from != to).then_some(Transition { from, to })
}
