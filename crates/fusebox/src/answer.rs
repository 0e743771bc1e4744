//! The answer of `check`, `record`, `status` and the others, as data.

use fusebox_core::alerts::Alert;
use fusebox_core::budget::Resource;
use fusebox_core::circuit::Release;
use fusebox_core::decision::{Decision, Denial, DeniedBy, Evidence, Gate};
use fusebox_core::observation::WorkPhase;
use fusebox_core::recovery::{Escalation, escalation};
use fusebox_core::signals::Level;
use fusebox_core::{Moment, Policy, Preset, State};
use fusebox_view::answer::label;
use fusebox_view::phrase;
use serde::Serialize;

use crate::failure::Failure;
use crate::grant;
use crate::last_run::RunData;
use crate::session::{Outcome, Shared};

/// The version of this shape.
const SCHEMA: u32 = 1;

/// What scripts read.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a> {
    schema: u32,
    preset: Preset,
    state: &'static str,
    label: &'static str,
    /// The state as the number that companion tools know it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    state_code: Option<u8>,
    gate: &'static str,
    reason: &'a str,
    rule: Option<&'a str>,
    signals: Vec<SignalAnswer<'a>>,
    alerts: &'a [Alert],
    retry_at: Option<String>,
    risk: &'static str,
    limits: Limits,
    grant: Option<String>,
    release: Option<&'static str>,
    /// Why a person is called although nobody but the clock releases.
    #[serde(skip_serializing_if = "Option::is_none")]
    escalation: Option<Escalation>,
    iterations: u64,
    /// The phase of the work, where there are phases.
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<WorkPhase>,
    totals: TotalsAnswer,
    /// Whether a supervisor is at work, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<bool>,
    /// The last run, where it was looked whether a supervisor is at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunData<'a>>,
    notes: &'a [String],
    /// What the log of the system says that this way of working comes from.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    log: &'a [String],
}

#[derive(Debug, Serialize)]
struct SignalAnswer<'a> {
    name: &'static str,
    value: u32,
    threshold: Option<u32>,
    level: Level,
    rule: &'a str,
    evidence: &'a [Evidence],
}

/// The limits, each under its name.
#[derive(Debug, Serialize)]
pub(crate) struct Limits {
    calls: CallsAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<BudgetAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    money_micro_usd: Option<BudgetAnswer>,
    /// What other work trees of the repository have used of them; part of `used`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared_with: Vec<SharedAnswer>,
}

#[derive(Debug, Serialize)]
struct SharedAnswer {
    worktree: String,
    calls: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    money_micro_usd: Option<u64>,
}

/// A budget; amounts are tokens or millionths of a US dollar.
#[derive(Debug, Serialize)]
struct BudgetAnswer {
    limit: u64,
    window_seconds: u64,
    used: u64,
    left: u64,
    warning: bool,
    /// When there is room for an iteration again; absent where there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_slot: Option<String>,
}

#[derive(Debug, Serialize)]
struct CallsAnswer {
    limit: u32,
    window_seconds: u64,
    used: u32,
    left: u32,
    warning: bool,
    next_slot: Option<String>,
}

#[derive(Debug, Serialize)]
struct TotalsAnswer {
    reported: u64,
    unreported: u64,
    progress: u64,
    trips: u64,
    duration_ms: u64,
    tokens: u64,
    cost_micro_usd: u64,
}

impl<'a> Answer<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Self {
        let Outcome {
            decision,
            circuit,
            policy,
            now,
            notes,
            said,
            shared,
        } = outcome;
        let totals = &circuit.core.totals;
        let opening = circuit.core.phase.opening();
        Self {
            schema: SCHEMA,
            preset: policy.preset,
            state: decision.state.name(),
            label: label(&policy.labels, decision.state),
            state_code: policy.state_code(decision.state),
            gate: gate(&decision.gate),
            reason: &decision.reason,
            rule: decision.rule.as_deref(),
            signals: decision
                .readings
                .iter()
                .map(|reading| SignalAnswer {
                    name: reading.signal.name(),
                    value: reading.value,
                    threshold: reading.threshold,
                    level: reading.level,
                    rule: &reading.rule,
                    evidence: &reading.evidence,
                })
                .collect(),
            alerts: &decision.alerts,
            retry_at: retry_at(&decision.gate),
            risk: decision.risk.word(),
            limits: Limits::of(decision, now, shared),
            grant: decision.grant.map(grant::name),
            release: opening.map(|opening| match opening.release {
                Release::Person => "person",
                Release::Cooldown(_) => "cooldown",
            }),
            escalation: escalation(&circuit.core, policy),
            iterations: circuit.core.iterations,
            phase: circuit.core.counters.phase,
            totals: TotalsAnswer {
                reported: totals.reported,
                unreported: totals.unreported,
                progress: totals.progress,
                trips: totals.trips,
                duration_ms: totals.duration_ms,
                tokens: totals.tokens,
                cost_micro_usd: totals.micro_usd,
            },
            running: None,
            run: None,
            notes,
            log: &said.log,
        }
    }

    /// The same, with whether a supervisor is at work, and how the last run stands.
    #[must_use]
    pub(crate) fn running(self, outcome: &'a Outcome, running: bool) -> Self {
        Self {
            running: Some(running),
            run: outcome.last_run(running).map(|run| run.data()),
            ..self
        }
    }
}

impl Limits {
    pub(crate) fn of(decision: &Decision, now: &Moment, shared: &[Shared]) -> Self {
        let calls = &decision.calls;
        let next = (calls.left == 0).then(|| phrase::time(now.wall_after(calls.next_in_ms)));
        Self {
            calls: CallsAnswer {
                limit: calls.limit,
                window_seconds: calls.window_ms / 1_000,
                used: calls.used,
                left: calls.left,
                warning: calls.near,
                next_slot: next,
            },
            tokens: BudgetAnswer::of(Resource::Tokens, decision, now),
            money_micro_usd: BudgetAnswer::of(Resource::Money, decision, now),
            shared_with: shared.iter().map(SharedAnswer::of).collect(),
        }
    }
}

impl SharedAnswer {
    fn of(shared: &Shared) -> Self {
        let used = |wanted| {
            let mut budgets = shared.budgets.iter();
            budgets
                .find(|(resource, _)| *resource == wanted)
                .map(|(_, used)| *used)
        };
        Self {
            worktree: shared.root.to_string_lossy().into_owned(),
            calls: shared.calls,
            tokens: used(Resource::Tokens),
            money_micro_usd: used(Resource::Money),
        }
    }
}

impl BudgetAnswer {
    fn of(resource: Resource, decision: &Decision, now: &Moment) -> Option<Self> {
        let mut budgets = decision.budgets.iter();
        let (_, left) = budgets.find(|(kept, _)| *kept == resource)?;
        let wait = left.next_in_ms.filter(|wait| *wait > 0);
        Some(Self {
            limit: left.limit,
            window_seconds: left.window_ms / 1_000,
            used: left.used,
            left: left.left,
            warning: left.near,
            next_slot: wait.map(|wait| phrase::time(now.wall_after(wait))),
        })
    }
}

/// The answer when the memory cannot be read: the gate is shut.
#[derive(Debug, Serialize)]
pub(crate) struct Distrust<'a> {
    schema: u32,
    state: &'static str,
    label: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    state_code: Option<u8>,
    gate: &'static str,
    reason: &'a str,
    rule: &'static str,
    signals: [(); 0],
    retry_at: Option<()>,
    risk: &'static str,
    release: &'static str,
}

impl<'a> Distrust<'a> {
    pub(crate) fn of(failure: &'a Failure, policy: &Policy) -> Self {
        Self {
            schema: SCHEMA,
            state: "Open",
            label: policy.labels.open,
            state_code: policy.state_code(State::Open),
            gate: "deny",
            reason: &failure.what,
            rule: "X.4",
            signals: [],
            retry_at: None,
            risk: "HIGH",
            release: "person",
        }
    }
}

fn gate(gate: &Gate) -> &'static str {
    match gate {
        Gate::Allow => "allow",
        Gate::AllowOnce => "allow-once",
        Gate::Deny(_) => "deny",
    }
}

fn retry_at(gate: &Gate) -> Option<String> {
    match gate {
        Gate::Deny(Denial {
            by: DeniedBy::Open {
                release: Release::Person,
            },
            ..
        }) => None,
        Gate::Deny(Denial { retry_at_ms, .. }) => retry_at_ms.map(phrase::time),
        Gate::Allow | Gate::AllowOnce => None,
    }
}
