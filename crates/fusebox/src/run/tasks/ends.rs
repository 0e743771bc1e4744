//! Being through with a task: given up, given back, or gone from its list.

use fusebox_core::Observation;
use fusebox_core::circuit::Cause;
use fusebox_core::signals::Progress;
use fusebox_fleet::LeaseEnd;
use fusebox_tasks::{Attempt, AttemptEnd, SourceError, TaskError};
use fusebox_view::escape;

use super::{Current, TaskLine};
use crate::failure::Failure;
use crate::run::fleet::Membership;
use crate::run::iteration::{Came, opened_now};
use crate::run::screen::Screen;
use crate::session::Outcome;
use crate::tasks;

impl TaskLine {
    /// Sees what follows from an iteration whose task the list no longer has. Only the evidence can say that it is
    /// done; without it, the others get their turn.
    pub(super) fn follow_deleted(
        &mut self,
        came: &Came,
        evidence: Option<&str>,
        screen: &Screen,
        fleet: Option<&mut Membership>,
    ) -> Result<(), Failure> {
        let now = tasks::now(self.clock);
        let Some(Current { id, fence, .. }) = self.current.take() else {
            return Ok(());
        };
        let desk = &mut self.open.desk;
        let others = self
            .ledger
            .compare(desk, Some(&id), came.shown, &now, screen)?;
        self.done += done_beside(&id, &others, screen);
        let mut evidence = evidence;
        if let Some(fleet) = fleet {
            let end = evidence.map_or(LeaseEnd::Ready, |_| LeaseEnd::Done);
            let is_held = fleet.release(end, evidence.unwrap_or("gone from the list"))?;
            // Whoever has the lease by now says what becomes of it.
            evidence = evidence.filter(|_| is_held);
        }
        unless_over(desk.end_unlisted(&id, fence, evidence, &now))?;
        let shown_id = escape::line(&id, 80);
        if let Some(evidence) = evidence {
            self.ledger.settle(desk, &id, &now)?;
            self.done += 1;
            let evidence = escape::line(evidence, 200);
            screen.say(&format!(
                "task {shown_id} is done, and gone from the list: {evidence}"
            ));
        } else {
            screen.say(&format!(
                "task {shown_id} is gone from the list, but there is no evidence that it is done; it is set aside"
            ));
        }
        self.set_aside.insert(id);
        Ok(())
    }

    /// Is through with the task for now: gives it up, or only leaves it for later
    /// where this way of working may not.
    pub(in crate::run) fn set_aside(
        &mut self,
        outcome: &Outcome,
        reason: &str,
        fleet: Option<&mut Membership>,
    ) -> Result<(), Failure> {
        let now = tasks::now(self.clock);
        self.own.begin(&self.open.desk);
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let end = if outcome.policy.capabilities.block_task {
            LeaseEnd::Blocked
        } else {
            LeaseEnd::Ready
        };
        if let Some(fleet) = fleet {
            fleet.release(end, reason)?;
        }
        let desk = &mut self.open.desk;
        let (id, fence) = (&current.id, current.fence);
        let ended = if outcome.policy.capabilities.block_task {
            desk.block(id, Some(fence), reason, &now)
        } else {
            desk.release(id, Some(fence), reason, &now)
        };
        match ended {
            Err(TaskError::Source(SourceError::NoSuchTask { .. })) => {
                unless_over(desk.end_unlisted(id, fence, None, &now))?;
            }
            ended => ended?,
        }
        self.set_aside.insert(current.id);
        Ok(())
    }

    /// Gives back what is not done: whoever goes on may take it at once.
    pub(in crate::run) fn give_back(
        &mut self,
        fleet: Option<&mut Membership>,
    ) -> Result<(), Failure> {
        let now = tasks::now(self.clock);
        self.own.begin(&self.open.desk);
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let why = "the run has ended";
        if let Some(fleet) = fleet {
            fleet.release(LeaseEnd::Ready, why)?;
        }
        let desk = &mut self.open.desk;
        let (id, fence) = (&current.id, current.fence);
        unless_over(match desk.release(id, Some(fence), why, &now) {
            Err(TaskError::Source(SourceError::NoSuchTask { .. })) => {
                desk.end_unlisted(id, fence, None, &now)
            }
            given => given,
        })
    }
}

/// Tells of tasks that were done beside the one that was given, and counts them.
pub(super) fn done_beside(given: &str, done: &[String], screen: &Screen) -> u64 {
    let others: Vec<&String> = done.iter().filter(|id| *id != given).collect();
    let given = escape::line(given, 80);
    let lines = others.iter().map(|id| {
        let id = escape::line(id, 80);
        format!("task {id} is done by now, though {given} was given")
    });
    screen.say_some(lines, |more| format!("and {more} more are done by now"));
    others.len() as u64
}

/// A claim that is over already is one that somebody else has seen to.
fn unless_over(ended: Result<(), TaskError>) -> Result<(), Failure> {
    match ended {
        Ok(()) | Err(TaskError::NotYours { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What an iteration was to its task.
pub(super) fn attempt(came: &Came, completed: bool) -> Attempt {
    let facts: &Observation = &came.facts;
    let gained = came
        .outcome
        .circuit
        .rows
        .last()
        .is_some_and(|row| row.progress == Progress::Made);
    let end = match () {
        () if completed => AttemptEnd::Completed,
        () if facts.environment.is_some() => AttemptEnd::Outside,
        () if gained => AttemptEnd::Progressed,
        () => AttemptEnd::Failed,
    };
    let opening = came
        .outcome
        .circuit
        .core
        .phase
        .opening()
        .filter(|_| opened_now(&came.outcome));
    let tripped = opening.and_then(|opening| match opening.cause {
        Cause::Signal(signal) => Some(signal.name().to_owned()),
        _ => None,
    });
    Attempt {
        iteration: came.iteration,
        duration_ms: came.duration_ms(),
        micro_usd: facts.usage.micro_usd,
        end,
        tripped,
    }
}
