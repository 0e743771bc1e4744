//! What the journal comes down to, task by task.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Records;
use super::event::{Event, Line};
use crate::time::Now;
use crate::worker::Worker;

/// Somebody has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// A number that no other claim has; later ones are higher.
    pub fence: u64,
    /// How often the task had been begun by then, this time included.
    pub attempt: u32,
    /// When.
    pub at: Now,
    /// The process whose life counts, where one was named.
    pub worker: Option<Worker>,
    /// Under which name.
    pub actor: String,
    /// When they last gave a sign of life.
    pub beat: Option<Now>,
}

impl Claim {
    /// The last sign of life: at the latest the claim itself.
    pub(crate) fn last_sign(&self) -> &Now {
        self.beat.as_ref().unwrap_or(&self.at)
    }
}

/// One iteration on a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its number in the circuit's history.
    pub iteration: u64,
    /// How long it took.
    pub duration_ms: u64,
    /// What it cost, in millionths of a US dollar, if that is known.
    pub micro_usd: Option<u64>,
    /// How it ended.
    pub end: AttemptEnd,
    /// The signal that opened the breaker with it, if one did.
    pub tripped: Option<String>,
}

/// How an iteration on a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptEnd {
    /// The task is done, and something shows it.
    Completed,
    /// Something was gained.
    Progressed,
    /// Nothing was.
    Failed,
    /// Trouble outside; it counts neither way.
    Outside,
}

/// What became of a task that its list no longer asks for, while nothing shows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// It was closed.
    Closed,
    /// It was put off.
    PutOff,
    /// It is gone from the list.
    Vanished,
}

/// All that is known of a task besides what its list says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// Who has it.
    pub claim: Option<Box<Claim>>,
    /// Why it was given up, until somebody takes it up again.
    pub blocked: Option<String>,
    /// What showed that it was done.
    pub evidence: Option<String>,
    /// How often something was found outside of any guarded tree that shows that it is done.
    pub proven: u32,
    /// What is not believed of it, until it is back, shown to be done, or settled by a person.
    pub doubt: Option<Doubt>,
    /// How often it was begun.
    pub claims: u32,
    /// How often it was taken from somebody who was gone, since it was last done.
    pub reopens: u32,
    /// Why, the last time.
    pub reopened_for: Option<String>,
    /// Iterations on it that were not lost to trouble outside.
    pub attempts: u32,
    /// Those since it was last begun anew.
    pub attempts_now: u32,
    /// Time spent on it, in milliseconds.
    pub worked_ms: u64,
    /// Money spent on it, in millionths of a US dollar.
    pub micro_usd: u64,
    /// What kind of work it is.
    pub kind: Option<String>,
    /// How often each signal opened the breaker with it.
    pub trips: BTreeMap<String, u32>,
    /// When it was first seen in progress with nobody knowing since when.
    pub seen: Option<Now>,
    /// When anything last happened to it.
    pub last: Now,
}

/// Adds a line to what is known.
pub(super) fn fold(records: &mut Records, line: Line) {
    let record = records.entry((line.source, line.task)).or_default();
    match line.event {
        Event::Folded { record: folded, .. } => *record = *folded,
        Event::Claimed {
            fence,
            attempt,
            actor,
            worker,
            kind,
        } => {
            record.claim = Some(Box::new(Claim {
                fence,
                attempt,
                at: line.at.clone(),
                worker,
                actor,
                beat: None,
            }));
            record.claims = attempt;
            record.blocked = None;
            record.seen = None;
            record.kind = kind.or(record.kind.take());
        }
        Event::Beat => {
            if let Some(claim) = &mut record.claim {
                claim.beat = Some(line.at.clone());
            }
        }
        Event::Released { .. } => record.claim = None,
        Event::Blocked { reason } => {
            record.claim = None;
            record.blocked = Some(reason);
            record.attempts_now = 0;
        }
        Event::Done { evidence, inside } => {
            record.proven = record.proven.saturating_add(u32::from(!inside));
            // Whoever stands inside would profit from what they say.
            record.doubt = record.doubt.filter(|_| inside);
            record.claim = None;
            record.blocked = None;
            record.evidence = Some(evidence);
            record.reopens = 0;
            record.attempts_now = 0;
        }
        Event::Reopened { why, looked_at, .. } => {
            record.claim = None;
            record.blocked = None;
            record.evidence = None;
            record.seen = None;
            record.reopens = if looked_at {
                0
            } else {
                record.reopens.saturating_add(1)
            };
            record.attempts_now = if looked_at { 0 } else { record.attempts_now };
            record.reopened_for = Some(why);
        }
        // Whoever has it goes on, with as many attempts as it has had.
        Event::Refused { .. } => record.evidence = None,
        Event::Doubted { doubt } => record.doubt = Some(doubt),
        Event::Settled { .. } => record.doubt = None,
        Event::Attempted(attempt) => record.add(&attempt),
        Event::Seen => record.seen = Some(line.at.clone()),
    }
    record.last = line.at;
}

impl Record {
    fn add(&mut self, attempt: &Attempt) {
        self.worked_ms = self.worked_ms.saturating_add(attempt.duration_ms);
        self.micro_usd = self
            .micro_usd
            .saturating_add(attempt.micro_usd.unwrap_or(0));
        if attempt.end != AttemptEnd::Outside {
            self.attempts = self.attempts.saturating_add(1);
            self.attempts_now = self.attempts_now.saturating_add(1);
        }
        if let Some(signal) = &attempt.tripped {
            let trips = self.trips.entry(signal.clone()).or_default();
            *trips = trips.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever can write the journal can write any number there.
    #[test]
    fn no_number_in_a_journal_ends_whoever_reads_it() {
        let most = Record {
            claims: u32::MAX,
            reopens: u32::MAX,
            attempts: u32::MAX,
            attempts_now: u32::MAX,
            trips: [("no_progress".to_owned(), u32::MAX)].into(),
            ..Record::default()
        };
        let events = [
            Event::Folded {
                record: Box::new(most.clone()),
                fence: 1,
            },
            Event::Attempted(Attempt {
                iteration: u64::MAX,
                duration_ms: u64::MAX,
                micro_usd: Some(u64::MAX),
                end: AttemptEnd::Failed,
                tripped: Some("no_progress".to_owned()),
            }),
            Event::Reopened {
                why: "gone".to_owned(),
                by: "me".to_owned(),
                looked_at: false,
            },
        ];
        let mut records = Records::new();
        for event in events {
            let line = Line {
                source: "s".to_owned(),
                task: "t".to_owned(),
                at: Now::default(),
                event,
            };
            fold(&mut records, line);
        }
        let record = &records[&("s".to_owned(), "t".to_owned())];
        assert_eq!((record.reopens, record.attempts), (u32::MAX, u32::MAX));
        assert_eq!(record.trips, most.trips);
    }
}
