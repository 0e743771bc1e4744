//! The anomalies that a project's own memory tells of: those that were reported,
//! and errors that a task ran into again and again.

use std::collections::HashMap;

use fusebox_core::journal::{Entry, Event};
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details};
use fusebox_core::signature::Signature;
use fusebox_store::Log;

use crate::failure::Failure;
use crate::memory;

/// From how many iterations with the same error on a task is in a loop.
const LOOP: u32 = 3;

/// All of them, oldest first.
pub(crate) fn remembered(log: Option<&Log>) -> Result<Vec<Anomaly>, Failure> {
    let mut found = Gathering::default();
    let Some(log) = log else {
        return Ok(found.anomalies);
    };
    let mut reader = log.reader(None);
    while let Some(record) = reader.next_record()? {
        // The log itself is verified elsewhere.
        if let Ok(entry) = memory::entry(&record) {
            found.take(&entry);
        }
    }
    Ok(found.anomalies)
}

/// The same of some entries, oldest first.
pub(crate) fn among<'e>(entries: impl Iterator<Item = &'e Entry>) -> Vec<Anomaly> {
    let mut found = Gathering::default();
    entries.for_each(|entry| found.take(entry));
    found.anomalies
}

/// Those that were reported, oldest first.
pub(crate) fn reported(log: Option<&Log>) -> Result<Vec<Anomaly>, Failure> {
    let mut all = remembered(log)?;
    all.retain(|anomaly| anomaly.reporter != OWN);
    Ok(all)
}

/// What is known of an anomaly, what matters most first.
pub(crate) fn words(details: &Details) -> impl Iterator<Item = &str> {
    let words = [
        &details.error_pattern,
        &details.assumption,
        &details.spec_ref,
        &details.blocker_service,
        &details.root_cause,
        &details.what,
        &details.question,
    ];
    words.into_iter().flatten().map(String::as_str)
}

/// Who reports what was measured.
const OWN: &str = "fusebox";

#[derive(Default)]
struct Gathering {
    anomalies: Vec<Anomaly>,
    /// Iterations in which a task met an error.
    met: HashMap<(String, Signature), u32>,
}

impl Gathering {
    fn take(&mut self, entry: &Entry) {
        match &entry.event {
            Event::AnomalyReported { anomaly, .. } => self.anomalies.push((**anomaly).clone()),
            Event::Reported(report) => {
                let task = report.facts.task.clone().unwrap_or_default();
                let errors = entry.outcome.row.iter().flat_map(|row| &row.errors);
                for error in errors {
                    let met = self.met.entry((task.clone(), error.signature)).or_default();
                    *met += 1;
                    if *met == LOOP {
                        let looped = in_a_loop(entry.at.wall_ms, &task, &error.shown);
                        self.anomalies.push(looped);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A task that met one error in so many iterations.
fn in_a_loop(at_ms: i64, task: &str, error: &str) -> Anomaly {
    Anomaly {
        at_ms,
        undated: false,
        task: task.to_owned(),
        reporter: OWN.to_owned(),
        kind: AnomalyKind::RetryLoop,
        details: Details {
            count: Some(LOOP),
            error_pattern: Some(error.to_owned()),
            ..Details::default()
        },
    }
}
