//! The breaker: where it stands, and whether that agrees with its thresholds.

use fusebox_core::machine;
use fusebox_core::signals::Level as Reading;
use fusebox_core::{Circuit, State};
use fusebox_view::escape;

use super::Patient;
use crate::exit;
use crate::finding::Finding;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let fix = "`fusebox explain` says why";
    let Some(session) = patient.session else {
        return vec![distrusted()];
    };
    let outcome = match session.look(machine::status) {
        Ok(outcome) => outcome,
        Err(failure) if failure.is_distrust() => return vec![distrusted()],
        Err(failure) => {
            return vec![Finding::broken("breaker", failure.what, fix).with_code(failure.code)];
        }
    };
    // Looked at for its own sake: this session reads on whatever is wrong there.
    if let Err(failure) = session.peek_beside(&outcome.circuit, &outcome.policy, &outcome.now) {
        let fix = "repair it, or move it away: it is rewritten from the stored state";
        return vec![Finding::broken("breaker", failure.what, fix).with_code(failure.code)];
    }
    let decision = &outcome.decision;
    let label = fusebox_view::answer::label(&outcome.policy.labels, decision.state);
    if is_open(&outcome.circuit) {
        let reason = escape::line(&decision.reason, 120);
        return vec![Finding::doubtful(
            "breaker",
            format!("{label}: {reason}"),
            fix,
        )];
    }
    // A threshold that was lowered since is not reached a second time by itself.
    let beyond = decision
        .readings
        .iter()
        .find(|reading| reading.level == Reading::Trip);
    match beyond {
        Some(reading) if decision.state == State::Closed => {
            let threshold = reading.threshold.unwrap_or_default();
            let what = format!(
                "{label}, although {} is {} and trips at {threshold}",
                reading.signal.name(),
                reading.value
            );
            vec![Finding::doubtful(
                "breaker",
                what,
                "the next iteration without progress trips it",
            )]
        }
        _ => vec![Finding::fine(
            "breaker",
            format!("{label}, and no threshold is reached"),
        )],
    }
}

/// What was found is the memory's to say.
fn distrusted() -> Finding {
    let what = "treated as OPEN because the state is unreadable or inconsistent";
    Finding::broken("breaker", what, "see to the memory first").with_code(exit::STATE)
}

fn is_open(circuit: &Circuit) -> bool {
    circuit.core.phase.opening().is_some()
}
