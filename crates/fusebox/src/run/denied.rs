//! What the loop does when the engine says no.

use std::time::Duration;

use fusebox_core::State;
use fusebox_core::decision::{Decision, Denial, DeniedBy, Gate};
use fusebox_core::machine::{self, Retry};
use fusebox_core::policy::HaltMode;

use super::Loop;
use super::ending::Ending;
use super::pause::{self, Answer};
use crate::caller;
use crate::cli::OnStagnation;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

impl Loop<'_, '_> {
    /// Waits, asks, escalates or ends, as the plan says. `None` is to ask the
    /// engine again.
    pub(super) fn denied(&mut self, outcome: Outcome) -> Result<Option<Ending>, Failure> {
        if self.plan.wait && self.is_worth_the_wait(&outcome) {
            return self.wait(&outcome);
        }
        if limited(&outcome.decision) {
            if let Some(notices) = self.notices {
                notices.limited(&outcome);
            }
            return Ok(Some(Ending::Limited(Box::new(outcome))));
        }
        if outcome.decision.state == State::Complete {
            let told = "it was before; a person begins anew with `fusebox edit` or `fusebox reset`";
            return Ok(Some(Ending::Finished(told.into())));
        }
        if !opened(&outcome.decision) {
            return Ok(Some(Ending::Opened(Box::new(outcome))));
        }
        let action = self.plan.on_stagnation;
        if action == OnStagnation::Abort {
            return self.abort(outcome);
        }
        if action == OnStagnation::Escalate && self.escalate(&outcome)? {
            return Ok(None);
        }
        let ends = match outcome.policy.halt {
            HaltMode::Exit | HaltMode::Checkpoint => true,
            // Where time alone releases and nobody wants to wait, there is nothing to ask.
            HaltMode::Wait => !self.plan.wait,
            _ => false,
        };
        if ends {
            return Ok(Some(Ending::Opened(Box::new(outcome))));
        }
        self.pause(outcome)
    }

    fn pause(&mut self, outcome: Outcome) -> Result<Option<Ending>, Failure> {
        if let Some(notices) = self.notices {
            notices.paused(&outcome);
        }
        self.screen.stage().clear();
        let given = self.answers.pop();
        match pause::ask(self.ready, &self.plan, &outcome, given, self.screen)? {
            Answer::Released => Ok(None),
            Answer::Wait => self.wait(&outcome),
            Answer::Abort => self.abort(outcome),
            Answer::Skip => {
                self.ready.block_task(&self.plan, &outcome)?;
                Ok(None)
            }
            Answer::Stop => Ok(Some(Ending::Opened(Box::new(outcome)))),
            Answer::Signal(signal) => Ok(Some(Ending::Signal(signal))),
            // A run that never began is not paused: it may not start.
            Answer::Nobody if self.done == 0 => Ok(Some(Ending::Opened(Box::new(outcome)))),
            Answer::Nobody => Ok(Some(Ending::NobodyToAsk(Box::new(outcome)))),
        }
    }

    /// Gives the task up and ends. Everything else is on disk already.
    fn abort(&mut self, outcome: Outcome) -> Result<Option<Ending>, Failure> {
        self.ready.block_task(&self.plan, &outcome)?;
        if self.plan.takes_tasks && outcome.policy.capabilities.block_task {
            let task = self.plan.task.as_ref();
            self.screen.given_up = task.map(|task| task.id.clone());
        }
        Ok(Some(Ending::Opened(Box::new(outcome))))
    }

    /// Sets a task aside that has had all the attempts it may have.
    pub(super) fn set_exhausted_aside(
        &mut self,
        outcome: &Outcome,
    ) -> Result<Option<Ending>, Failure> {
        let Some(tasks) = &mut self.ready.tasks else {
            return Ok(None);
        };
        if let Some(tried) = tasks.is_exhausted()? {
            let reason = format!("{tried} attempts without completion");
            self.screen.say(&format!("the task is set aside: {reason}"));
            self.ready.set_task_aside(&self.plan, outcome, reason)?;
        }
        Ok(None)
    }

    /// Lets the next model try once; `false` if there is none left, or if that takes a
    /// person. What opened before this run began was not asked about when it was started.
    fn escalate(&mut self, outcome: &Outcome) -> Result<bool, Failure> {
        if self.done == 0 {
            return Ok(false);
        }
        let rungs = self.plan.work.rungs();
        let rung = outcome.circuit.core.rung + 1;
        let Some(model) = self.plan.work.model(rung).filter(|_| rung < rungs) else {
            return Ok(false);
        };
        let retry = Retry {
            note: format!("escalated to {model}"),
            by: caller::anyone(),
            escalate: true,
            rungs,
        };
        if !climb(self.ready.session, retry)? {
            return Ok(false);
        }
        self.screen.escalated(outcome, model);
        if let Some(notices) = self.notices {
            notices.escalated(outcome, model);
        }
        Ok(true)
    }

    fn is_worth_the_wait(&self, outcome: &Outcome) -> bool {
        let Gate::Deny(Denial {
            retry_at_ms: Some(at),
            ..
        }) = outcome.decision.gate
        else {
            return false;
        };
        let wait = u64::try_from(at.saturating_sub(outcome.now.wall_ms)).unwrap_or(0);
        let wait = Duration::from_millis(wait);
        // What comes after the end of the run is not waited for. A way of working that waits by
        // itself does so however long it takes.
        self.ready.time_left().is_none_or(|left| wait < left)
            && (outcome.policy.halt == HaltMode::Wait || wait <= self.plan.bounds.longest_wait)
    }
}

/// Asks the engine to let the next model try; `false` if it refuses. A memory that cannot
/// be believed or written is no answer of the engine's.
fn climb(session: &Session, retry: Retry) -> Result<bool, Failure> {
    let mut refused = false;
    let retried = session.try_apply(|circuit, policy, now| {
        let step = machine::retry(circuit, policy, retry, now);
        refused = step.is_err();
        step.map_err(Failure::from)
    });
    match retried {
        Err(_) if refused => Ok(false),
        retried => retried.map(|_| true),
    }
}

fn limited(decision: &Decision) -> bool {
    matches!(
        &decision.gate,
        Gate::Deny(Denial {
            by: DeniedBy::CallLimit
                | DeniedBy::CallsScarce
                | DeniedBy::Budget(_)
                | DeniedBy::BudgetScarce(_)
                | DeniedBy::Outage(_),
            ..
        })
    )
}

pub(super) fn opened(decision: &Decision) -> bool {
    matches!(
        decision.gate,
        Gate::Deny(Denial {
            by: DeniedBy::Open { .. },
            ..
        })
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit;
    use crate::run::scratch::Scratch;

    #[test]
    fn a_damaged_memory_is_not_the_end_of_the_ladder() {
        let retry = || Retry {
            note: "escalated".into(),
            by: caller::anyone(),
            escalate: true,
            rungs: 3,
        };
        let scratch = Scratch::new();
        // The breaker is not open, so there is nothing to retry.
        assert!(matches!(climb(&scratch.session, retry()), Ok(false)));
        scratch.damage();
        let failure = climb(&scratch.session, retry()).expect_err("nothing is believed");
        assert_eq!(failure.code, exit::STATE, "{}", failure.what);
    }
}
