//! `fusebox trip`: open the breaker. Anyone may.

use fusebox_core::circuit::Cause;
use fusebox_core::clip;
use fusebox_core::machine::{self, Trip};
use fusebox_core::observation::NAME_BYTES;

use fusebox_view::escape;

use super::{Context, announce};
use crate::caller;
use crate::cli::Reason;
use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;

/// The reason of whoever gave none.
const NO_REASON: &str = "Somebody asked for it, without a reason";

/// The widest that the reason of another trip is told.
const WIDTH: usize = 120;

pub(super) fn run(context: &Context<'_>, args: &Reason) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let said = clip(&args.reason, NAME_BYTES);
    // Whoever wants it open and has no words for it wants it open.
    let reason = if said.trim().is_empty() {
        NO_REASON
    } else {
        said
    };
    let trip = Trip {
        reason: reason.to_owned(),
        by: caller::anyone(),
        cause: Cause::Asked,
    };
    let mut outcome =
        session.apply(|circuit, policy, now| machine::trip(circuit, policy, trip, now))?;
    let first = open_already(&outcome, reason);
    outcome.notes.extend(first);
    announce(context, &outcome);
    Ok(exit::GO)
}

/// What to say if the breaker was open before somebody opened it for `reason`.
pub(super) fn open_already(outcome: &Outcome, reason: &str) -> Option<String> {
    let first = outcome.circuit.core.phase.opening();
    let first = first.filter(|opening| opening.reason != reason)?;
    let told = "the breaker was open already, and stays so for what opened it first";
    Some(format!("{told}: {}", escape::line(&first.reason, WIDTH)))
}
