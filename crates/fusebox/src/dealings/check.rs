//! May the next iteration run?

use fusebox_core::circuit::GrantId;
use fusebox_core::decision::Gate;
use fusebox_core::machine::Start;

use super::looking_after;
use super::step::{ask, ask_idly, refuse_to_ask, settled_unreported};
use crate::cli::Check;
use crate::failure::Failure;
use crate::session::measure::Measure;
use crate::session::{Outcome, Session};
use crate::storable;

/// Whether it may, whoever asks.
pub(crate) fn decide(session: &Session, args: &Check) -> Result<Outcome, Failure> {
    if args.peek {
        let outcome = session.try_look(|circuit, policy, now| {
            Ok(ask_idly(session, circuit, policy, now)?.decision)
        })?;
        // A yes that could not be written down would be none.
        let refused = match outcome.decision.gate {
            Gate::Deny(_) => None,
            Gate::Allow | Gate::AllowOnce => storable::refused(session),
        };
        return refused.map_or(Ok(outcome), Err);
    }
    refuse_to_ask(session)?;
    let lost = looking_after::before(session)?;
    let mut unmeasured = None;
    let mut tree = None;
    if args.from_git {
        match Measure::open(session)?.baseline() {
            Ok(measured) => tree = Some(measured.to_string()),
            Err(why) => unmeasured = Some(format!("the work tree could not be measured: {why}")),
        }
    }
    let start = Start {
        tree,
        task: args.task.clone(),
        ..Start::default()
    };
    let mut silent = None;
    let mut outcome = session.try_apply(|circuit, policy, now| {
        let step = ask(session, circuit, policy, start, now)?;
        silent = settled_unreported(circuit, &step);
        Ok(step)
    })?;
    outcome.notes.extend(silent.map(|GrantId(number)| {
        format!("iteration {number} was never reported, and counts as one without progress")
    }));
    outcome.notes.extend(lost);
    outcome.notes.extend(unmeasured);
    Ok(outcome)
}
