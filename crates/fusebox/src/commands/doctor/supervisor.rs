//! Whether a run is under way.

use fusebox_supervise::RunLock;

use super::Patient;
use crate::finding::Finding;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let session = patient.session;
    let what = if RunLock::is_held(&session.run_lock()) {
        format!(
            "a run of circuit `{}` is under way; it is the only one",
            session.circuit
        )
    } else {
        format!("no run of circuit `{}` is under way", session.circuit)
    };
    vec![Finding::fine("run", what)]
}
