//! Agents that ask fusebox from inside: registered, and really called?
//!
//! What is registered is not called from here: it may stand in the repository, and
//! nothing that stands there is executed unasked. `fusebox hooks test` is for that.

use fusebox_view::phrase;

use super::super::hooks::status::{self, Row, State};
use super::Patient;
use crate::finding::Finding;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    if patient.session.is_none() {
        return Patient::out_of_reach("hooks");
    }
    let rows = match status::rows(patient.context, None) {
        Ok(rows) => rows,
        Err(failure) => {
            let fix = "`fusebox hooks status` says more";
            return vec![Finding::doubtful("hooks", failure.what, fix)];
        }
    };
    let registered: Vec<Finding> = rows.iter().filter_map(finding).collect();
    if registered.is_empty() {
        return vec![Finding::fine("hooks", "no agent hooks installed")];
    }
    registered
}

fn finding(row: &Row) -> Option<Finding> {
    let agent = row.agent;
    let option = row.option();
    let again = || format!("`fusebox hooks install {agent}{option}`");
    Some(match (row.state, row.last_called_ms_ago) {
        (State::NotInstalled, _) => return None,
        (State::Installed, Some(ago)) => Finding::fine(
            "hooks",
            format!("{agent}: hook last called {} ago", phrase::duration(ago)),
        ),
        (State::Installed, None) => Finding::doubtful(
            "hooks",
            format!("{agent}: hook installed but never called here"),
            format!(
                "let {agent} use a tool here; `fusebox hooks test {agent}{option}` shows that the hook works"
            ),
        ),
        (State::ProgramMissing, _) => Finding::broken(
            "hooks",
            format!("{agent}: the hook points to a missing program"),
            again(),
        ),
        (State::SwitchedOff, _) => {
            let file = row.switched_off_by.as_deref().unwrap_or_default();
            Finding::broken(
                "hooks",
                format!("{agent}: the hook is never called, all hooks are switched off by {file}"),
                "remove the setting from that file",
            )
        }
        (State::AnotherProgram, _) => Finding::doubtful(
            "hooks",
            format!(
                "{agent}: the hook points to another program than this one: {}",
                row.path
            ),
            again(),
        ),
        (State::Unreadable, _) => Finding::doubtful(
            "hooks",
            format!("the settings of {agent} cannot be read: {}", row.path),
            "fix the file",
        ),
    })
}
