//! A step in the making: where counters, phases and grants move.

use super::gate::gate;
use super::spending::{reservations, settlements};
use super::standing::{Standing, seal};
use super::{Claim, Start, Step, words};
use crate::alerts::alerts;
use crate::circuit::{Circuit, Core, Grant, GrantId, Outage, Phase, RowContext, UnderWay, name_id};
use crate::clock::Moment;
use crate::decision::{Decision, Gate, Risk, Transition};
use crate::fact::Fact;
use crate::journal::{Entry, EntryOutcome, Event, Granted, Report};
use crate::observation::{Observation, WorkPhase};
use crate::policy::{CallUnit, Policy, TickUnit};
use crate::signals::Sight;
use crate::signature::identified;

/// Which waiting iterations to settle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Settle {
    /// All but a probe that is still within its time, and what a supervisor has under way:
    /// only that one knows how long it takes, and whoever could settle it in its place could
    /// have the next one counted instead.
    IfOverdue,
    /// All of them.
    Always,
    /// The same, where the supervisor itself knows that nothing was begun.
    Withdrawn,
}

/// A step in the making.
pub(super) struct Work<'a> {
    pub(super) policy: &'a Policy,
    pub(super) now: &'a Moment,
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

    pub(super) fn push(&mut self, event: Event, outcome: EntryOutcome) {
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
            EntryOutcome {
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
        let overdue = self.now.waited_since(&pending.at) >= pending.limit_ms;
        let left_alone = pending.seal.is_some() || (probing && !overdue);
        if which != Settle::IfOverdue || !left_alone {
            let observation = Observation::unreported();
            let unseen = pending.standing.filter(|_| which != Settle::Withdrawn);
            self.count(observation, Some(pending.id), Standing::Answers, unseen);
        }
    }

    /// Whether a supervisor has an iteration under way.
    pub(super) fn supervised(&self) -> bool {
        self.circuit
            .core
            .pending
            .as_ref()
            .is_some_and(|pending| pending.seal.is_some())
    }

    /// Whether an iteration is meant for another task than the one under way.
    pub(super) fn begins_a_task(&self, start: &Start) -> bool {
        let named = start.task.as_deref().map(name_id);
        named.is_some() && named != self.circuit.core.counters.task.id
    }

    pub(super) fn gate(&self) -> Gate {
        gate(&self.circuit, self.policy, self.now)
    }

    pub(super) fn grant(&mut self, probe: bool, start: Start) -> GrantId {
        let mut core = self.circuit.core.clone();
        core.iterations = core.iterations.saturating_add(1);
        let id = GrantId(core.iterations);
        let seal = start.secret.map(seal);
        let under_way = seal
            .zip(start.standpoint)
            .map(|(seal, standpoint)| UnderWay {
                seal,
                at: *self.now,
                limit_ms: self.policy.iteration_limit_ms,
                standpoint,
            });
        core.under_way = under_way.or(core.under_way.take());
        core.pending = Some(Grant {
            id,
            at: *self.now,
            limit_ms: self.policy.iteration_limit_ms,
            tree: start.tree,
            passing: start.passing,
            seal,
            standing: start.standing,
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
            EntryOutcome {
                granted,
                spent: reservations(self.policy, id),
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
        core.skipped.retain(|skipped| skipped.phase != phase);
        let next = if core.phase == Phase::Watching {
            Phase::Closed
        } else {
            core.phase.clone()
        };
        self.move_to(core, next, Event::PhaseEntered { phase });
    }

    pub(super) fn report(&mut self, facts: Observation, claim: Claim) {
        let pending = self.circuit.core.pending.as_ref();
        let standing = Standing::of(claim, pending);
        let grant = claim.grant.or(pending.map(|pending| pending.id));
        let shown = claim.secret.map(seal);
        let ends = |under_way: &mut UnderWay| Some(under_way.seal) == shown;
        // What it was granted for may be settled or released by now; that the tree is gone, it
        // alone can say.
        self.circuit.core.under_way.take_if(ends);
        self.count(facts, grant, standing, None);
    }

    /// `unseen` is how the tasks stood where nobody looked at what became of them.
    fn count(
        &mut self,
        mut facts: Observation,
        grant: Option<GrantId>,
        standing: Standing,
        unseen: Option<String>,
    ) {
        let enforcement = self.policy.enforcement;
        let halted =
            matches!(&self.circuit.core.phase, Phase::Open(opening) if opening.halts(enforcement));
        let answers = standing == Standing::Answers;
        let late = !answers || halted || self.circuit.core.phase == Phase::Complete;
        let by_phase = self.policy.unit == TickUnit::PhaseAction;
        if by_phase {
            match facts.tests.seen() {
                Some(tests) => facts.metrics = facts.metrics.or_counted(tests),
                None => {
                    let counts = facts.metrics.test_counts();
                    facts.tests = counts.map_or(facts.tests, Fact::Measured);
                }
            }
            // Work that nobody has named a phase of is at the first.
            let known = facts.phase.or(self.circuit.core.counters.phase);
            if !late {
                self.enter_phase(known.unwrap_or(WorkPhase::Red));
            }
        }
        let mut core = self.circuit.core.clone();
        let iteration = grant.map_or(core.iterations.saturating_add(1), |id| id.0);
        let probing = matches!(core.phase, Phase::Probing(_));
        let errors = identified(&facts, self.policy.errors);
        let context = self.row_context(!late && !probing);
        let row = context.row(iteration, &facts, &errors);
        core.totals.add(&facts, row.progress);
        core.meet(&facts.extra);
        if answers {
            core.stand_in(facts.tree.seen(), row.work);
            core.features = facts.features.seen().copied().or(core.features);
            core.pending = None;
            core.unseen = unseen.or(core.unseen);
            core.iterations = core.iterations.max(iteration);
        }
        let transitions = match standing {
            Standing::InAnothersPlace if !halted => self.betrayed(&mut core),
            _ if late => Vec::new(),
            _ => self.tick(&mut core, &facts, &errors, &row),
        };
        if answers {
            core.outage = Outage::met(&facts, self.now);
        }
        // Nobody but the supervisor says what its iteration used.
        let spent = match standing {
            Standing::InAnothersPlace => Vec::new(),
            Standing::Answers | Standing::Late => settlements(self.policy, grant, &facts.usage),
        };
        let granted = self.further_requests(&facts, grant, standing);
        let report = Report { grant, late, facts };
        self.push(
            Event::Reported(Box::new(report)),
            EntryOutcome {
                row: Some(row),
                granted,
                spent,
                transitions,
                ..plain(core)
            },
        );
    }

    /// Requests to the model beyond the one that was taken when the iteration
    /// began, if it was granted at all, where requests are what is limited. More than
    /// the limit itself would change nothing.
    fn further_requests(
        &self,
        facts: &Observation,
        grant: Option<GrantId>,
        standing: Standing,
    ) -> Option<Granted> {
        let core = &self.circuit.core;
        let taken = match standing {
            Standing::Answers | Standing::InAnothersPlace => core.pending.is_some(),
            Standing::Late => grant.is_some_and(|grant| grant.0 <= core.iterations),
        };
        let requests = facts.usage.calls.unwrap_or(0);
        let further = requests.saturating_sub(u32::from(taken));
        let counts = self.policy.calls_unit == CallUnit::Request
            && standing != Standing::InAnothersPlace
            && further > 0;
        counts.then(|| Granted {
            calls: further.min(self.policy.calls.limit),
            rule: self.policy.calls,
        })
    }

    fn row_context(&self, counted: bool) -> RowContext<'_> {
        RowContext {
            policy: self.policy,
            counters: &self.circuit.core.counters,
            rows: self.circuit.counted_rows(),
            trees: &self.circuit.trees,
            works: &self.circuit.works,
            current: self.circuit.core.tree.as_deref(),
            current_work: self.circuit.core.work,
            counted,
            now: self.now,
        }
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
            budgets: self
                .policy
                .budgets()
                .map(|(resource, rule)| {
                    (
                        resource,
                        self.circuit.budgets.of(resource).left(&rule, self.now),
                    )
                })
                .collect(),
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
pub(super) fn plain(core: Core) -> EntryOutcome {
    EntryOutcome {
        core,
        granted: None,
        row: None,
        spent: Vec::new(),
        anomalies: None,
        transitions: Vec::new(),
    }
}

/// The core of a circuit that starts counting anew.
pub(super) fn closed(core: &Core) -> Core {
    Core {
        preset: core.preset,
        threshold: core.threshold,
        features: core.features,
        iterations: core.iterations,
        totals: core.totals,
        tree: core.tree.clone(),
        work: core.work,
        strangers: core.strangers.clone(),
        blocked: core.blocked.clone(),
        skipped: core.skipped.clone(),
        plan: core.plan.clone(),
        unseen: core.unseen.clone(),
        under_way: core.under_way.clone(),
        counters: core.counters.anew(),
        ..Core::default()
    }
}

pub(super) fn transition(from: &Phase, to: &Phase) -> Option<Transition> {
    let (from, to) = (from.state(), to.state());
    (from != to).then_some(Transition { from, to })
}
