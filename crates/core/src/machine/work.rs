//! A step in the making: where counters, phases and grants move.

use super::Step;
use super::words;
use crate::circuit::{
    Cause, Circuit, Core, Grant, GrantId, Opening, Phase, Release, Row, push_row,
};
use crate::clock::Moment;
use crate::decision::{Decision, Denial, DeniedBy, Gate, Reading, Risk, Transition};
use crate::journal::{Entry, Event, Granted, Outcome, Report};
use crate::observation::Observation;
use crate::policy::Policy;
use crate::signals::{Level, Progress};

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
        Self {
            policy,
            now,
            circuit: circuit.clone(),
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
        let core = &self.circuit.core;
        let calls = self.circuit.calls.left(&self.policy.calls, self.now);
        match &core.phase {
            Phase::Closed | Phase::Watching if calls.left > 0 => Gate::Allow,
            Phase::Closed | Phase::Watching => {
                deny(DeniedBy::CallLimit, self.now, calls.next_in_ms)
            }
            Phase::Probing(_) => {
                let since = core
                    .pending
                    .as_ref()
                    .map_or(*self.now, |pending| pending.at);
                let left = self
                    .policy
                    .iteration_limit_ms
                    .saturating_sub(self.now.waited_since(&since));
                deny(DeniedBy::ProbeUnderWay, self.now, left)
            }
            Phase::Open(opening) => match opening.release {
                Release::Person => Gate::Deny(Denial {
                    by: DeniedBy::Open {
                        release: opening.release,
                    },
                    retry_at_ms: None,
                }),
                Release::Cooldown(ms) => {
                    match ms.saturating_sub(self.now.waited_since(&opening.since)) {
                        // A probe is not worth one of the last calls.
                        0 if calls.near => {
                            let calm = self
                                .circuit
                                .calls
                                .wait_until_calm(&self.policy.calls, self.now);
                            deny(DeniedBy::CallsScarce, self.now, calm)
                        }
                        0 => Gate::AllowOnce,
                        left => deny(
                            DeniedBy::Open {
                                release: opening.release,
                            },
                            self.now,
                            left,
                        ),
                    }
                }
            },
        }
    }

    pub(super) fn grant(&mut self, probe: bool, tree: Option<String>) -> GrantId {
        let mut core = self.circuit.core.clone();
        core.iterations += 1;
        let id = GrantId(core.iterations);
        let at = *self.now;
        core.pending = Some(Grant { id, at, tree });
        let phase = match &core.phase {
            Phase::Open(opening) => Phase::Probing(opening.clone()),
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

    pub(super) fn report(&mut self, facts: Observation, grant: Option<GrantId>) {
        let mut core = self.circuit.core.clone();
        let waiting = core.pending.as_ref().map(|pending| pending.id);
        let answers = grant.is_none_or(|named| Some(named) == waiting);
        let late = !answers || matches!(core.phase, Phase::Open(_));
        let iteration = grant.or(waiting).map_or(core.iterations + 1, |id| id.0);
        core.totals.add(&facts);
        core.meet(&facts.extra);
        if let Some(tree) = facts.tree.seen() {
            core.tree = Some(tree.clone());
        }
        if answers {
            core.pending = None;
            core.iterations = core.iterations.max(iteration);
        }
        let row = Row::of(iteration, self.now, &facts);
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
        let outcome = Outcome {
            row: Some(row),
            transitions,
            ..plain(core)
        };
        self.push(Event::Reported(Box::new(report)), outcome);
    }

    /// Moves counters and phase by one iteration.
    fn tick(&self, core: &mut Core, facts: &Observation, row: &Row) -> Vec<Transition> {
        if let Phase::Probing(opening) = core.phase.clone() {
            return self.end_probe(core, &opening, facts);
        }
        core.counters = core.counters.after(facts);
        let mut rows = self.circuit.rows.clone();
        push_row(&mut rows, row.clone());
        core.readings = core.counters.read(self.policy, &rows);
        let worst = words::worst(&core.readings).cloned();
        let mut transitions = Vec::new();
        let mut enter = |core: &mut Core, phase: Phase| {
            transitions.extend(transition(&core.phase, &phase));
            core.phase = phase;
        };
        match worst {
            Some(reading) if reading.level == Level::Trip => {
                // The warning comes first even when both are due at once.
                enter(core, Phase::Watching);
                enter(core, Phase::Open(self.opening(&reading)));
                core.totals.trips += 1;
                core.failed_probes = 0;
            }
            Some(reading) if reading.level == Level::Warn => enter(core, Phase::Watching),
            _ => enter(core, Phase::Closed),
        }
        transitions
    }

    fn opening(&self, reading: &Reading) -> Opening {
        Opening {
            cause: Cause::Signal(reading.signal),
            reason: reading.signal.sentence(reading.value),
            rule: reading.rule.clone(),
            since: *self.now,
            release: Release::Cooldown(self.policy.recovery.cooldown_after(0)),
            evidence: reading.evidence.clone(),
        }
    }

    /// One successful iteration closes; one that gained nothing opens again for
    /// twice as long; outside trouble proves nothing either way.
    fn end_probe(
        &self,
        core: &mut Core,
        opening: &Opening,
        facts: &Observation,
    ) -> Vec<Transition> {
        let from = core.phase.state();
        match Progress::of(facts) {
            Progress::Made => *core = closed(core),
            Progress::Exempt => {
                core.phase = Phase::Open(Opening {
                    since: *self.now,
                    ..opening.clone()
                });
            }
            Progress::None => {
                core.failed_probes = core.failed_probes.saturating_add(1);
                let recovery = &self.policy.recovery;
                let release = if core.failed_probes >= recovery.probes {
                    Release::Person
                } else {
                    Release::Cooldown(recovery.cooldown_after(core.failed_probes))
                };
                core.phase = Phase::Open(Opening {
                    since: *self.now,
                    release,
                    ..opening.clone()
                });
            }
        }
        vec![Transition {
            from,
            to: core.phase.state(),
        }]
    }

    pub(super) fn end(self, gate: Gate, grant: Option<GrantId>) -> Step {
        let core = &self.circuit.core;
        let state = core.phase.state();
        let decision = Decision {
            state,
            reason: words::reason(core, &gate),
            rule: words::rule(core, &gate),
            risk: Risk::of(state, &core.readings),
            readings: core.readings.clone(),
            calls: self.circuit.calls.left(&self.policy.calls, self.now),
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
        iterations: core.iterations,
        totals: core.totals,
        tree: core.tree.clone(),
        strangers: core.strangers.clone(),
        ..Core::default()
    }
}

fn transition(from: &Phase, to: &Phase) -> Option<Transition> {
    let (from, to) = (from.state(), to.state());
    (from != to).then_some(Transition { from, to })
}

fn deny(by: DeniedBy, now: &Moment, wait_ms: u64) -> Gate {
    Gate::Deny(Denial {
        by,
        retry_at_ms: Some(now.wall_after(wait_ms)),
    })
}
