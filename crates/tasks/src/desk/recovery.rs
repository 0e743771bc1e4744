//! Bringing back what a worker who is gone had begun.

use super::Desk;
use super::item::Item;
use crate::error::{SourceError, TaskError};
use crate::journal::Event;
use crate::source::Move;
use crate::status::Status;
use crate::time::Now;

/// What became of a task that was taken up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is open.
    Reopened,
    /// It had been taken up again too often, and is given up.
    Blocked,
}

impl Settled {
    /// What became of the task, in a few words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Reopened => "can be started again",
            Self::Blocked => "is given up, as that has happened too often",
        }
    }
}

/// A task that was brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Which.
    pub id: String,
    /// Why its worker was judged to be gone.
    pub why: String,
    /// What became of it.
    pub settled: Settled,
}

impl Desk {
    /// Brings back every task whose worker is gone. One that changes meanwhile is
    /// left to whoever changed it.
    ///
    /// # Errors
    /// [`TaskError`] if the list or our record cannot be read or changed.
    pub fn recover(&mut self, by: &str, now: &Now) -> Result<Vec<Recovered>, TaskError> {
        let mut recovered = Vec::new();
        for item in self.look(now)?.iter().filter(|item| item.is_stale()) {
            let why = item.verdict.words();
            match self.take_back(item, &why, by, now) {
                Ok(settled) => recovered.push(Recovered {
                    id: item.task.id.clone(),
                    why,
                    settled,
                }),
                Err(TaskError::Taken { .. } | TaskError::Source(SourceError::Lost { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(recovered)
    }

    /// Opens a task again: one that was given up, that was done after all not, or
    /// whose worker is gone. Never one whose worker may live.
    ///
    /// # Errors
    /// [`TaskError::Taken`] if somebody has it, else as [`recover`](Desk::recover).
    pub fn reopen(
        &mut self,
        id: &str,
        why: &str,
        by: &str,
        now: &Now,
    ) -> Result<Settled, TaskError> {
        let item = self.find(id, now)?;
        match item.status {
            Status::InProgress if item.verdict.is_gone() => self.take_back(&item, why, by, now),
            Status::InProgress => Err(TaskError::Taken {
                task: id.to_owned(),
                by: format!("whoever has it may live: {}", item.verdict.words()),
            }),
            Status::Open => Ok(Settled::Reopened),
            Status::Blocked | Status::Deferred | Status::Done => {
                if item.task.status != Status::Open {
                    self.source.apply(&item.task, &Move::Open { note: why })?;
                }
                self.write(id, reopened(why, by, true), now)?;
                Ok(Settled::Reopened)
            }
        }
    }

    /// Opens a task that somebody closed over the head of whoever has it, and leaves
    /// it to them.
    ///
    /// # Errors
    /// As [`recover`](Desk::recover), and [`TaskError::NotYours`] if the claim is over.
    pub fn refuse_close(
        &mut self,
        id: &str,
        fence: u64,
        why: &str,
        now: &Now,
    ) -> Result<(), TaskError> {
        let item = self.find(id, now)?;
        self.spoken_for(&item, Some(fence))?;
        self.open_again(&item, why, now)
    }

    /// Opens a task of anybody's that was closed while nothing shows that it is done, and
    /// says whether its list has it open now.
    ///
    /// # Errors
    /// As [`recover`](Desk::recover).
    pub fn refuse_done(&mut self, id: &str, why: &str, now: &Now) -> Result<bool, TaskError> {
        let item = self.find(id, now)?;
        self.open_again(&item, why, now)?;
        let why = why.to_owned();
        self.write(id, Event::Refused { why }, now)?;
        Ok(self.source.find(id)?.status != Status::Done)
    }

    /// Opens a task that is closed, and leaves it to whoever has it.
    fn open_again(&self, item: &Item, why: &str, now: &Now) -> Result<(), TaskError> {
        if item.task.status != Status::Done {
            return Ok(());
        }
        self.source.apply(&item.task, &Move::Open { note: why })?;
        if let Some(claim) = &item.record.claim {
            let open = self.source.find(&item.task.id)?;
            let claim = Move::Claim {
                actor: &claim.actor,
                at_ms: now.wall_ms,
            };
            self.source.apply(&open, &claim)?;
        }
        Ok(())
    }

    /// Takes a task from a worker who is gone: opens it, or gives it up where that
    /// has happened too often.
    pub(super) fn take_back(
        &mut self,
        item: &Item,
        why: &str,
        by: &str,
        now: &Now,
    ) -> Result<Settled, TaskError> {
        let id = &item.task.id;
        let count = item.record.reopens;
        if count >= self.rules.reopens {
            let reason = format!(
                "taken up again {count} times already, and its worker is gone once more: {why}"
            );
            self.give_up(item, &reason, now)?;
            return Ok(Settled::Blocked);
        }
        // Looked at once more under the lock: another of us may have been quicker.
        let name = self.source.name().to_owned();
        let line = self.line(id, reopened(why, by, false), now);
        let mut held = self.journal.hold()?;
        if held.record(&name, id).claim != item.record.claim {
            return Err(TaskError::Taken {
                task: id.clone(),
                by: "somebody was quicker".into(),
            });
        }
        held.append(&[line])?;
        drop(held);
        if item.task.status == Status::InProgress {
            let note = format!("reopened by fusebox: {why}");
            self.source.apply(&item.task, &Move::Open { note: &note })?;
        }
        Ok(Settled::Reopened)
    }
}

fn reopened(why: &str, by: &str, looked_at: bool) -> Event {
    Event::Reopened {
        why: why.to_owned(),
        by: by.to_owned(),
        looked_at,
    }
}
