//! What the log is told of the end of a run, before anybody else is.

use fusebox_core::Policy;
use fusebox_core::journal::{RunEnd, RunOver};
use fusebox_core::machine;

use super::ending::Ending;
use super::screen::Screen;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;

/// Writes down how the run ended. One that cannot be written down is announced nevertheless.
pub(super) fn note(session: &Session, ending: &Ending, code: u8, screen: &mut Screen) {
    let end = RunEnd {
        why: ending.why(),
        code,
        iterations: screen.sums().iterations,
        said: match ending.outcome() {
            Some(outcome) => format!("{}: {}", ending.headline(), outcome.decision.reason),
            None => ending.headline(),
        },
    };
    if let Err(failure) = write(session, end) {
        screen.complain(&failure);
    }
}

/// The same of a run that failed. What made it fail may be what keeps this from being written,
/// and is told anyway.
pub(super) fn note_failure(session: &Session, failure: &Failure, policy: &Policy, screen: &Screen) {
    let end = RunEnd {
        why: RunOver::Failed,
        code: exit::shifted(failure.code, policy),
        iterations: screen.sums().iterations,
        said: failure.what.clone(),
    };
    let _ = write(session, end);
}

fn write(session: &Session, end: RunEnd) -> Result<(), Failure> {
    session
        .apply(|circuit, policy, now| machine::end_run(circuit, policy, end, now))
        .map(drop)
}
