//! From our journal to the fleet: what each record says, in words that others count.
//!
//! The journal is the outbox. It is durable before anybody hears of anything, it is
//! bounded by its own retention, and the number of a record is what a fleet knows it
//! by, so that a delivery can be repeated at will.

use fusebox_core::observation::{Environment, Observation};
use fusebox_core::patterns::{Anomaly, Pattern};
use fusebox_core::signals::Progress;
use fusebox_core::{Entry, Event as Happened, clip, signature};
use fusebox_fleet::{Event, FleetError, Id, Mark};
use fusebox_notify::redact;
use fusebox_store::{Error as StoreError, Log, Record};
use serde_json::json;

use super::seat::Seat;
use crate::look::events::{Cursor, Since, entries};

/// The most events in one delivery.
const BATCH: usize = 200;
/// The longest text that leaves this machine.
const TEXT_BYTES: usize = 300;
/// The most errors of one iteration that are counted.
const ERRORS: usize = 5;

/// What delivering came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub(crate) events: usize,
    /// Whether there is more.
    pub(crate) more: bool,
}

/// Whether `log` is not the journal in which `delivered` was the last record that arrived.
pub(crate) fn is_another(log: &Log, delivered: Option<&str>) -> Result<bool, StoreError> {
    let read = entries(log, &since(delivered), &mut |_, _| false)?;
    Ok(read.lost)
}

fn since(delivered: Option<&str>) -> Since {
    let cursor = delivered.and_then(|text| text.parse().ok());
    cursor.map_or(Since::Beginning, Since::Cursor)
}

/// Delivers what is new, one batch of it.
pub(crate) fn deliver(seat: &mut Seat, log: &Log) -> Result<Delivered, FleetError> {
    let since = since(seat.card.written.delivered.as_deref());
    let mut events = Vec::new();
    let mut last = None;
    let id = &seat.worker.id;
    let read = entries(log, &since, &mut |record, entry| {
        events.extend(told(record, entry, id));
        last = Some((record.seq, Cursor::at(&record.mark)));
        events.len() < BATCH
    })
    .map_err(|error| FleetError::Failed(error.to_string()))?;
    if read.lost {
        // Who sits down next takes another name. To do so here would leave the loop with the
        // old one, and its leases with nobody who renews them.
        return Err(FleetError::Failed(
            "the journal was begun anew under a worker that told of the old one".into(),
        ));
    }
    let Some((through, cursor)) = last else {
        return Ok(Delivered::default());
    };
    seat.coordinator.enrol(&seat.worker)?;
    seat.coordinator.deliver(&seat.worker, through, &events)?;
    seat.card.written.delivered = Some(cursor.to_string());
    // One that is not written down is delivered once more, which does nothing.
    let _ = seat.card.write();
    Ok(Delivered {
        events: events.len(),
        more: events.len() >= BATCH,
    })
}

/// What a record says to others; `None` where that is nothing.
fn told(record: &Record<'_>, entry: &Entry, worker: &Id) -> Option<Event> {
    let (task, fields, marks) = match &entry.event {
        Happened::Reported(report) => {
            let facts = &report.facts;
            let made = entry
                .outcome
                .row
                .as_ref()
                .is_some_and(|row| row.progress == Progress::Made);
            let fields = json!({
                "duration_ms": facts.duration_ms,
                "tokens": facts.usage.tokens(),
                "cost_micro_usd": facts.usage.micro_usd,
                "progress": made,
            });
            (facts.task.clone(), fields, marks_of(facts, made, worker))
        }
        Happened::AnomalyReported { anomaly, .. } => {
            let fields = json!({ "type": anomaly.kind.name() });
            (
                Some(anomaly.task.clone()),
                fields,
                anomalous(anomaly, record.seq, worker),
            )
        }
        Happened::Tripped { reason, .. } => (None, json!({ "reason": clean(reason) }), Vec::new()),
        Happened::Reset { reason, .. } => (None, json!({ "reason": clean(reason) }), Vec::new()),
        Happened::TaskBlocked { task, reason, .. } => (
            Some(task.clone()),
            json!({ "reason": clean(reason) }),
            Vec::new(),
        ),
        Happened::RunEnded(end) => {
            let fields = json!({
                "reason": clean(&end.said),
                "end": end.why.name(),
                "exit_code": end.code,
            });
            (None, fields, Vec::new())
        }
        Happened::RunBegan { .. } | Happened::Completed => (None, json!({}), Vec::new()),
        _ if !entry.outcome.transitions.is_empty() => (None, json!({}), Vec::new()),
        _ => return None,
    };
    let mut fields = fields;
    fields["state"] = json!(entry.outcome.core.phase.state().name());
    fields["iterations"] = json!(entry.outcome.core.iterations);
    fields["at_ms"] = json!(entry.at.wall_ms);
    Some(Event {
        number: record.seq,
        kind: entry.event.word().replace(' ', "_"),
        task: task.map(|task| clip(&task, TEXT_BYTES).to_owned()),
        fence: None,
        fields,
        marks,
    })
}

/// What an iteration may be a part of: the same error on several tasks, the same trouble
/// outside on several workers. An error on the way to something is none.
fn marks_of(facts: &Observation, made_progress: bool, worker: &Id) -> Vec<Mark> {
    if let Some(trouble) = facts.environment {
        return vec![Mark {
            pattern: "service_down".to_owned(),
            key: outside(trouble).to_owned(),
            member: worker.to_string(),
        }];
    }
    let errors = facts.errors.seen().filter(|_| !made_progress);
    let task = facts
        .task
        .clone()
        .unwrap_or_else(|| format!("worker {worker}"));
    let mut marks: Vec<Mark> = errors
        .into_iter()
        .flatten()
        .map(|error| {
            let kind = error.kind.as_deref().unwrap_or_default();
            let text = format!("{kind} {}", signature::normalise(&redact(&error.message)));
            Mark {
                pattern: "error_cluster".to_owned(),
                key: clean(text.trim()),
                member: clip(&task, TEXT_BYTES).to_owned(),
            }
        })
        .collect();
    marks.dedup();
    marks.truncate(ERRORS);
    marks
}

fn anomalous(anomaly: &Anomaly, number: u64, worker: &Id) -> Vec<Mark> {
    let patterns = Pattern::ALL.into_iter();
    let counted = patterns.filter_map(|pattern| Some((pattern, pattern.common(anomaly)?)));
    counted
        .map(|(pattern, common)| Mark {
            pattern: pattern.name().to_owned(),
            key: clean(common),
            member: format!("{} ({worker}:{number})", clip(&anomaly.task, TEXT_BYTES)),
        })
        .collect()
}

/// Text that may leave this machine.
fn clean(text: &str) -> String {
    clip(&redact(text), TEXT_BYTES).to_owned()
}

fn outside(trouble: Environment) -> &'static str {
    match trouble {
        Environment::Auth => "not signed in, or not paid for",
        Environment::Overload => "overloaded",
        Environment::Network => "out of reach",
        Environment::Limit => "usage limit",
        Environment::Disk => "disk full",
    }
}
