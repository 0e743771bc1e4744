//! What belongs to a report, collected from the log in one pass.

use std::collections::VecDeque;

use fusebox_core::Event;
use fusebox_core::circuit::Totals;
use fusebox_core::signals::Progress;
use fusebox_store::{Error, Log, LogReader, Picked, Record};

use super::About;
use crate::look::incidents::{self, Incident};
use crate::look::iterations::{self, Iteration};
use crate::memory;

/// The most iterations of one report, the latest.
const ITERATIONS: usize = 5_000;
/// The most incidents of one report, the latest.
const INCIDENTS: usize = 50;
/// Iterations, and changes of state, that count as the latest.
const LATEST: usize = 100;
/// Incidents that count as the latest.
const LATEST_INCIDENTS: usize = 3;
/// Iterations before a trip that belong to it.
const BEFORE: usize = 20;

/// What belongs to a report.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// Oldest first.
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) incidents: Vec<Incident>,
    /// Iterations that were too many.
    pub(crate) left_out: u64,
    /// The record before which the page before this one ends.
    pub(crate) earlier: Option<u64>,
}

/// What came together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) iterations: u64,
    /// Those among them that nobody ever reported.
    pub(crate) unreported: u64,
    pub(crate) progress: u64,
    pub(crate) duration_ms: u64,
    pub(crate) tokens: u64,
    pub(crate) micro_usd: u64,
}

/// Collects what is asked for; `None` where there is nothing of it. A breaker
/// that has never opened spares the search for when it did.
pub(crate) fn collect(log: &Log, about: About, totals: &Totals) -> Result<Option<Past>, Error> {
    match about {
        About::Run => {
            let began = last_run(log)?.unwrap_or(0);
            let reader = log.reader_around(began);
            read(reader, |record| record.seq >= began).map(Some)
        }
        About::Span { from_ms, until_ms } => {
            let reader = log.reader_since(u64::try_from(from_ms).unwrap_or(0));
            read(reader, |record| {
                memory::wall_ms(record).is_some_and(|at_ms| (from_ms..until_ms).contains(&at_ms))
            })
            .map(Some)
        }
        About::Latest { before } => {
            let page = iterations::page(log, before, LATEST)?;
            let mut incidents = match totals.trips {
                0 => Vec::new(),
                _ => incidents::page(log, before, LATEST)?,
            };
            let surplus = incidents.len().saturating_sub(LATEST_INCIDENTS);
            incidents.drain(..surplus);
            Ok(Some(Past {
                iterations: page.iterations,
                incidents,
                left_out: 0,
                earlier: page.earlier,
            }))
        }
        About::Incident if totals.trips == 0 => Ok(None),
        About::Incident => {
            let Some(incident) = incidents::last(log)? else {
                return Ok(None);
            };
            let until = incident.seq.saturating_add(1);
            Ok(Some(Past {
                iterations: iterations::page(log, Some(until), BEFORE)?.iterations,
                incidents: vec![incident],
                ..Past::default()
            }))
        }
    }
}

/// The record with which the last run began that did anything: one that was refused has
/// nothing to tell, and must not hide the one that was not.
fn last_run(log: &Log) -> Result<Option<u64>, Error> {
    let reported = last(log, None, Event::REPORTED)?;
    last(log, reported, Event::RUN_BEGAN)
}

/// The last record of a kind, of all or of those before one.
fn last(log: &Log, mut before: Option<u64>, kind: u16) -> Result<Option<u64>, Error> {
    loop {
        let page = log.page(before, 1, &|record| record.kind == kind)?;
        match (page.records.first(), page.earlier) {
            (Some(record), _) => return Ok(Some(record.mark.seq)),
            (None, None) => return Ok(None),
            (None, earlier) => before = earlier,
        }
    }
}

/// Reads what belongs to a report. Most records tell of neither an iteration nor a change
/// of state, and of the iterations only the latest are shown: what is not shown is not
/// taken apart.
fn read(mut reader: LogReader<'_>, belongs: impl Fn(&Record<'_>) -> bool) -> Result<Past, Error> {
    let mut past = Past::default();
    let mut latest = VecDeque::new();
    while let Some(record) = reader.next_record()? {
        let is_iteration = record.kind == Event::REPORTED;
        let changes_state = incidents::changes_state(&record);
        if !(is_iteration || changes_state) || !belongs(&record) {
            continue;
        }
        if changes_state && let Ok(entry) = memory::entry(&record) {
            incidents::take_in(&mut past.incidents, record.seq, &entry);
            let surplus = past.incidents.len().saturating_sub(INCIDENTS);
            past.incidents.drain(..surplus);
        }
        if is_iteration {
            latest.push_back(Picked::of(&record));
        }
        if latest.len() > ITERATIONS {
            latest.pop_front();
            past.left_out += 1;
        }
    }
    // One that a later release wrote cannot be told by this one.
    past.iterations = latest.iter().filter_map(Iteration::of).collect();
    Ok(past)
}

impl Past {
    pub(crate) fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for one in &self.iterations {
            sums.iterations += 1;
            sums.unreported += u64::from(!one.row.reported);
            sums.progress += u64::from(one.row.progress == Progress::Made);
            let usage = &one.facts.usage;
            let add = |sum: &mut u64, more: Option<u64>| {
                *sum = sum.saturating_add(more.unwrap_or(0));
            };
            add(&mut sums.duration_ms, one.facts.duration_ms);
            add(&mut sums.tokens, usage.tokens());
            add(&mut sums.micro_usd, usage.micro_usd);
        }
        sums
    }
}
