//! `fusebox record`: what the last iteration did.

use std::io;

use super::{Context, announce};
use crate::cli::Record;
use crate::dealings::{self, Recorded};
use crate::exit;
use crate::failure::Failure;
use crate::intake::Intake;

pub(super) fn run(context: &Context<'_>, args: &Record) -> Result<u8, Failure> {
    let intake = Intake::read(args, io::stdin().lock())?;
    let Recorded { outcome, lost } = dealings::record(&context.session()?, intake, args.from_git)?;
    let code = match (announce(context, &outcome), lost) {
        (exit::GO, _) => exit::GO,
        (_, true) => exit::PROTECTED,
        (code, false) => code,
    };
    Ok(if args.exit_zero { exit::GO } else { code })
}
