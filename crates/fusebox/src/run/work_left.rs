//! What is to be done next, and the end where nothing is left.
//!
//! Lists lie within the agent's reach, so that nothing is left there is not believed while the
//! evidence or an open breaker speaks against it.

use fusebox_core::State;
use fusebox_core::decision::Gate;
use fusebox_core::machine;
use fusebox_guard::keep::Report;

use super::denied::opened;
use super::iteration::opened_now;
use super::keeping::denies_for_a_loss;
use super::proof::Proof;
use super::{Ending, Loop, Ready};
use crate::exit;
use crate::failure::Failure;
use crate::features;

impl Loop<'_, '_> {
    /// Takes the next task, where a list is worked through and none is under way.
    pub(super) fn take_task(&mut self) -> Result<Option<Ending>, Failure> {
        let session = self.ready.session;
        let Ready { tasks, fleet, .. } = &mut *self.ready;
        let Some(tasks) = tasks.as_mut().filter(|tasks| tasks.is_idle()) else {
            return Ok(None);
        };
        self.plan.task = tasks.take(session, self.screen, fleet.as_mut())?;
        let ending = match self.plan.task {
            Some(_) => None,
            None => Some(tasks.ending()?),
        };
        self.ready.keep_own_writes();
        let Some(ending) = ending else {
            return Ok(None);
        };
        // The list lies within the agent's reach: that nothing is left to do there is no success
        // while the breaker is open.
        let seen = session.look(machine::peek)?;
        if ending.code() == exit::GO && opened(&seen.decision) {
            return Ok(Some(Ending::Opened(Box::new(seen))));
        }
        Ok(Some(ending))
    }

    /// The end, where sessions are counted by features and none is left to try. An
    /// open breaker outranks that.
    pub(super) fn finished(&mut self) -> Result<Option<Ending>, Failure> {
        let session = self.ready.session;
        let list = match features::read(&session.located.root, &self.ready.policy) {
            // That it cannot be read is no news where the breaker is open anyway.
            Err(_) if opened(&session.look(machine::peek)?.decision) => None,
            read => read?,
        };
        let Some(evidence) = features::nothing_left(list.as_ref()) else {
            if list.is_some_and(|list| list.has_work()) {
                self.take_up_again()?;
            }
            return Ok(None);
        };
        // The list lies within the agent's reach; what the user gave to look at does not.
        let contradicted = match self.ready.belief.contradicted {
            Some(contradicted) => contradicted,
            None => {
                let mut proof = self.ready.look_for_proof(&self.plan, self.screen)?;
                if let Some(ending) = self.turned_against_us(&mut proof)? {
                    return Ok(Some(ending));
                }
                if let Some(signal) = proof.signal {
                    return Ok(Some(Ending::Signal(signal)));
                }
                proof.contradicted
            }
        };
        if contradicted {
            self.screen
                .say("no feature is left to try, but the evidence speaks against it");
            self.take_up_again()?;
            return Ok(None);
        }
        let outcome = session.apply(machine::complete)?;
        let complete = outcome.decision.state == State::Complete;
        Ok(complete.then_some(Ending::Finished(evidence)))
    }

    /// What follows if the user's commands lost something protected, or turned on the
    /// supervision: it is the agent's doing, who may have written what they run.
    fn turned_against_us(&mut self, proof: &mut Proof) -> Result<Option<Ending>, Failure> {
        let lost = proof.lost.take().unwrap_or_else(|| Ok(Report::default()));
        let mut outcome = self.ready.count_losses(lost)?;
        if let Some(why) = proof.betrayal.take() {
            outcome = Some(self.ready.trip(why)?);
        }
        let Some(outcome) = outcome else {
            return Ok(None);
        };
        if opened_now(&outcome) {
            self.announce(&outcome);
        }
        Ok(match outcome.decision.gate {
            Gate::Deny(_) if denies_for_a_loss(&outcome) => {
                Some(Ending::ProtectedLost(Box::new(outcome)))
            }
            Gate::Deny(_) => Some(Ending::Opened(Box::new(outcome))),
            Gate::Allow | Gate::AllowOnce => None,
        })
    }

    /// Takes back that nothing was left to do, if that was ever said.
    fn take_up_again(&mut self) -> Result<(), Failure> {
        let session = self.ready.session;
        let ended = session.look(machine::status)?.decision.state == State::Complete;
        if ended {
            session.apply(machine::take_up)?;
            self.screen
                .say("it was complete, and there is work again: going on");
        }
        Ok(())
    }
}
