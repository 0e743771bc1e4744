//! May the next step run? The answer follows from the phase, the clock and the
//! limit; it changes none of them.

use super::spending::{scarce, used_up};
use crate::circuit::{Circuit, Opening, Phase, Release};
use crate::clock::Moment;
use crate::decision::{Denial, DeniedBy, Gate};
use crate::policy::{Enforcement, Policy};

pub(super) fn gate(circuit: &Circuit, policy: &Policy, now: &Moment) -> Gate {
    match &circuit.core.phase {
        Phase::Closed | Phase::Watching => within_limit(circuit, policy, now),
        Phase::Open(opening) if opening.halts(policy.enforcement) => {
            open(opening, circuit, policy, now)
        }
        Phase::Open(_) => within_limit(circuit, policy, now),
        Phase::Probing(_) => {
            let pending = circuit.core.pending.as_ref();
            let since = pending.map_or(*now, |pending| pending.at);
            let limit = pending.map_or(policy.iteration_limit_ms, |pending| pending.limit_ms);
            let left = limit.saturating_sub(now.waited_since(&since));
            deny(DeniedBy::ProbeUnderWay, now, left)
        }
        Phase::Complete => Gate::Deny(Denial {
            by: DeniedBy::Complete,
            retry_at_ms: None,
        }),
    }
}

fn within_limit(circuit: &Circuit, policy: &Policy, now: &Moment) -> Gate {
    if policy.enforcement == Enforcement::Observe {
        return Gate::Allow;
    }
    if let Some(denied) = outage(circuit, now) {
        return denied;
    }
    let calls = circuit.calls.left(&policy.calls, now);
    if calls.left == 0 {
        return deny(DeniedBy::CallLimit, now, calls.next_in_ms);
    }
    match used_up(circuit, policy, now) {
        Some((by, wait)) => Gate::Deny(Denial {
            by,
            retry_at_ms: wait.map(|ms| now.wall_after(ms)),
        }),
        None => Gate::Allow,
    }
}

fn open(opening: &Opening, circuit: &Circuit, policy: &Policy, now: &Moment) -> Gate {
    let by = DeniedBy::Open {
        release: opening.release,
    };
    let Release::Cooldown(ms) = opening.release else {
        return Gate::Deny(Denial {
            by,
            retry_at_ms: None,
        });
    };
    let left = ms.saturating_sub(now.waited_since(&opening.since));
    if left > 0 {
        return deny(by, now, left);
    }
    match within_limit(circuit, policy, now) {
        Gate::Allow => unless_scarce(circuit, policy, now, Gate::AllowOnce),
        used_up => used_up,
    }
}

/// What is left of a limit is kept for the work under way: neither a probe nor a
/// new task is worth one of the last calls.
pub(super) fn unless_scarce(
    circuit: &Circuit,
    policy: &Policy,
    now: &Moment,
    otherwise: Gate,
) -> Gate {
    if policy.enforcement == Enforcement::Observe {
        return otherwise;
    }
    if circuit.calls.left(&policy.calls, now).near {
        let calm = circuit.calls.wait_until_calm(&policy.calls, now);
        return deny(DeniedBy::CallsScarce, now, calm);
    }
    match scarce(circuit, policy, now) {
        Some((resource, wait)) => deny(DeniedBy::BudgetScarce(resource), now, wait),
        None => otherwise,
    }
}

/// Trouble outside that is known to last.
fn outage(circuit: &Circuit, now: &Moment) -> Option<Gate> {
    let outage = circuit.core.outage.as_ref()?;
    let left = outage.left_ms(now);
    (left > 0).then(|| deny(DeniedBy::Outage(outage.kind), now, left))
}

fn deny(by: DeniedBy, now: &Moment, wait_ms: u64) -> Gate {
    Gate::Deny(Denial {
        by,
        retry_at_ms: Some(now.wall_after(wait_ms)),
    })
}
