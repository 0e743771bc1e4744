//! `fusebox run`: the loop around an agent, or around any command.
//!
//! The loop has no rules of its own. Each round asks the engine, measures,
//! lets the command run, measures again, reports, and does what the answer
//! says. What it decides is only how to wait, whom to ask and when to leave.

pub(crate) mod account;
mod activity;
mod artifacts;
mod asides;
mod belief;
mod calls;
mod choice;
mod circles;
mod companion;
mod denied;
mod dry;
mod end_data;
mod ending;
mod facts;
mod first_error;
mod fleet;
mod iteration;
mod iteration_line;
mod keeping;
mod ladder;
mod last_words;
mod launch;
mod ledger;
mod listener;
mod live;
mod moves;
mod notices;
mod over;
mod pause;
mod phases;
mod plan;
pub(crate) mod preflight;
mod prompt;
mod proof;
mod pulse;
mod purse;
pub(crate) mod requests;
mod result;
mod resume;
mod routes;
#[cfg(test)]
mod scratch;
mod screen;
mod setup;
mod sink;
mod stage;
mod start;
mod step_end;
mod summary;
mod sums;
mod tasks;
mod time_limit;
mod trouble;
mod wait;
mod work_left;

use std::time::{Duration, Instant};

use fusebox_core::decision::Gate;
use fusebox_core::machine::{self, Start};
use fusebox_core::observation::Environment;
use fusebox_core::policy::{Enforcement, HaltMode};
use fusebox_supervise::standpoint;

use denied::opened;
pub(crate) use ending::Ending;
#[cfg(feature = "fuzzing")]
pub(crate) use ledger::read_back as read_stood;
pub(crate) use plan::{Bounds, Plan, Prompt, Work};
#[cfg(feature = "fuzzing")]
pub(crate) use requests::read_word as read_request;
#[cfg(feature = "fuzzing")]
pub(crate) use resume::read_back as read_plan;
pub(crate) use routes::{NotifyPlan, routes};
pub(crate) use screen::Screen;
pub(crate) use setup::Ready;
pub(crate) use stage::Stage;
pub(crate) use start::run;
use tasks::TaskLine;
use time_limit::TimeLimit;

use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;
use fleet::Round;
use iteration::{Came, opened_now};
use keeping::denies_for_a_loss;
use notices::Notices;
use requests::Request;
use trouble::Remedy;

/// One run of the loop.
pub(crate) struct Loop<'a, 's> {
    plan: Plan,
    ready: &'a mut Ready<'s>,
    screen: &'a mut Screen,
    /// Iterations that this run has carried out.
    done: u64,
    /// Answers that were given beforehand and not yet used.
    answers: Vec<char>,
    /// Whoever is to be told.
    notices: Option<&'a Notices>,
}

impl<'a, 's> Loop<'a, 's> {
    pub(crate) fn new(plan: &'a Plan, ready: &'a mut Ready<'s>, screen: &'a mut Screen) -> Self {
        let mut answers = plan.answers.clone();
        answers.reverse();
        let time = plan.bounds.time;
        let grace = plan.work.speaker().stopping().grace;
        ready.limit = time.and_then(|most| TimeLimit::of(most, grace, Instant::now()));
        Self {
            plan: plan.clone(),
            ready,
            screen,
            done: 0,
            answers,
            notices: None,
        }
    }

    /// The same loop, which tells people who are not looking.
    fn telling(mut self, notices: &'a Notices) -> Self {
        self.notices = Some(notices);
        self
    }

    pub(crate) fn run(mut self) -> Result<Ending, Failure> {
        let ending = self.go();
        let ending = self.unless_the_list_is_gone(ending);
        // A task that is not done can be taken by whoever comes next.
        let Ready { tasks, fleet, .. } = &mut *self.ready;
        let given_back = tasks
            .as_mut()
            .map_or(Ok(()), |tasks| tasks.give_back(fleet.as_mut()));
        self.ready.keep_own_writes();
        let given_back = self.unless_the_list_is_gone(given_back.map(|()| Ending::Done));
        ending.and_then(|ending| given_back.map(|_| ending))
    }

    /// A list that cannot be read is an end like any other, and no failure of ours.
    fn unless_the_list_is_gone(
        &mut self,
        ending: Result<Ending, Failure>,
    ) -> Result<Ending, Failure> {
        let tasks = self.ready.tasks.as_mut();
        match ending {
            Err(failure) if failure.code == exit::MISSING => {
                let why = tasks.and_then(TaskLine::unreadable);
                why.map(Ending::ListGone).ok_or(failure)
            }
            ending => ending,
        }
    }

    fn go(&mut self) -> Result<Ending, Failure> {
        loop {
            if let Some(ending) = self.due() {
                return Ok(ending);
            }
            if let Some(ending) = self.take_task()? {
                return Ok(ending);
            }
            if let Some(ending) = self.round()? {
                return Ok(ending);
            }
        }
    }

    /// What ends the run before another question is asked.
    fn due(&mut self) -> Option<Ending> {
        if let Some(signal) = self.ready.signals.take() {
            return Some(Ending::Signal(signal));
        }
        if let Some(request) = self.ready.requests.take()
            && let Some(ending) = self.follow(request)
        {
            return Some(ending);
        }
        if self.ready.is_time_up() {
            return Some(Ending::TimeUsedUp);
        }
        if self.iterations_are_used_up() {
            return Some(if self.plan.once {
                Ending::Done
            } else {
                Ending::IterationsUsedUp(self.done)
            });
        }
        None
    }

    fn iterations_are_used_up(&self) -> bool {
        let most = self.plan.bounds.iterations;
        most.is_some_and(|most| self.done >= most)
    }

    /// Does what another terminal asked for, between two iterations.
    fn follow(&mut self, request: Request) -> Option<Ending> {
        match request {
            Request::Resume => None,
            Request::Stop | Request::StopAfterIteration => Some(Ending::Asked),
            Request::Pause => self.pause_as_asked(),
        }
    }

    /// One question and, if the answer is yes, one iteration.
    fn round(&mut self) -> Result<Option<Ending>, Failure> {
        if let Some(outcome) = self.ready.trip_if_moved()? {
            return Ok(Some(Ending::Opened(Box::new(outcome))));
        }
        let changed = self.ready.session.reread_config(self.ready.policy.preset);
        changed.iter().for_each(|note| self.screen.say(note));
        if let Some(outcome) = self.ready.look_before(self.screen)? {
            return Ok(Some(Ending::Opened(Box::new(outcome))));
        }
        if let Some(ending) = self.finished()? {
            return Ok(Some(ending));
        }
        // Before a grant is taken that nothing could be done with.
        if let Err(failure) = self.plan.prompt.text() {
            return Ok(Some(Ending::PromptGone(failure.what)));
        }
        let before = self.ready.measure_before(self.screen);
        let tree = before.as_ref().map(ToString::to_string);
        let session = self.ready.session;
        let grant = match self.leave_of_fleet()? {
            Round::Begins(grant) => grant,
            Round::Repeats => return Ok(None),
            Round::Ends(ending) => return Ok(Some(ending)),
        };
        let tasks = self.ready.tasks.as_mut();
        let start = Start {
            tree,
            secret: Some(self.ready.secret),
            // Where that cannot be told, nobody is refused for standing elsewhere.
            standpoint: standpoint().ok().flatten(),
            task: self.plan.task.as_ref().map(|task| task.id.clone()),
            standing: tasks.map(TaskLine::note_standing).transpose()?,
            // The supervisor itself remembers what passed before.
            passing: None,
        };
        let asked =
            session.apply(|circuit, policy, now| machine::check(circuit, policy, start, now))?;
        if matches!(asked.decision.gate, Gate::Deny(_)) {
            self.nothing_begins();
            return self.denied(asked);
        }
        if grant.is_some_and(|grant| grant.good_until.is_over()) {
            // It took too long to get here. What was taken stays taken, and is asked for anew.
            self.nothing_begins();
            session.apply(machine::withdraw)?;
            return Ok(None);
        }
        self.done += 1;
        self.screen.granted(&asked);
        let came = self
            .ready
            .iterate(&self.plan, &asked, before.as_ref(), self.screen)?;
        self.screen.reported(&came);
        self.settle_with_fleet(&came);
        self.follow_up(came)
    }

    /// Takes back what was prepared for an iteration that is not carried out.
    fn nothing_begins(&mut self) {
        self.give_back_leave();
        if let Some(tasks) = &self.ready.tasks {
            tasks.forget_standing();
        }
    }

    /// What follows from an iteration.
    fn follow_up(&mut self, mut came: Came) -> Result<Option<Ending>, Failure> {
        if opened_now(&came.outcome) {
            self.announce(&came.outcome);
        }
        if let Some(tasks) = &mut self.ready.tasks {
            let followed = tasks.follow(&mut came, self.screen, self.ready.fleet.as_mut());
            // Where the list itself was lost for good, that is what is told.
            if !denies_for_a_loss(&came.outcome) || tasks.unreadable().is_none() {
                followed?;
            }
            tasks.forget_standing();
            self.ready.keep_own_writes();
        }
        if denies_for_a_loss(&came.outcome) {
            return Ok(Some(Ending::ProtectedLost(Box::new(came.outcome))));
        }
        if let Some(Ending::Complete(evidence)) = &came.ending
            && opened(&came.outcome.decision)
        {
            // What halts is a person's business first, whatever the last step came to.
            self.screen.complete_but_open(evidence);
            if came.outcome.policy.halt == HaltMode::Wait {
                // Waiting would buy an iteration for work that is done.
                return Ok(Some(Ending::Opened(Box::new(came.outcome))));
            }
        } else if let Some(ending) = came.ending {
            return Ok(Some(ending));
        }
        if let Some(ending) = came.asked.and_then(|request| self.follow(request)) {
            return Ok(Some(ending));
        }
        if let Remedy::BackOff(wait) = came.remedy
            && !self.plan.once
            && !self.iterations_are_used_up()
        {
            return Ok(self.back_off(came.facts.environment, wait));
        }
        match came.outcome.decision.gate {
            // The one iteration that was asked for is done, whatever may come next.
            Gate::Deny(_) if self.plan.once && !opened(&came.outcome.decision) => {
                Ok(Some(Ending::Done))
            }
            Gate::Deny(_) if self.plan.once => Ok(Some(Ending::Opened(Box::new(came.outcome)))),
            Gate::Deny(_) => self.denied(came.outcome),
            Gate::Allow | Gate::AllowOnce => self.set_exhausted_aside(&came.outcome),
        }
    }

    /// The breaker has opened: whoever is to know is told, now that it is durable.
    pub(super) fn announce(&mut self, outcome: &Outcome) {
        self.screen.log_opening(outcome);
        let goes_on = outcome.policy.enforcement != Enforcement::Halt;
        if goes_on {
            self.screen.alert(outcome);
        }
        if let Some(notices) = self.notices {
            notices.opened(outcome, goes_on);
        }
    }

    fn back_off(&mut self, kind: Option<Environment>, wait: Duration) -> Option<Ending> {
        let seconds = wait.as_secs();
        let what = trouble::words(kind);
        self.screen
            .say(&format!("{what}; trying again in {seconds} s"));
        self.sit_out(wait)
    }
}
