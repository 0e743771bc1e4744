//! What opened a breaker, on which evidence, and what closed it again.

use fusebox_core::circuit::Opening;
use fusebox_core::journal::Actor;
use fusebox_core::{Entry, Event, State};
use fusebox_store::{Error, Log, Record};
use memchr::memmem;
use serde::Serialize;

use super::iterations::opening;
use crate::memory;

/// The name under which an entry keeps changes of state; one without has none.
const TRANSITIONS: &[u8] = b"\"transitions\"";

/// One time that a breaker was open.
#[derive(Clone, Debug)]
pub(crate) struct Incident {
    /// The number of the record that opened it.
    pub(crate) seq: u64,
    /// The iteration after which it opened.
    pub(crate) iteration: u64,
    pub(crate) opening: Opening,
    /// Probes that failed while it was open.
    pub(crate) failed_probes: u32,
    /// How it ended, if it has.
    pub(crate) closed: Option<Closing>,
}

/// How a breaker was closed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Closing {
    pub(crate) at_ms: i64,
    pub(crate) by: ClosedBy,
}

/// What closed a breaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClosedBy {
    /// An iteration that made progress: the probe, or one that went on because
    /// the opening was only announced.
    Iteration(u64),
    /// Somebody, and in which words.
    Person { user: String, reason: String },
    /// Another change, by the name of its record.
    Other(&'static str),
}

/// The incidents among the last `most` changes of state before record `before`,
/// or of all; oldest first.
pub(crate) fn page(log: &Log, before: Option<u64>, most: usize) -> Result<Vec<Incident>, Error> {
    Ok(read(log, before, most)?.0)
}

/// The last incident of all, however long ago.
pub(crate) fn last(log: &Log) -> Result<Option<Incident>, Error> {
    const AT_ONCE: usize = 32;
    let mut before = None;
    loop {
        match read(log, before, AT_ONCE)? {
            (mut incidents, _) if !incidents.is_empty() => return Ok(incidents.pop()),
            (_, None) => return Ok(None),
            (_, earlier) => before = earlier,
        }
    }
}

/// Incidents, and where the page before them ends.
fn read(
    log: &Log,
    before: Option<u64>,
    most: usize,
) -> Result<(Vec<Incident>, Option<u64>), Error> {
    let page = log.page(before, most, &changes_state)?;
    let mut incidents = Vec::new();
    for picked in &page.records {
        if let Ok(entry) = memory::entry(&picked.record()) {
            take_in(&mut incidents, picked.mark.seq, &entry);
        }
    }
    // The end of the last one may lie behind this page.
    if let (Some(before), Some(last)) = (before, incidents.last_mut())
        && last.closed.is_none()
    {
        follow(last, log, before)?;
    }
    Ok((incidents, page.earlier))
}

/// A cheap look that passes over nearly everything. What merely contains the
/// word is read in vain, nothing more.
pub(crate) fn changes_state(record: &Record<'_>) -> bool {
    memmem::find(record.body, TRANSITIONS).is_some()
}

/// Goes on from record `from` until the incident is over.
fn follow(incident: &mut Incident, log: &Log, from: u64) -> Result<(), Error> {
    let mut reader = log.reader_around(from);
    while let Some(record) = reader.next_record()? {
        if record.seq < from || !changes_state(&record) {
            continue;
        }
        if let Ok(entry) = memory::entry(&record) {
            incident.go_on(&entry);
        }
        if incident.closed.is_some() {
            break;
        }
    }
    Ok(())
}

/// Takes one more change of state into account.
pub(crate) fn take_in(incidents: &mut Vec<Incident>, seq: u64, entry: &Entry) {
    match incidents.last_mut().filter(|last| last.closed.is_none()) {
        Some(under_way) => under_way.go_on(entry),
        None => incidents.extend(opening(entry).map(|opening| Incident {
            seq,
            iteration: entry.outcome.core.iterations,
            opening: opening.clone(),
            failed_probes: 0,
            closed: None,
        })),
    }
}

impl Incident {
    fn go_on(&mut self, entry: &Entry) {
        let state = entry.outcome.core.phase.state();
        let transitions = &entry.outcome.transitions;
        let failed = |from: State, to: State| from == State::Probing && to == State::Open;
        let mut changes = transitions.iter();
        if changes.any(|change| failed(change.from, change.to)) {
            self.failed_probes += 1;
        }
        if !transitions.is_empty() && !matches!(state, State::Open | State::Probing) {
            self.closed = Some(Closing {
                at_ms: entry.at.wall_ms,
                by: ClosedBy::of(entry),
            });
        }
    }
}

impl ClosedBy {
    fn of(entry: &Entry) -> Self {
        let person = |by: &Actor, reason: &str| Self::Person {
            user: by.user.clone(),
            reason: reason.to_owned(),
        };
        match &entry.event {
            Event::Reported(_) => Self::Iteration(entry.outcome.core.iterations),
            Event::Reset { reason, by, .. } => person(by, reason),
            Event::Resolved { resolution, by } => person(by, resolution),
            other => Self::Other(other.word()),
        }
    }
}
