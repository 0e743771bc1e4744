//! Other rules from here on: another phase of the work, another way of working.

use super::Step;
use super::release::{Refused, refusal};
use super::work::{Work, closed};
use crate::circuit::{Circuit, Phase, SkippedPhase};
use crate::clock::Moment;
use crate::journal::{Actor, Event};
use crate::observation::WorkPhase;
use crate::policy::Policy;

/// Begins another phase: what was counted belonged to the old one. A breaker
/// that is open stays so. While a supervisor has an iteration under way nothing
/// begins: whoever asks then is inside it, and would be rid of what was counted.
#[must_use]
pub fn enter_phase(circuit: &Circuit, policy: &Policy, phase: WorkPhase, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    if !work.supervised() {
        work.enter_phase(phase);
    }
    work.end_here()
}

/// Takes the phase under way for complete, closes the breaker, and goes on with
/// the next phase, or stays in the last one. The caller has made sure that a
/// person asked.
///
/// # Errors
/// [`Refused`] where phases cannot be skipped or none is under way, and where
/// the policy leaves no release to persons.
pub fn skip_phase(
    circuit: &Circuit,
    policy: &Policy,
    reason: String,
    by: Actor,
    now: &Moment,
) -> Result<Step, Refused> {
    if let Some(refused) = refusal(policy) {
        return Err(refused);
    }
    let Some(phase) = circuit
        .core
        .counters
        .phase
        .filter(|_| policy.capabilities.skip_phase)
    else {
        return Err(Refused::NoPhase);
    };
    let next = phase.next();
    let mut work = Work::begin(circuit, policy, now);
    let mut core = closed(&work.circuit.core);
    let failing = core.counters.last_metrics(phase).tests_failing;
    core.skipped.retain(|skipped| skipped.phase != phase);
    core.skipped.push(SkippedPhase {
        phase,
        failing: failing.unwrap_or(0),
    });
    core.counters = core.counters.in_phase(next.unwrap_or(phase));
    let event = Event::PhaseSkipped {
        phase,
        next,
        reason,
        by,
    };
    work.move_to(core, Phase::Closed, event);
    Ok(work.end_here())
}

/// Goes on under `policy`, which is of another preset. What was counted was
/// counted by other rules, so counting begins anew. The caller has made sure
/// that a person asked.
///
/// # Errors
/// [`Refused`] while the breaker is open: whoever could change the rules under
/// it could release it.
pub fn change_preset(
    circuit: &Circuit,
    policy: &Policy,
    by: Actor,
    now: &Moment,
) -> Result<Step, Refused> {
    if circuit.core.phase.opening().is_some() {
        return Err(Refused::StillOpen);
    }
    let (from, to) = (circuit.core.preset, policy.preset);
    let mut work = Work::begin(circuit, policy, now);
    if from != Some(to) {
        let mut core = closed(&work.circuit.core);
        core.preset = Some(to);
        core.skipped.clear();
        work.move_to(core, Phase::Closed, Event::PresetChanged { from, to, by });
    }
    Ok(work.end_here())
}

impl WorkPhase {
    /// The phase that follows, if one does.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }
}
