//! One loop's iterations, the latest first to be read.

use fusebox_core::circuit::{Opening, Row};
use fusebox_core::{Entry, Event, Observation, State};
use fusebox_store::{Error, Log, Picked};

use crate::memory;

/// One iteration that was reported, or settled because nobody did.
#[derive(Clone, Debug)]
pub(crate) struct Iteration {
    /// The number of its record.
    pub(crate) record: u64,
    pub(crate) at_ms: i64,
    pub(crate) row: Row,
    pub(crate) facts: Observation,
    /// The state it ran in.
    pub(crate) began: State,
    /// The state it left behind.
    pub(crate) state: State,
    /// What it opened the breaker with, if it did.
    pub(crate) opened: Option<Opening>,
}

/// Some iterations, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) iterations: Vec<Iteration>,
    /// Ask for what is before this record for the page before.
    pub(crate) earlier: Option<u64>,
}

/// The last `most` iterations before record `before`, or of all.
pub(crate) fn page(log: &Log, before: Option<u64>, most: usize) -> Result<Page, Error> {
    let page = log.page(before, most, &|record| record.kind == Event::REPORTED)?;
    Ok(Page {
        iterations: page.records.iter().filter_map(Iteration::of).collect(),
        earlier: page.earlier,
    })
}

impl Iteration {
    /// `None` for what a later release wrote and this one cannot read.
    pub(crate) fn of(record: &Picked) -> Option<Self> {
        let entry = memory::entry(&record.record()).ok()?;
        Self::of_entry(record.mark.seq, entry)
    }

    /// The iteration that an entry tells of, if it tells of one.
    pub(crate) fn of_entry(record: u64, entry: Entry) -> Option<Self> {
        let opened = opening(&entry).cloned();
        let state = entry.outcome.core.phase.state();
        let first = entry.outcome.transitions.first();
        let Event::Reported(report) = entry.event else {
            return None;
        };
        Some(Self {
            record,
            at_ms: entry.at.wall_ms,
            row: entry.outcome.row?,
            facts: report.facts,
            began: first.map_or(state, |first| first.from),
            state,
            opened,
        })
    }
}

/// What an entry opened the breaker with, if it did.
pub(crate) fn opening(entry: &Entry) -> Option<&Opening> {
    let mut transitions = entry.outcome.transitions.iter();
    let opened = transitions.any(|transition| transition.to == State::Open);
    entry.outcome.core.phase.opening().filter(|_| opened)
}
