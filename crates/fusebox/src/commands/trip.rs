//! `fusebox trip`: open the breaker. Anyone may.

use fusebox_core::circuit::Cause;
use fusebox_core::clip;
use fusebox_core::machine::{self, Trip};
use fusebox_core::observation::NAME_BYTES;

use super::{Context, announce};
use crate::caller;
use crate::cli::Reason;
use crate::exit;
use crate::failure::Failure;

/// The reason of whoever gave none.
const NO_REASON: &str = "Somebody asked for it, without a reason";

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
    let outcome =
        session.apply(|circuit, policy, now| machine::trip(circuit, policy, trip, now))?;
    announce(context, &outcome);
    Ok(exit::GO)
}
