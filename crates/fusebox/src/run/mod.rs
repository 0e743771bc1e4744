//! `fusebox run`: the loop around any command.
//!
//! The loop has no rules of its own. Each round asks the engine, measures,
//! lets the command run, measures again, reports, and does what the answer
//! says. What it decides is only how to wait, whom to ask and when to leave.

mod artifacts;
mod ending;
mod iteration;
mod observer;
mod pause;
mod screen;
mod setup;
mod wait;

use fusebox_core::Circuit;
use fusebox_core::decision::{Decision, Denial, DeniedBy, Gate};
use fusebox_core::machine::{self, Start};
use fusebox_core::policy::HaltMode;

pub(crate) use ending::Ending;
pub(crate) use screen::Screen;
pub(crate) use setup::{Plan, Ready};

use crate::cli::{OnStagnation, Run};
use crate::commands::Context;
use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;
use pause::Answer;

/// Runs the command line's loop.
pub(crate) fn run(context: &Context<'_>, args: &Run) -> Result<u8, Failure> {
    let session = context.session()?;
    session.layers.borrow_mut().add_flags(args);
    // A memory that cannot be read ends the run in a moment, when it is verified.
    let circuit = session
        .store
        .peek()
        .map_or_else(|_| Circuit::default(), |view| view.state.0);
    let plan = Plan::of(args, &session.in_force(&circuit)?);
    let mut screen = Screen::new(context.speech);
    let mut ready = Ready::prepare(&session, &plan, &mut screen)?;
    let ending = Loop {
        plan: &plan,
        ready: &mut ready,
        screen: &mut screen,
        done: 0,
    }
    .run()?;
    screen.ended(&ending, Some(ready.artifacts.dir()));
    Ok(exit::shifted(ending.code(), &ready.policy))
}

/// One run of the loop.
pub(crate) struct Loop<'a, 's> {
    pub(crate) plan: &'a Plan,
    pub(crate) ready: &'a mut Ready<'s>,
    pub(crate) screen: &'a mut Screen,
    /// Iterations that this run has carried out.
    pub(crate) done: u64,
}

impl Loop<'_, '_> {
    pub(crate) fn run(mut self) -> Result<Ending, Failure> {
        loop {
            if let Some(signal) = self.ready.signals.take() {
                return Ok(Ending::Signal(signal));
            }
            if self.plan.iterations.is_some_and(|most| self.done >= most) {
                return Ok(if self.plan.once {
                    Ending::Done
                } else {
                    Ending::IterationsUsedUp(self.done)
                });
            }
            if let Some(ending) = self.round()? {
                return Ok(ending);
            }
        }
    }

    /// One question and, if the answer is yes, one iteration.
    fn round(&mut self) -> Result<Option<Ending>, Failure> {
        if let Some(outcome) = self.ready.trip_if_moved()? {
            return Ok(Some(Ending::Opened(Box::new(outcome))));
        }
        let changed = self.ready.session.reread_config(self.ready.policy.preset);
        changed.iter().for_each(|note| self.screen.say(note));
        let before = self.ready.measure_before(self.screen);
        let tree = before.as_ref().map(ToString::to_string);
        let session = self.ready.session;
        let start = Start {
            tree,
            secret: Some(self.ready.secret),
        };
        let asked =
            session.apply(|circuit, policy, now| machine::check(circuit, policy, start, now))?;
        if matches!(asked.decision.gate, Gate::Deny(_)) {
            return self.denied(asked);
        }
        self.done += 1;
        self.screen.granted(&asked);
        let came = self
            .ready
            .iterate(self.plan, &asked, before.as_ref(), self.screen)?;
        self.screen.reported(&came);
        if let Some(ending) = came.ending {
            return Ok(Some(ending));
        }
        match came.outcome.decision.gate {
            // The one iteration that was asked for is done, whatever may come next.
            Gate::Deny(_) if self.plan.once && !opened(&came.outcome.decision) => {
                Ok(Some(Ending::Done))
            }
            Gate::Deny(_) if self.plan.once => Ok(Some(Ending::Opened(Box::new(came.outcome)))),
            Gate::Deny(_) => self.denied(came.outcome),
            Gate::Allow | Gate::AllowOnce => Ok(None),
        }
    }

    /// Waits, asks or ends, as the plan says. `None` is to ask the engine again.
    fn denied(&mut self, outcome: Outcome) -> Result<Option<Ending>, Failure> {
        let waits = self.plan.wait || outcome.policy.halt == HaltMode::Wait;
        if waits && !self.plan.no_wait && waits_help(&outcome.decision) {
            return self.wait(&outcome);
        }
        if limited(&outcome.decision) {
            return Ok(Some(Ending::Limited(Box::new(outcome))));
        }
        if self.plan.on_stagnation == OnStagnation::Abort {
            return Ok(Some(Ending::Opened(Box::new(outcome))));
        }
        let session = self.ready.session;
        let signals = &mut self.ready.signals;
        match pause::ask(session, &outcome, signals, self.screen)? {
            Answer::Released => Ok(None),
            Answer::Wait => self.wait(&outcome),
            Answer::Stop => Ok(Some(Ending::Opened(Box::new(outcome)))),
            Answer::Signal(signal) => Ok(Some(Ending::Signal(signal))),
            // A run that never began is not paused: it may not start.
            Answer::Nobody if self.done == 0 => Ok(Some(Ending::Opened(Box::new(outcome)))),
            Answer::Nobody => Ok(Some(Ending::NobodyToAsk(Box::new(outcome)))),
        }
    }

    fn wait(&mut self, outcome: &Outcome) -> Result<Option<Ending>, Failure> {
        let signal = wait::until_allowed(
            self.ready.session,
            outcome,
            &mut self.ready.signals,
            self.screen,
        )?;
        Ok(signal.map(Ending::Signal))
    }
}

fn limited(decision: &Decision) -> bool {
    matches!(
        &decision.gate,
        Gate::Deny(Denial {
            by: DeniedBy::CallLimit
                | DeniedBy::CallsScarce
                | DeniedBy::Budget(_)
                | DeniedBy::Outage(_),
            ..
        })
    )
}

fn opened(decision: &Decision) -> bool {
    matches!(
        decision.gate,
        Gate::Deny(Denial {
            by: DeniedBy::Open { .. },
            ..
        })
    )
}

fn waits_help(decision: &Decision) -> bool {
    matches!(
        &decision.gate,
        Gate::Deny(Denial {
            retry_at_ms: Some(_),
            ..
        })
    )
}
