//! `fusebox trigger`: a person sees a pattern that the rules do not.

use fusebox_core::clip;
use fusebox_core::machine::Trip;
use fusebox_core::observation::NAME_BYTES;

use super::trip::open;
use super::{Context, announce};
use crate::caller;
use crate::cli::Trigger;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>, args: &Trigger) -> Result<u8, Failure> {
    let session = context.session()?;
    let reason = clip(&args.reason, NAME_BYTES).to_owned();
    let trip = Trip::by_judgement(reason, caller::anyone(), args.pattern, args.severity);
    let (mut outcome, was_open) = open(&session, trip)?;
    if let Some(first) = was_open {
        outcome.notes.push(first);
        let untold = "this trigger is in no report: resolve that one first, then trigger again";
        outcome.notes.push(untold.to_owned());
    }
    announce(context, &outcome);
    Ok(exit::GO)
}
