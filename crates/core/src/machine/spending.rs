//! What an iteration takes from the budgets, and what it gives back.

use crate::budget::{Resource, Spending, SpendingStep};
use crate::circuit::{Circuit, GrantId};
use crate::clock::Moment;
use crate::decision::DeniedBy;
use crate::observation::Usage;
use crate::policy::Policy;

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
