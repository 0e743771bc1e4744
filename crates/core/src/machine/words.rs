//! The sentence and the rule that go with a decision.

use crate::circuit::{Core, Phase};
use crate::decision::{Denial, DeniedBy, Gate, Reading};
use crate::policy::RuleId;
use crate::signals::Level;

/// Why the gate stands as it does, in one sentence.
pub(super) fn reason(core: &Core, gate: &Gate) -> String {
    match gate {
        Gate::Deny(Denial {
            by: DeniedBy::CallLimit,
            ..
        }) => return "The call limit is reached".into(),
        Gate::Deny(Denial {
            by: DeniedBy::CallsScarce,
            ..
        }) => {
            return "Too few calls are left for a probe".into();
        }
        Gate::Deny(_) | Gate::Allow | Gate::AllowOnce => {}
    }
    match (&core.phase, worst(&core.readings)) {
        (Phase::Open(opening) | Phase::Probing(opening), _) => opening.reason.clone(),
        (_, Some(reading)) if reading.level > Level::Quiet => {
            reading.signal.sentence(reading.value)
        }
        _ => "Nothing points to trouble".into(),
    }
}

/// The written rule behind it.
pub(super) fn rule(core: &Core, gate: &Gate) -> Option<RuleId> {
    match gate {
        Gate::Deny(Denial {
            by: DeniedBy::CallLimit,
            ..
        }) => return Some("004.52".into()),
        Gate::Deny(Denial {
            by: DeniedBy::CallsScarce,
            ..
        }) => return Some("004.50".into()),
        Gate::Deny(_) | Gate::Allow | Gate::AllowOnce => {}
    }
    match &core.phase {
        Phase::Open(opening) | Phase::Probing(opening) => Some(opening.rule.clone()),
        _ => worst(&core.readings)
            .filter(|r| r.level > Level::Quiet)
            .map(|r| r.rule.clone()),
    }
}

/// The reading that matters most; the first of equals.
pub(super) fn worst(readings: &[Reading]) -> Option<&Reading> {
    readings.iter().rev().max_by_key(|reading| reading.level)
}
