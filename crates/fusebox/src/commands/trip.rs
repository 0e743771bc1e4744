//! `fusebox trip`: open the breaker. Anyone may.

use fusebox_core::circuit::Cause;
use fusebox_core::clip;
use fusebox_core::machine::{self, Trip};
use fusebox_core::observation::NAME_BYTES;

use super::{Context, announce};
use crate::authority;
use crate::cli::Reason;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>, args: &Reason) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let reason = clip(&args.reason, NAME_BYTES).to_owned();
    let trip = Trip {
        reason,
        by: authority::anyone(),
        cause: Cause::Asked,
    };
    let outcome =
        session.apply(|circuit, policy, now| machine::trip(circuit, policy, trip, now))?;
    announce(context, &outcome);
    Ok(exit::GO)
}
