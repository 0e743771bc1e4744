//! What happened, found by what it was about.
//!
//! Everything else here reads the log from its end. A search reads all of it, and so
//! it asks the index, which is brought up to date first.

use std::borrow::Cow;
use std::path::Path;

use fusebox_core::journal::{Entry, Event};
use fusebox_core::{Policy, State};
pub(crate) use fusebox_store::Row;
use fusebox_store::{CircuitName, Error, Facts, Log, Query, ReadModel, Record};
use fusebox_view::phrase;
use serde::Serialize;

use super::events::name;
use super::words::Words;
use crate::memory;

/// One line as data.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) seq: u64,
    pub(crate) at: String,
    pub(crate) kind: &'a str,
    /// The same as `events` calls it.
    name: String,
    /// What the tools of a companion system call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<&'static str>,
    pub(crate) iteration: Option<u64>,
    pub(crate) task: Option<&'a str>,
    pub(crate) state: Option<&'a str>,
    pub(crate) reason: Option<&'a str>,
    pub(crate) files_changed: Option<u64>,
    pub(crate) error: Option<&'a str>,
    pub(crate) duration_ms: Option<u64>,
}

impl<'a> Line<'a> {
    pub(crate) fn of(row: &'a Row) -> Self {
        let facts = &row.facts;
        Self {
            seq: row.seq,
            at: phrase::time(i64::try_from(facts.at_ms).unwrap_or(i64::MAX)),
            kind: &facts.kind,
            name: name(&facts.kind),
            event: event(&row.body),
            iteration: facts.iteration,
            task: facts.task.as_deref(),
            state: facts.state.as_deref(),
            reason: facts.reason.as_deref(),
            files_changed: facts.files_changed,
            error: facts.error.as_deref(),
            duration_ms: facts.duration_ms,
        }
    }
}

/// The records of a circuit that match, oldest first.
pub(crate) fn search(
    workspace_dir: &Path,
    circuit: &CircuitName,
    log: &Log,
    query: Query,
) -> Result<Vec<Row>, Error> {
    let query = Query {
        circuit: Some(circuit.as_str().to_owned()),
        ..query
    };
    let path = workspace_dir.join("history.db");
    ReadModel::search(&path, circuit, log, &extract, &query)
}

/// What the index keeps of a record. One that cannot be read is passed over:
/// the log itself is verified elsewhere.
fn extract(record: &Record<'_>) -> Option<Facts> {
    let entry: Entry = memory::entry(record).ok()?;
    let row = entry.outcome.row.as_ref();
    let (iteration, duration_ms) = match &entry.event {
        Event::Granted { grant, .. } => (Some(grant.0), None),
        Event::Reported(report) => (None, report.facts.duration_ms),
        _ => (None, None),
    };
    let words = Words::of(&entry.event);
    Some(Facts {
        at_ms: u64::try_from(entry.at.wall_ms).unwrap_or(0),
        kind: entry.event.word().to_owned(),
        state: Some(entry.outcome.core.phase.state().name().to_owned()),
        iteration: iteration.or(row.map(|row| row.iteration)),
        task: words.task.map(str::to_owned),
        reason: reason(&entry, words.reason),
        files_changed: row.and_then(|row| row.files),
        error: row
            .and_then(|row| row.errors.first())
            .map(|error| error.shown.clone()),
        duration_ms,
        opened: opened(&entry),
    })
}

/// What was said with an entry, or else why it opened the breaker. What was lost says
/// less than what the loss came to.
fn reason(entry: &Entry, said: Option<Cow<'_, str>>) -> Option<String> {
    let opening = entry.outcome.core.phase.opening();
    let opening = opening.filter(|_| opened(entry));
    let opening = opening.map(|opening| opening.reason.clone());
    let said = said.map(Cow::into_owned);
    match entry.event {
        Event::ProtectedLost(_) => opening.or(said),
        _ => said.or(opening),
    }
}

/// Whether an entry opened the breaker.
pub(crate) fn opened(entry: &Entry) -> bool {
    let mut transitions = entry.outcome.transitions.iter();
    transitions.any(|transition| transition.to == State::Open)
}

/// What the log of a companion system calls what an entry tells of, where it has a name for it.
pub(crate) fn companion_event(entry: &Entry) -> Option<&'static str> {
    let companion = Policy::of(entry.outcome.core.preset?).companion?;
    opened(entry).then_some(companion.open_event)
}

/// The name of a record in the log of a companion system, where it has one.
fn event(body: &[u8]) -> Option<&'static str> {
    let entry: Entry = serde_json::from_slice(body).ok()?;
    companion_event(&entry)
}
