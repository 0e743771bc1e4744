//! `fusebox record`: what the last iteration did.

use std::io;

use fusebox_core::machine::{self, Claim};

use super::{Context, announce};
use crate::cli::Record;
use crate::exit;
use crate::failure::Failure;
use crate::intake::{Intake, strangers};
use crate::session::measure::Measure;
use crate::session::{Outcome, Session};

pub(super) fn run(context: &Context<'_>, args: &Record) -> Result<u8, Failure> {
    let intake = Intake::read(args, io::stdin().lock())?;
    let outcome = decide(&context.session()?, intake, args.from_git)?;
    let code = announce(context, &outcome);
    Ok(if args.exit_zero { exit::GO } else { code })
}

/// Takes the report, whoever brings it, and says whether the next iteration may run.
pub(crate) fn decide(
    session: &Session,
    intake: Intake,
    from_git: bool,
) -> Result<Outcome, Failure> {
    let Intake {
        mut facts,
        grant,
        mut notes,
    } = intake;
    if from_git {
        notes.extend(Measure::open(session)?.changes_into(session, &mut facts)?);
    }
    let mut unknown = Vec::new();
    let mut outcome = session.apply(|circuit, policy, now| {
        let new = |name: &&str| !circuit.core.strangers.iter().any(|known| known == name);
        unknown = strangers(&facts).filter(new).map(str::to_owned).collect();
        let claim = Claim {
            grant,
            secret: None,
        };
        machine::record(circuit, policy, facts, claim, now)
    })?;
    outcome.notes.extend(notes);
    if !unknown.is_empty() {
        let names = unknown
            .iter()
            .map(|name| fusebox_view::escape::line(name, 40))
            .collect::<Vec<_>>();
        outcome.notes.push(format!(
            "unknown fields were kept and not used: {}",
            names.join(", ")
        ));
    }
    Ok(outcome)
}
