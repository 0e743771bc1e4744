//! `fusebox check`: may the next iteration run?

use fusebox_core::machine::{self, Start};

use super::{Context, announce};
use crate::cli::Check;
use crate::failure::Failure;
use crate::session::measure::Measure;
use crate::session::{Outcome, Session};

pub(super) fn run(context: &Context<'_>, args: &Check) -> Result<u8, Failure> {
    let outcome = decide(&context.session()?, args)?;
    Ok(announce(context, &outcome))
}

/// Whether it may, whoever asks.
pub(crate) fn decide(session: &Session, args: &Check) -> Result<Outcome, Failure> {
    if args.peek {
        return session.look(machine::peek);
    }
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
    let mut outcome =
        session.apply(|circuit, policy, now| machine::check(circuit, policy, start, now))?;
    outcome.notes.extend(unmeasured);
    Ok(outcome)
}
