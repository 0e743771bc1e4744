//! What earlier tasks say about the next ones.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::TaskError;
use crate::journal::{Journal, Record, Records};

/// Fewer finished tasks than this say nothing.
const ENOUGH: usize = 3;
/// So many times the usual time is out of the ordinary.
const FAR: u64 = 3;

/// How long a task may be expected to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// The median of those that are done.
    pub median_ms: u64,
    /// How many those are.
    pub of: usize,
    /// Whether this one is far beyond.
    pub outlier: bool,
}

/// How long tasks of each kind took.
pub(crate) struct Expectations<'a> {
    kinds: BTreeMap<Option<&'a str>, Vec<u64>>,
    all: Vec<u64>,
}

impl<'a> Expectations<'a> {
    pub(crate) fn of(records: &'a Records) -> Self {
        let mut all = Vec::new();
        let mut kinds: BTreeMap<Option<&str>, Vec<u64>> = BTreeMap::new();
        for record in records.values().filter(|record| is_finished(record)) {
            all.push(record.worked_ms);
            kinds
                .entry(record.kind.as_deref())
                .or_default()
                .push(record.worked_ms);
        }
        kinds.values_mut().for_each(|times| times.sort_unstable());
        all.sort_unstable();
        Self { kinds, all }
    }

    /// What is usual for a kind, or for all where too few of that kind are done.
    pub(crate) fn for_kind(&mut self, kind: Option<&str>, worked_ms: u64) -> Option<Expectation> {
        let of_kind = self.kinds.get(&kind).filter(|times| times.len() >= ENOUGH);
        let times = of_kind.unwrap_or(&self.all);
        let median_ms = median(times).filter(|_| times.len() >= ENOUGH)?;
        Some(Expectation {
            median_ms,
            of: times.len(),
            outlier: worked_ms > median_ms.saturating_mul(FAR),
        })
    }
}

fn is_finished(record: &Record) -> bool {
    record.evidence.is_some() && record.worked_ms > 0
}

fn median(sorted: &[u64]) -> Option<u64> {
    sorted.get(sorted.len() / 2).copied()
}

/// How work on one kind of task goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindPattern {
    /// Which kind; none for tasks of no kind.
    pub kind: Option<String>,
    /// How many tasks.
    pub tasks: u64,
    /// How many of them are done.
    pub done: u64,
    /// How many were given up.
    pub blocked: u64,
    /// Iterations on them.
    pub attempts: u64,
    /// How often one was taken from a worker who was gone.
    pub reopens: u64,
    /// The usual time of those that are done, in milliseconds.
    pub median_ms: Option<u64>,
    /// What was spent on them, in millionths of a US dollar.
    pub micro_usd: u64,
    /// Which signals opened the breaker with them, and how often.
    pub trips: BTreeMap<String, u64>,
}

/// How work on each kind of task goes, the most troubled kind first.
///
/// # Errors
/// [`TaskError::Journal`] if our record cannot be read.
pub fn patterns(journal: &mut Journal) -> Result<Vec<KindPattern>, TaskError> {
    let records = journal.look()?;
    let mut kinds: BTreeMap<Option<&str>, Vec<&Record>> = BTreeMap::new();
    for record in records.values() {
        kinds
            .entry(record.kind.as_deref())
            .or_default()
            .push(record);
    }
    let mut patterns: Vec<KindPattern> = kinds
        .into_iter()
        .map(|(kind, records)| pattern(kind, &records))
        .collect();
    patterns.sort_by_key(|kind| {
        std::cmp::Reverse((
            kind.trips.values().sum::<u64>(),
            kind.blocked,
            kind.attempts,
        ))
    });
    Ok(patterns)
}

fn pattern(kind: Option<&str>, records: &[&Record]) -> KindPattern {
    let count = |is: fn(&Record) -> bool| records.iter().filter(|record| is(record)).count() as u64;
    let sum = |of: fn(&Record) -> u64| {
        records
            .iter()
            .map(|record| of(record))
            .fold(0, u64::saturating_add)
    };
    let mut times: Vec<u64> = records
        .iter()
        .filter(|record| is_finished(record))
        .map(|record| record.worked_ms)
        .collect();
    times.sort_unstable();
    let mut trips = BTreeMap::new();
    for (signal, number) in records.iter().flat_map(|record| &record.trips) {
        *trips.entry(signal.clone()).or_default() += u64::from(*number);
    }
    KindPattern {
        kind: kind.map(str::to_owned),
        tasks: records.len() as u64,
        done: count(|record| record.evidence.is_some()),
        blocked: count(|record| record.blocked.is_some()),
        attempts: sum(|record| u64::from(record.attempts)),
        reopens: sum(|record| u64::from(record.reopens)),
        median_ms: median(&times),
        micro_usd: sum(|record| record.micro_usd),
        trips,
    }
}
