//! `fusebox record`: what the last iteration did.

use std::io;

use fusebox_seeds::{Seed, seed};

use super::{Context, announce};
use crate::cli::Record;
use crate::dealings::{self, Recorded};
use crate::exit;
use crate::failure::Failure;
use crate::intake::Intake;
use crate::look::iterations::page;
use crate::run::account::{Ran, status_block};
use crate::session::{Outcome, Session};

pub(super) fn run(context: &Context<'_>, args: &Record) -> Result<u8, Failure> {
    let intake = Intake::read(args, io::stdin().lock())?;
    let session = context.session()?;
    let Recorded { outcome, lost } = dealings::record(&session, intake, args.from_git)?;
    let logs = seed(outcome.policy.preset).is_some_and(Seed::logs_iterations);
    if logs && !context.speech.json {
        let block = logged(&session, &outcome)?;
        block.iter().for_each(|block| context.speech.data(block));
    }
    let code = match (announce(context, &outcome), lost) {
        (exit::GO, _) => exit::GO,
        (_, true) => exit::PROTECTED,
        (code, false) => code,
    };
    Ok(if args.exit_zero { exit::GO } else { code })
}

/// The iteration that was reported, as the log of the way of working tells of it. A run keeps the
/// same among its files.
fn logged(session: &Session, outcome: &Outcome) -> Result<Option<String>, Failure> {
    let Some(log) = session.store.log()? else {
        return Ok(None);
    };
    let last = page(&log, None, 1)?.iterations.pop();
    Ok(last.map(|last| {
        let ran = Ran {
            iteration: last.row.iteration,
            state: last.began,
            row: Some(&last.row),
        };
        status_block(&last.facts, &ran, outcome)
    }))
}
