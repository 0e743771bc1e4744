//! What a run that was killed has left running.

use fusebox_supervise::{RunLock, sweep};
use fusebox_view::phrase;

use super::Patient;
use crate::finding::Finding;
use crate::session::{Session, cookie_at};

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let Some(session) = patient.session else {
        return Patient::out_of_reach("processes");
    };
    let Some(told) = session.orphans() else {
        return vec![Finding::fine("processes", "no leftover processes")];
    };
    if patient.fix
        && let Some(ended) = end(session)
    {
        patient.fixed.push(ended);
        return vec![Finding::fine(
            "processes",
            "those of a run that was killed are ended now",
        )];
    }
    vec![Finding::doubtful(
        "processes",
        told,
        "`fusebox doctor --fix`",
    )]
}

/// Ends them, as the next run would. What has a supervisor is not left behind.
fn end(session: &Session) -> Option<String> {
    if RunLock::is_held(&session.run_lock()) {
        return None;
    }
    let swept = sweep(&cookie_at(&session.cookie_file())?);
    swept.survivors.is_empty().then(|| {
        format!(
            "ended {} of a run that was killed",
            phrase::count(u64::from(swept.killed), "process")
        )
    })
}
