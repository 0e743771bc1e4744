//! What persons and files change about a circuit while it stands still.

use super::Step;
use super::release::reconsidered;
use super::work::{Work, plain};
use crate::circuit::{Circuit, Phase};
use crate::clock::Moment;
use crate::journal::{Actor, Event};
use crate::patterns::Anomaly;
use crate::policy::{OutOfRange, Policy, ThresholdEdits};

/// Writes down what somebody at work reported. Counting is for an analysis.
#[must_use]
pub fn report_anomaly(
    circuit: &Circuit,
    policy: &Policy,
    anomaly: Anomaly,
    by: Actor,
    now: &Moment,
) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let core = work.circuit.core.clone();
    let anomaly = Box::new(anomaly);
    work.push(Event::AnomalyReported { anomaly, by }, plain(core));
    work.end_here()
}

/// Sets the threshold of this circuit. Where the state follows edits, it does so
/// at once, both ways. The caller has made sure that a person asked.
///
/// # Errors
/// [`OutOfRange`] unless it is within
/// [`THRESHOLD_RANGE`](crate::policy::THRESHOLD_RANGE).
pub fn set_threshold(
    circuit: &Circuit,
    policy: &Policy,
    threshold: u32,
    reason: String,
    by: Actor,
    now: &Moment,
) -> Result<Step, OutOfRange> {
    let edited = policy.clone().with_stagnation_threshold(threshold)?;
    let mut work = Work::begin(circuit, &edited, now);
    let mut core = work.circuit.core.clone();
    core.threshold = Some(threshold);
    let event = Event::ThresholdSet {
        threshold,
        reason,
        by,
    };
    let phase = reconsidered(&work, &mut core).unwrap_or_else(|| core.phase.clone());
    work.move_to(core, phase, event);
    Ok(work.end_here())
}

/// Counts failures anew. Where the state follows edits, the breaker closes with that: no failures
/// is healthy. Only if there were none to forget, what somebody asked for stays open. The caller
/// has made sure that a person asked.
#[must_use]
pub fn forget_failures(
    circuit: &Circuit,
    policy: &Policy,
    reason: String,
    by: Actor,
    now: &Moment,
) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let mut core = work.circuit.core.clone();
    let had_failures = core.counters.no_progress > 0;
    core.counters = core.counters.anew();
    let is_open = matches!(core.phase, Phase::Open(_));
    let phase = if is_open && had_failures && policy.edits == ThresholdEdits::Reevaluate {
        Phase::Closed
    } else {
        reconsidered(&work, &mut core).unwrap_or_else(|| core.phase.clone())
    };
    work.move_to(core, phase, Event::FailuresForgotten { reason, by });
    work.end_here()
}
