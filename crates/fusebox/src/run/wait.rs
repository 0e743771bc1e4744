//! Waiting: until the engine says yes, until trouble outside may have passed,
//! or until a person asks to go on.

use std::time::{Duration, Instant};

use fusebox_core::decision::{Denial, Gate};
use fusebox_core::machine;

use super::live;
use super::plan::Plan;
use super::requests::Request;
use super::screen::Screen;
use super::setup::Ready;
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
    Signal(i32),
    /// Another terminal asked for the end.
    Asked,
}

impl Ready<'_> {
    /// Returns when the engine would say yes, or when no clock can help any more.
    pub(super) fn wait_until_allowed(
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

    /// Waits that long, unless something else comes first.
    pub(super) fn wait_for(&mut self, time: Duration) -> Woken {
        self.rest(time).unwrap_or(Woken::Over)
    }

    /// Waits until another terminal asks to go on.
    pub(super) fn wait_for_resume(&mut self) -> Woken {
        loop {
            if let Some(signal) = self.signals.take() {
                return Woken::Signal(signal);
            }
            match self.requests.take() {
                Some(Request::Resume) => return Woken::Over,
                Some(Request::Stop | Request::StopAfterIteration) => return Woken::Asked,
                Some(Request::Pause) | None => {}
            }
            std::thread::sleep(PULSE);
        }
    }

    /// Rests for `time`; answers with what cut it short.
    fn rest(&mut self, time: Duration) -> Option<Woken> {
        let start = Instant::now();
        loop {
            if let Some(signal) = self.signals.take() {
                return Some(Woken::Signal(signal));
            }
            match self.requests.take() {
                Some(Request::Stop | Request::StopAfterIteration) => return Some(Woken::Asked),
                Some(Request::Pause | Request::Resume) | None => {}
            }
            let left = time.saturating_sub(start.elapsed());
            if left.is_zero() {
                return None;
            }
            std::thread::sleep(left.min(PULSE));
        }
    }
}
