//! Whether a run is under way, and what would hold its processes.

use fusebox_supervise::{Orphans, RunLock};

use super::Patient;
use crate::finding::Finding;
use crate::platform::loose_ends;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let Some(session) = patient.session else {
        return Patient::out_of_reach("run");
    };
    let what = if RunLock::is_held(&session.run_lock()) {
        format!("a run of circuit `{}` is in progress", session.circuit)
    } else {
        format!("no run of circuit `{}` is in progress", session.circuit)
    };
    let mut findings = vec![Finding::fine("run", what)];
    // Only where it is less than what is promised of Linux.
    findings.extend(loose_ends(Orphans::HERE).map(|what| {
        let fix = "let what matters run under Linux, where orphans are adopted";
        Finding::doubtful("processes", what, fix)
    }));
    findings
}
