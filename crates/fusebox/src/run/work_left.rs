//! What is to be done next, and the end where nothing is left.
//!
//! Lists lie within the agent's reach, so that nothing is left there is not believed while the
//! evidence or an open breaker speaks against it.

use fusebox_core::State;
use fusebox_core::machine;

use super::denied::opened;
use super::{Ending, Loop, Ready, features};
use crate::exit;
use crate::failure::Failure;

impl Loop<'_, '_> {
    /// Takes the next task, where a list is worked through and none is under way.
    pub(super) fn take_task(&mut self) -> Result<Option<Ending>, Failure> {
        let session = self.ready.session;
        let Ready { tasks, fleet, .. } = &mut *self.ready;
        let Some(tasks) = tasks.as_mut().filter(|tasks| tasks.is_idle()) else {
            return Ok(None);
        };
        self.plan.task = tasks.take(session, self.screen, fleet.as_mut())?;
        if self.plan.task.is_some() {
            return Ok(None);
        }
        let ending = tasks.ending()?;
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
                let proof = self.ready.look_for_proof(&self.plan, self.screen)?;
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
