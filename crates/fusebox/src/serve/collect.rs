//! What there is to see across all loops, for pages and for programs alike.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;

use fusebox_core::patterns::Anomaly;
use fusebox_core::{Entry, Event};
use fusebox_store::{Query, Row};
use fusebox_tasks::{Item, Now};

use crate::failure::Failure;
use crate::look::history;
use crate::look::incidents::{self, Incident};
use crate::look::machine::{Machine, Place};
use crate::{anomalies, memory, tasks};

/// Changes of state that are looked through for incidents, of each loop.
const CHANGES: usize = 64;
/// Records that are looked through for anomalies, of each loop.
const RECORDS: usize = 1_000;

/// What opened breakers lately, the latest first. A loop that cannot be read has a
/// line of its own on the overview, and does not hide the others here.
pub(super) fn incidents(machine: &Machine<'_>) -> Result<Vec<(Place, Incident)>, Failure> {
    let mut found = Vec::new();
    for place in machine.places()? {
        let log = machine.log(&place).ok().flatten();
        let page = log.and_then(|log| incidents::page(&log, None, CHANGES).ok());
        found.extend(page.into_iter().flatten().map(|one| (place.clone(), one)));
    }
    found.sort_by_key(|(_, incident)| Reverse(incident.opening.since.wall_ms));
    Ok(found)
}

/// What was reported or found to be odd lately, the latest first.
pub(super) fn anomalies(machine: &Machine<'_>) -> Result<Vec<(Place, Anomaly)>, Failure> {
    let mut found = Vec::new();
    for place in machine.places()? {
        let Some(log) = machine.log(&place).ok().flatten() else {
            continue;
        };
        let told = [Event::REPORTED, Event::ANOMALY_REPORTED];
        let page = log.page(None, RECORDS, &|record| told.contains(&record.kind));
        let records = page.unwrap_or_default().records;
        let read = |picked: &fusebox_store::Picked| memory::entry(&picked.record()).ok();
        let entries: Vec<Entry> = records.iter().filter_map(read).collect();
        let odd = anomalies::among(entries.iter());
        found.extend(odd.into_iter().map(|one| (place.clone(), one)));
    }
    found.sort_by_key(|(_, anomaly)| Reverse(anomaly.at_ms));
    Ok(found)
}

/// The tasks of one workspace.
pub(super) struct TaskList {
    pub(super) root: PathBuf,
    /// What the list is called.
    pub(super) name: String,
    pub(super) items: Vec<Item>,
    pub(super) now: Now,
    /// Why it cannot be shown, if so.
    pub(super) trouble: Option<String>,
}

/// The lists of all workspaces that have one.
pub(super) fn tasks(machine: &Machine<'_>) -> Result<Vec<TaskList>, Failure> {
    let mut roots = BTreeSet::new();
    let mut lists = Vec::new();
    for place in machine.places()? {
        // A workspace has one list, however many circuits it has.
        if roots.insert(place.root.clone()) {
            lists.extend(task_list(machine, &place));
        }
    }
    Ok(lists)
}

fn task_list(machine: &Machine<'_>, place: &Place) -> Option<TaskList> {
    let troubled = |why: String| TaskList {
        root: place.root.clone(),
        name: String::new(),
        items: Vec::new(),
        now: Now::default(),
        trouble: Some(why),
    };
    let session = match machine.session(place) {
        Ok(session) => session,
        Err(failure) => return Some(troubled(failure.what)),
    };
    let mut open = match tasks::open(&session) {
        Ok(open) => open?,
        Err(failure) => return Some(troubled(failure.what)),
    };
    let now = tasks::now(session.clock);
    match open.desk.look(&now) {
        Ok(items) => Some(TaskList {
            root: place.root.clone(),
            name: open.desk.name().to_owned(),
            items,
            now,
            trouble: None,
        }),
        Err(error) => Some(troubled(error.to_string())),
    }
}

/// What somebody looks for in the past.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// Only this loop.
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) task: Option<String>,
    pub(super) words: Option<String>,
    pub(super) most: usize,
}

/// What matches, the latest first.
pub(super) fn history(
    machine: &Machine<'_>,
    search: &Search,
) -> Result<Vec<(Place, Row)>, Failure> {
    let mut found = Vec::new();
    for place in machine.places()? {
        if search
            .id
            .as_ref()
            .is_some_and(|id| *id != place.id.to_string())
        {
            continue;
        }
        let Some(log) = machine.log(&place).ok().flatten() else {
            continue;
        };
        let query = Query {
            last: search.most,
            kind: search.kind.clone(),
            task: search.task.clone(),
            words: search.words.clone(),
            ..Query::default()
        };
        let circuit = &place.id.circuit;
        let rows = history::search(&place.workspace_dir(), circuit, &log, query)?;
        found.extend(rows.into_iter().map(|row| (place.clone(), row)));
    }
    found.sort_by_key(|(_, row)| Reverse((row.facts.at_ms, row.seq)));
    found.truncate(search.most);
    Ok(found)
}
