//! Beginning with a task, going on with it, and being through with it.

use super::Desk;
use super::item::Item;
use crate::error::{SourceError, TaskError};
use crate::journal::{Claim, Event};
use crate::source::{Kept, Move};
use crate::status::Status;
use crate::time::Now;
use crate::worker::Worker;

/// Who wants to begin.
#[derive(Clone, Debug)]
pub struct Claimant {
    /// Under this name.
    pub actor: String,
    /// The process whose life counts, where there is one.
    pub worker: Option<Worker>,
}

/// A task that is the claimant's now.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The task, as it was found.
    pub item: Item,
    /// The number of the claim: whoever speaks for it later shows it.
    pub fence: u64,
    /// Why it was taken from somebody else, if it was.
    pub taken_for: Option<String>,
}

impl Desk {
    /// Takes a task, if nobody has it who lives.
    ///
    /// # Errors
    /// [`TaskError::Taken`] and [`TaskError::NotReady`] if it cannot be had, the
    /// others if that cannot be told.
    pub fn claim(&mut self, id: &str, by: &Claimant, now: &Now) -> Result<Claimed, TaskError> {
        // What it waits for is known from the list as a whole.
        let listed = self.look(now)?.into_iter().find(|item| item.task.id == id);
        match listed {
            Some(item) => self.claim_item(item, by, now),
            None => {
                let item = self.find(id, now)?;
                self.claim_item(item, by, now)
            }
        }
    }

    fn claim_item(
        &mut self,
        mut item: Item,
        by: &Claimant,
        now: &Now,
    ) -> Result<Claimed, TaskError> {
        let id = item.task.id.clone();
        let taken_for = item.is_stale().then(|| item.verdict.words());
        if let Some(why) = &taken_for {
            self.take_back(&item, why, &by.actor, now)?;
            item = self.find(&id, now)?;
        }
        refuse_unready(&item)?;
        let fence = self.note_claim(&item, by, now)?;
        let claim = Move::Claim {
            actor: &by.actor,
            at_ms: now.wall_ms,
        };
        match self.source.apply(&item.task, &claim) {
            Ok(_) => Ok(Claimed {
                item,
                fence,
                taken_for,
            }),
            Err(error) => {
                // The list would not have it, so it is nobody's.
                let why = format!("the list refused: {error}");
                self.write(&id, Event::Released { why }, now)?;
                Err(error.into())
            }
        }
    }

    /// Takes the first task that can be had and that is `wanted`; `None` if there is
    /// none. Whoever is slower than somebody else gets the next one.
    ///
    /// # Errors
    /// As [`claim`](Desk::claim), except for what another task makes good.
    pub fn next(
        &mut self,
        by: &Claimant,
        wanted: impl Fn(&Item) -> bool,
        now: &Now,
    ) -> Result<Option<Claimed>, TaskError> {
        for item in self.look(now)? {
            if !item.is_ready() || !wanted(&item) {
                continue;
            }
            match self.claim_item(item, by, now) {
                Ok(claimed) => return Ok(Some(claimed)),
                Err(
                    TaskError::Taken { .. }
                    | TaskError::NotReady { .. }
                    | TaskError::Source(SourceError::Lost { .. } | SourceError::NoSuchTask { .. }),
                ) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Says that whoever has a task lives.
    ///
    /// # Errors
    /// [`TaskError::NotYours`] if it is somebody else's by now.
    pub fn heartbeat(&mut self, id: &str, fence: Option<u64>, now: &Now) -> Result<(), TaskError> {
        let item = self.find(id, now)?;
        let claim = self.spoken_for(&item, fence)?;
        let claim = claim.ok_or_else(|| not_yours(id, "nobody has it"))?;
        let actor = claim.actor.as_str();
        self.source.apply(&item.task, &Move::Heartbeat { actor })?;
        self.write_of_claim(&item, Event::Beat, now)
    }

    /// Gives a task back, to be taken by anybody.
    ///
    /// # Errors
    /// As [`heartbeat`](Desk::heartbeat).
    pub fn release(
        &mut self,
        id: &str,
        fence: Option<u64>,
        why: &str,
        now: &Now,
    ) -> Result<(), TaskError> {
        let item = self.find(id, now)?;
        self.spoken_for(&item, fence)?;
        if item.task.status == Status::InProgress {
            self.source.apply(&item.task, &Move::Open { note: why })?;
        }
        let why = why.to_owned();
        self.write_of_claim(&item, Event::Released { why }, now)
    }

    /// Notes that a claim is over and leaves the list as it is: whoever has the task by
    /// now writes there.
    ///
    /// # Errors
    /// As [`heartbeat`](Desk::heartbeat).
    pub fn leave(&mut self, id: &str, fence: u64, why: &str, now: &Now) -> Result<(), TaskError> {
        let item = self.find(id, now)?;
        self.spoken_for(&item, Some(fence))?;
        let why = why.to_owned();
        self.write_of_claim(&item, Event::Released { why }, now)
    }

    /// Ends the claim on a task that its list no longer has: done, if `evidence` shows it.
    ///
    /// # Errors
    /// [`TaskError::NotYours`] if the claim is over, [`TaskError::Journal`] if that cannot be
    /// written.
    pub fn end_unlisted(
        &mut self,
        id: &str,
        fence: u64,
        evidence: Option<&str>,
        now: &Now,
    ) -> Result<(), TaskError> {
        let event = match evidence {
            Some(evidence) => Event::Done {
                evidence: evidence.to_owned(),
                inside: self.inside,
            },
            None => Event::Released {
                why: "it is gone from the list".into(),
            },
        };
        let line = self.line(id, event, now);
        let name = self.source.name().to_owned();
        let mut held = self.journal.hold()?;
        let claim = held.record(&name, id).claim;
        if claim.is_none_or(|claim| claim.fence != fence) {
            return Err(not_yours(id, &format!("claim {fence} is over")));
        }
        held.append(&[line])
    }

    /// Gives a task up, until somebody takes it up again.
    ///
    /// # Errors
    /// As [`heartbeat`](Desk::heartbeat).
    pub fn block(
        &mut self,
        id: &str,
        fence: Option<u64>,
        reason: &str,
        now: &Now,
    ) -> Result<(), TaskError> {
        let item = self.find(id, now)?;
        self.spoken_for(&item, fence)?;
        self.give_up(&item, reason, now)
    }

    /// Closes a task, which takes something that shows that it is done.
    ///
    /// # Errors
    /// [`TaskError::NotReady`] without evidence, else as [`heartbeat`](Desk::heartbeat).
    pub fn done(
        &mut self,
        id: &str,
        fence: Option<u64>,
        evidence: &str,
        now: &Now,
    ) -> Result<(), TaskError> {
        if evidence.trim().is_empty() {
            return Err(TaskError::NotReady {
                task: id.to_owned(),
                why: "there is no evidence that it is done".into(),
            });
        }
        let item = self.find(id, now)?;
        self.spoken_for(&item, fence)?;
        if item.task.status != Status::Done {
            self.source.apply(
                &item.task,
                &Move::Close {
                    evidence,
                    at_ms: now.wall_ms,
                },
            )?;
        }
        let evidence = evidence.to_owned();
        let inside = self.inside;
        self.write_of_claim(&item, Event::Done { evidence, inside }, now)
    }

    /// Says in the list that a task is done, and nothing more: whoever has it sees whether
    /// anything shows it.
    ///
    /// # Errors
    /// As [`recover`](Desk::recover).
    pub fn say_done(&mut self, id: &str, word: &str, now: &Now) -> Result<Kept, TaskError> {
        let item = self.find(id, now)?;
        if item.task.status == Status::Done {
            return Ok(Kept::Recorded);
        }
        let close = Move::Close {
            evidence: word,
            at_ms: now.wall_ms,
        };
        Ok(self.source.apply(&item.task, &close)?)
    }

    /// Gives a task up, whoever had it.
    pub(super) fn give_up(
        &mut self,
        item: &Item,
        reason: &str,
        now: &Now,
    ) -> Result<(), TaskError> {
        let id = &item.task.id;
        self.source.apply(&item.task, &Move::Block { reason })?;
        // A list without a word for it must not show it as begun for ever.
        if item.task.status == Status::InProgress && !self.capabilities.block {
            let now_listed = self.source.find(id)?;
            if now_listed.status == Status::InProgress {
                self.source
                    .apply(&now_listed, &Move::Open { note: reason })?;
            }
        }
        let reason = reason.to_owned();
        self.write_of_claim(item, Event::Blocked { reason }, now)
    }

    /// The claim that the caller may speak for: the one whose number they show, their
    /// own, or that of somebody who is not known to live.
    pub(super) fn spoken_for(
        &self,
        item: &Item,
        fence: Option<u64>,
    ) -> Result<Option<Claim>, TaskError> {
        let claim = item.record.claim.clone();
        let id = &item.task.id;
        match (&claim, fence) {
            (Some(claim), Some(shown)) if claim.fence != shown => Err(not_yours(
                id,
                &format!(
                    "claim {shown} is over; {} has it as claim {}",
                    claim.actor, claim.fence
                ),
            )),
            (None, Some(shown)) => Err(not_yours(id, &format!("claim {shown} is over"))),
            (Some(claim), None) => {
                let lives = matches!(item.verdict, crate::Verdict::Alive { .. });
                let theirs = claim
                    .worker
                    .as_ref()
                    .is_some_and(|worker| !worker.is_our_line(&self.here));
                if lives && theirs {
                    let why = format!(
                        "{} has it ({}); its number is needed to speak for it",
                        claim.actor,
                        item.verdict.words()
                    );
                    return Err(not_yours(id, &why));
                }
                Ok(Some((**claim).clone()))
            }
            (claim, _) => Ok(claim.as_deref().cloned()),
        }
    }

    /// Writes a claim down, unless somebody was quicker since we looked.
    fn note_claim(&mut self, item: &Item, by: &Claimant, now: &Now) -> Result<u64, TaskError> {
        let id = &item.task.id;
        let name = self.source.name().to_owned();
        let mut held = self.journal.hold()?;
        let record = held.record(&name, id);
        if record.claim != item.record.claim {
            let by = record
                .claim
                .map_or_else(|| "somebody was quicker".to_owned(), |claim| claim.actor);
            return Err(TaskError::Taken {
                task: id.clone(),
                by,
            });
        }
        let fence = held.next_fence();
        let claimed = Event::Claimed {
            fence,
            attempt: record.claims.saturating_add(1),
            actor: by.actor.clone(),
            worker: by.worker.clone(),
            kind: item.task.kind.clone(),
        };
        let line = crate::journal::Line {
            source: name,
            task: id.clone(),
            at: now.clone(),
            event: claimed,
        };
        held.append(&[line])?;
        Ok(fence)
    }
}

fn refuse_unready(item: &Item) -> Result<(), TaskError> {
    let task = item.task.id.clone();
    match item.status {
        Status::Open if item.waits_for.is_empty() => Ok(()),
        Status::Open => Err(TaskError::NotReady {
            task,
            why: format!("it waits for {}", item.waits_for.join(", ")),
        }),
        Status::InProgress => {
            let actor = item.record.claim.as_ref().map(|claim| claim.actor.clone());
            let actor = actor
                .or_else(|| item.task.holder.name.clone())
                .unwrap_or_else(|| "somebody".into());
            Err(TaskError::Taken {
                task,
                by: format!("{actor} has it; {}", item.verdict.words()),
            })
        }
        other => Err(TaskError::NotReady {
            task,
            why: format!("it is {}", other.name()),
        }),
    }
}

pub(super) fn not_yours(task: &str, why: &str) -> TaskError {
    TaskError::NotYours {
        task: task.to_owned(),
        why: why.to_owned(),
    }
}
