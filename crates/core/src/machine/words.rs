//! The sentence and the rule that go with a decision.

use crate::budget::Resource;
use crate::circuit::{Cause, Core, Phase};
use crate::decision::{Denial, DeniedBy, Gate, Reading};
use crate::journal::PauseFor;
use crate::observation::Environment;
use crate::policy::RuleId;
use crate::signals::Level;

/// Why the gate stands as it does, in one sentence.
pub(super) fn reason(core: &Core, readings: &[Reading], gate: &Gate) -> String {
    if let Some((sentence, _)) = beside_the_state(gate) {
        return sentence.into();
    }
    match (core.phase.opening(), loudest(core, readings)) {
        (Some(opening), _) => opening.reason.clone(),
        (None, Some(reading)) => reading.sentence_on(None),
        (None, None) => "No problems detected".into(),
    }
}

/// The written rule behind it.
pub(super) fn rule(core: &Core, readings: &[Reading], gate: &Gate) -> Option<RuleId> {
    if let Some((_, rule)) = beside_the_state(gate) {
        return Some(rule.into());
    }
    match core.phase.opening() {
        Some(opening) => Some(opening.rule.clone()),
        None => loudest(core, readings).map(|reading| reading.rule.clone()),
    }
}

/// The written rule behind an opening that somebody asked for.
pub(super) fn request_rule(cause: Cause) -> RuleId {
    match cause {
        Cause::Pattern { .. } => "002.49".into(),
        Cause::Supervisor => "X.9".into(),
        Cause::Signal(_) | Cause::Asked => "D68".into(),
    }
}

/// What shuts the gate although the state would not.
fn beside_the_state(gate: &Gate) -> Option<(&'static str, &'static str)> {
    let Gate::Deny(Denial { by, .. }) = gate else {
        return None;
    };
    match by {
        DeniedBy::CallLimit => Some(("The call limit is reached", "004.52")),
        DeniedBy::CallsScarce => Some((
            "So few calls are left that they are kept for the work under way",
            "004.50",
        )),
        DeniedBy::BudgetScarce(_) => Some((
            "So little of the budget is left that it is kept for the work under way",
            "D71",
        )),
        DeniedBy::Budget(Resource::Tokens) => Some(("The token budget is used up", "D71")),
        DeniedBy::Budget(Resource::Money) => Some(("The money budget is used up", "D71")),
        DeniedBy::Outage(kind) => Some((outage(*kind), "D71")),
        DeniedBy::Complete => Some(("Nothing is left to do", "003.63")),
        DeniedBy::RunPaused(PauseFor::Resume) => Some((
            "A run is paused here, by request from another terminal",
            "D66",
        )),
        DeniedBy::RunPaused(PauseFor::Answer) => Some((
            "A run is paused here, and asks a person at its terminal",
            "D66",
        )),
        DeniedBy::Open { .. } | DeniedBy::ProbeUnderWay => None,
    }
}

fn outage(kind: Environment) -> &'static str {
    match kind {
        Environment::Limit => "The agent's usage limit is reached",
        Environment::Overload => "The agent's service is overloaded",
        Environment::Auth => "The agent is not signed in",
        Environment::Network => "The agent's service cannot be reached",
        Environment::Disk => "The disk is full",
    }
}

/// The reading that matters most, unless all are quiet. A finished or closed
/// circuit may still have one that warns.
fn loudest<'a>(core: &Core, readings: &'a [Reading]) -> Option<&'a Reading> {
    worst(readings).filter(|reading| reading.level > Level::Quiet && core.phase != Phase::Complete)
}

/// The reading that matters most; the first of equals.
fn worst(readings: &[Reading]) -> Option<&Reading> {
    readings.iter().rev().max_by_key(|reading| reading.level)
}
