//! What an iteration takes from the budgets, and what it gives back.

use super::Step;
use super::work::{Work, plain};
use crate::budget::{Resource, Spending, SpendingStep};
use crate::circuit::{Circuit, GrantId};
use crate::clock::Moment;
use crate::decision::DeniedBy;
use crate::journal::{EntryOutcome, Event};
use crate::observation::Usage;
use crate::policy::{Policy, WindowLimit};

/// Puts more aside for the iteration under way, which has come to the end of what
/// was: what is `missing`, and a whole share where that much is left. Answers with how
/// much that is; `None` if what is missing is not left, or nothing is under way.
///
/// Whoever shares a budget with others asks for this as it goes: what is not put
/// aside may be granted to them at any moment.
#[must_use]
pub fn reserve_more(
    circuit: &Circuit,
    policy: &Policy,
    resource: Resource,
    missing: u64,
    now: &Moment,
) -> (Step, Option<u64>) {
    let mut work = Work::begin(circuit, policy, now);
    let more = more_for(circuit, policy, resource, missing, now);
    if let Some(spending) = more {
        let outcome = EntryOutcome {
            spent: vec![spending],
            ..plain(circuit.core.clone())
        };
        work.push(Event::ReservedMore { resource }, outcome);
    }
    let amount = more.map(|spending| spending.rule.share());
    (work.end_here(), amount)
}

fn more_for(
    circuit: &Circuit,
    policy: &Policy,
    resource: Resource,
    missing: u64,
    now: &Moment,
) -> Option<Spending> {
    let grant = circuit.core.pending.as_ref()?.id;
    let (_, rule) = policy.budgets().find(|(kept, _)| *kept == resource)?;
    let left = circuit.budgets.of(resource).left(&rule, now).left;
    let amount = missing.max(rule.share()).min(left);
    (amount >= missing && amount > 0).then_some(Spending {
        resource,
        // Of this much, and not of the usual share.
        rule: WindowLimit {
            reserve: amount,
            ..rule
        },
        step: SpendingStep::Reserved { grant },
    })
}

/// The budget that has no share left for another iteration, and how long to
/// wait for one, unless that will never be.
pub(super) fn used_up(
    circuit: &Circuit,
    policy: &Policy,
    now: &Moment,
) -> Option<(DeniedBy, Option<u64>)> {
    policy.budgets().find_map(|(resource, rule)| {
        let budget = circuit.budgets.of(resource);
        let wait = budget.wait_for(rule.share(), &rule, now);
        (wait != Some(0)).then_some((DeniedBy::Budget(resource), wait))
    })
}

/// The budget of which so little is left that it is kept for the work under
/// way, and for how long.
pub(super) fn scarce(circuit: &Circuit, policy: &Policy, now: &Moment) -> Option<(Resource, u64)> {
    policy.budgets().find_map(|(resource, rule)| {
        let budget = circuit.budgets.of(resource);
        let near = budget.left(&rule, now).near;
        near.then(|| (resource, budget.wait_until_calm(&rule, now)))
    })
}

/// What is put aside for an iteration.
pub(super) fn reservations(policy: &Policy, grant: GrantId) -> Vec<Spending> {
    steps(policy, |_| SpendingStep::Reserved { grant })
}

/// What an iteration turned out to use. A report that came too late settles as
/// well: what it used is used.
pub(super) fn settlements(policy: &Policy, grant: Option<GrantId>, usage: &Usage) -> Vec<Spending> {
    steps(policy, |resource| {
        let actual = match resource {
            Resource::Tokens => usage.tokens(),
            Resource::Money => usage.micro_usd,
        };
        SpendingStep::Settled { grant, actual }
    })
}

fn steps(policy: &Policy, step: impl Fn(Resource) -> SpendingStep) -> Vec<Spending> {
    policy
        .budgets()
        .map(|(resource, rule)| Spending {
            resource,
            rule,
            step: step(resource),
        })
        .collect()
}
