//! `fusebox trip`: open the breaker. Anyone may.

use fusebox_core::circuit::{Cause, Opening, Release};
use fusebox_core::clip;
use fusebox_core::machine::{self, Trip};
use fusebox_core::observation::NAME_BYTES;

use fusebox_view::escape;

use super::{Context, announce};
use crate::caller;
use crate::cli::Reason;
use crate::exit;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

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
    let (mut outcome, was_open) = open(&session, trip)?;
    outcome.notes.extend(was_open);
    announce(context, &outcome);
    Ok(exit::GO)
}

/// Opens the breaker. Answers with what there is to say if it was open already.
pub(super) fn open(session: &Session, trip: Trip) -> Result<(Outcome, Option<String>), Failure> {
    let reason = trip.reason.clone();
    let mut before = None;
    let outcome = session.apply(|circuit, policy, now| {
        before = circuit.core.phase.opening().cloned();
        machine::trip(circuit, policy, trip, now)
    })?;
    let opening = outcome.circuit.core.phase.opening();
    let said = before.zip(opening);
    let said = said.and_then(|(before, now)| open_already(&before, now, &reason));
    Ok((outcome, said))
}

/// What is said of a request that found the breaker open: what it is open for, and whether the
/// request took the clock's release from it.
fn open_already(before: &Opening, now: &Opening, reason: &str) -> Option<String> {
    let mut parts = Vec::new();
    if now.reason != reason {
        let first = escape::line(&now.reason, WIDTH);
        parts.push(format!("stays so for what opened it first: {first}"));
    }
    if matches!(before.release, Release::Cooldown(_)) && now.release == Release::Person {
        parts.push("from now on only a person releases it".to_owned());
    }
    (!parts.is_empty()).then(|| format!("the breaker was open already, and {}", parts.join("; ")))
}
