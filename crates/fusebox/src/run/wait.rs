//! Waiting until the engine says yes: for a cooldown, or for a free call.

use std::time::{Duration, Instant};

use fusebox_core::decision::{Denial, Gate};
use fusebox_core::machine;
use fusebox_supervise::Signals;

use super::screen::Screen;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

/// How often a signal is looked for.
const PULSE: Duration = Duration::from_millis(200);
/// How often the engine is asked again: a person may have reset it meanwhile.
const ASK: Duration = Duration::from_secs(2);
/// How often the countdown is shown.
const SHOW: Duration = Duration::from_secs(60);

/// Returns when the engine would say yes, when no clock can help any more, or
/// with the signal that ended the wait.
pub(super) fn until_allowed(
    session: &Session,
    outcome: &Outcome,
    signals: &mut Signals,
    screen: &mut Screen,
) -> Result<Option<i32>, Failure> {
    screen.waiting(outcome);
    let (mut asked, mut shown) = (Instant::now(), Instant::now());
    loop {
        if let Some(signal) = signals.take() {
            return Ok(Some(signal));
        }
        std::thread::sleep(PULSE);
        if asked.elapsed() < ASK {
            continue;
        }
        asked = Instant::now();
        let now = session.look(machine::peek)?;
        match now.decision.gate {
            Gate::Deny(Denial {
                retry_at_ms: Some(_),
                ..
            }) => {}
            Gate::Deny(_) | Gate::Allow | Gate::AllowOnce => return Ok(None),
        }
        if shown.elapsed() >= SHOW {
            shown = Instant::now();
            screen.waiting(&now);
        }
    }
}
