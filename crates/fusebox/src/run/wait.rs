//! Waiting: until the engine says yes, until trouble outside may have passed,
//! or until a person asks to go on.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use fusebox_core::decision::{Denial, Gate};
use fusebox_core::journal::PauseFor;
use fusebox_core::machine;

use super::ending::Ending;
use super::plan::Plan;
use super::requests::Request;
use super::screen::Screen;
use super::setup::Ready;
use super::{Loop, live};
use crate::failure::Failure;
use crate::session::Outcome;

/// How often a signal is looked for.
const PULSE: Duration = Duration::from_millis(200);
/// How often the engine is asked again: a person may have reset it meanwhile.
const ASK: Duration = Duration::from_secs(1);
/// How often the countdown is shown.
const SHOW: Duration = Duration::from_secs(60);

/// Why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// What was waited for has come, or never will.
    Over,
    /// The time for the whole run is used up.
    TimeUp,
    Signal(i32),
    /// Another terminal asked for something.
    Asked(Request),
}

impl Loop<'_, '_> {
    /// Waits until the engine may be asked again. A pause that another terminal asks for
    /// comes in between.
    pub(super) fn wait(&mut self, outcome: &Outcome) -> Result<Option<Ending>, Failure> {
        loop {
            let woken = self
                .ready
                .wait_until_allowed(&self.plan, outcome, self.screen)?;
            if let ControlFlow::Break(ending) = self.heed(woken) {
                return Ok(ending);
            }
        }
    }

    /// Waits that long; a pause may make it longer.
    pub(super) fn sit_out(&mut self, time: Duration) -> Option<Ending> {
        let start = Instant::now();
        loop {
            let left = time.saturating_sub(start.elapsed());
            let woken = self.ready.rest(left).unwrap_or(Woken::Over);
            if let ControlFlow::Break(ending) = self.heed(woken) {
                return ending;
            }
        }
    }

    /// Pauses until another terminal asks to go on.
    pub(super) fn pause_as_asked(&mut self) -> Option<Ending> {
        self.screen
            .say("paused by request from another terminal; `fusebox resume` continues");
        let rests = self.ready.rests(PauseFor::Resume);
        let woken = self.ready.wait_for_resume();
        // A pause that could not be written down is one nevertheless.
        if let Err(failure) = rests.and_then(|()| self.ready.goes_on()) {
            self.screen.complain(&failure);
        }
        self.screen.say("going on");
        match self.heed(woken) {
            ControlFlow::Break(ending) => ending,
            ControlFlow::Continue(()) => None,
        }
    }

    /// What follows from what ended a wait; to continue is to wait for what is left.
    fn heed(&mut self, woken: Woken) -> ControlFlow<Option<Ending>> {
        match woken {
            Woken::Over => ControlFlow::Break(None),
            Woken::TimeUp => ControlFlow::Break(Some(Ending::TimeUsedUp)),
            Woken::Signal(signal) => ControlFlow::Break(Some(Ending::Signal(signal))),
            Woken::Asked(request) => match self.follow(request) {
                None => ControlFlow::Continue(()),
                ending => ControlFlow::Break(ending),
            },
        }
    }
}

impl Ready<'_> {
    /// Returns when the engine would say yes, or when no clock can help any more.
    fn wait_until_allowed(
        &mut self,
        plan: &Plan,
        outcome: &Outcome,
        screen: &mut Screen,
    ) -> Result<Woken, Failure> {
        screen.waiting(outcome);
        let mut shown = Instant::now();
        loop {
            if let Gate::Deny(Denial {
                retry_at_ms: Some(until),
                ..
            }) = outcome.decision.gate
            {
                let now_ms = self.session.stamp_ms();
                live::waiting(plan, outcome, until, now_ms, screen);
            }
            if let Some(woken) = self.rest(ASK) {
                return Ok(woken);
            }
            let now = self.session.look(machine::peek)?;
            match now.decision.gate {
                Gate::Deny(Denial {
                    retry_at_ms: Some(_),
                    ..
                }) => {}
                Gate::Deny(_) | Gate::Allow | Gate::AllowOnce => return Ok(Woken::Over),
            }
            if shown.elapsed() >= SHOW && !screen.stage().is_live() {
                shown = Instant::now();
                screen.waiting(&now);
            }
        }
    }

    /// Waits until another terminal asks to go on.
    fn wait_for_resume(&mut self) -> Woken {
        loop {
            if let Some(signal) = self.signals.take() {
                return Woken::Signal(signal);
            }
            match self.requests.take() {
                Some(Request::Resume) => return Woken::Over,
                Some(Request::Pause) | None => {}
                Some(request) => return Woken::Asked(request),
            }
            if self.is_time_up() {
                return Woken::TimeUp;
            }
            std::thread::sleep(PULSE);
        }
    }

    /// Writes down that the run rests, for everybody who looks from elsewhere.
    pub(super) fn rests(&self, waits: PauseFor) -> Result<(), Failure> {
        let session = self.session;
        session
            .apply(|circuit, policy, now| machine::pause_run(circuit, policy, waits, now))
            .map(drop)
    }

    /// Writes down that it rests no longer.
    pub(super) fn goes_on(&self) -> Result<(), Failure> {
        self.session.apply(machine::go_on_with_run).map(drop)
    }

    /// Whether the run has taken all the time that it was given.
    pub(super) fn is_time_up(&self) -> bool {
        self.time_left().is_some_and(|left| left.is_zero())
    }

    /// The time that is left for the run, where that is limited.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let ends = self.limit?.ends;
        Some(ends.saturating_duration_since(Instant::now()))
    }

    /// Rests for `time`; answers with what cut it short.
    fn rest(&mut self, time: Duration) -> Option<Woken> {
        let start = Instant::now();
        loop {
            if let Some(signal) = self.signals.take() {
                return Some(Woken::Signal(signal));
            }
            if let Some(request) = self.requests.take_only(&Request::WHILE_WAITING) {
                return Some(Woken::Asked(request));
            }
            if self.is_time_up() {
                return Some(Woken::TimeUp);
            }
            let left = time.saturating_sub(start.elapsed());
            if left.is_zero() {
                return None;
            }
            std::thread::sleep(left.min(PULSE));
        }
    }
}
