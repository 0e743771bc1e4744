//! Whether a run is under way, and what would hold its processes.

use fusebox_supervise::Orphans;

use super::Patient;
use crate::finding::Finding;
use crate::last_run::LastRun;
use crate::platform::loose_ends;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let Some(session) = patient.session else {
        return Patient::out_of_reach("run");
    };
    let (view, live) = session.with_life(|| session.store.peek());
    // A memory that cannot be read is told of elsewhere.
    let circuit = view.ok().map(|view| view.state.0);
    let now = session.clock.now();
    let last = circuit
        .as_ref()
        .and_then(|circuit| LastRun::of(circuit, live, &now));
    let paused = last.filter(|run| run.paused().is_some());
    let what = match (paused, live) {
        (Some(run), _) => format!("a run of circuit `{}` is {}", session.circuit, run.line()),
        (None, true) => format!("a run of circuit `{}` is in progress", session.circuit),
        (None, false) => format!("no run of circuit `{}` is in progress", session.circuit),
    };
    let mut findings = vec![Finding::fine("run", what)];
    // Only where it is less than what is promised of Linux.
    findings.extend(loose_ends(Orphans::HERE).map(|what| {
        let fix = "let what matters run under Linux, where orphans are adopted";
        Finding::doubtful("processes", what, fix)
    }));
    findings
}
