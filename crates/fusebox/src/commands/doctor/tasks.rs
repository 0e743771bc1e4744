//! The list of tasks: can it be asked, and is anything of it left behind?

use fusebox_tasks::{Item, Status};
use fusebox_view::{escape, phrase};

use super::Patient;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::tasks::{self, Open, export_of_beads};

/// More than this are counted rather than told.
const MOST_TOLD: usize = 5;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let Some(session) = patient.session else {
        return Patient::out_of_reach("tasks");
    };
    match tasks::open(session) {
        Ok(None) => vec![match export_of_beads(session) {
            Some(remark) => Finding::fine("tasks", format!("no task list found: {remark}")),
            None => Finding::fine("tasks", "no task list found"),
        }],
        Ok(Some(open)) => examined(patient, open).unwrap_or_else(|failure| vec![broken(&failure)]),
        Err(failure) => vec![broken(&failure)],
    }
}

fn broken(failure: &Failure) -> Finding {
    let fix = failure.hints.first().cloned().unwrap_or_default();
    Finding::broken("tasks", failure.what.clone(), fix).with_code(failure.code)
}

fn examined(patient: &mut Patient<'_>, mut open: Open) -> Result<Vec<Finding>, Failure> {
    let now = tasks::now(patient.context.clock);
    if patient.fix {
        let by = tasks::actor(patient.context.clock);
        for one in open.desk.recover(&by, &now)? {
            let became = one.settled.words();
            patient.fixed.push(format!(
                "task {} {became}: {}",
                escape::line(&one.id, 80),
                escape::line(&one.why, 160)
            ));
        }
    }
    let items = open.desk.look(&now)?;
    let count = |wanted: fn(&Item) -> bool| items.iter().filter(|item| wanted(item)).count() as u64;
    let mut findings = vec![Finding::fine(
        "tasks",
        format!(
            "{} in {}: {} ready, {} in progress, {} done",
            phrase::count(items.len() as u64, "task"),
            open.desk.name(),
            count(Item::is_ready),
            count(|item| item.status == Status::InProgress),
            count(|item| item.status == Status::Done),
        ),
    )];
    let stale: Vec<&Item> = items.iter().filter(|item| item.is_stale()).collect();
    for item in stale.iter().take(MOST_TOLD) {
        let what = format!("task {} is stale: {}", item.task.id, item.verdict.words());
        findings.push(Finding::doubtful(
            "tasks",
            what,
            "`fusebox doctor --fix`, or `fusebox tasks reopen`",
        ));
    }
    if stale.len() > MOST_TOLD {
        let what = format!("{} more tasks are stale", stale.len() - MOST_TOLD);
        findings.push(Finding::doubtful(
            "tasks",
            what,
            "`fusebox tasks stale` shows them",
        ));
    }
    for item in items
        .iter()
        .filter(|item| item.expected.is_some_and(|expected| expected.outlier))
        .take(MOST_TOLD)
    {
        if item.status == Status::InProgress && !item.is_stale() {
            let what = format!("task {} takes far longer than is usual", item.task.id);
            findings.push(Finding::doubtful(
                "tasks",
                what,
                "`fusebox tasks list` shows how long",
            ));
        }
    }
    Ok(findings)
}
