//! Taking part in a fleet: who we are there, what counts for us, and what is told.
//!
//! Nothing here is part of a decision of the engine. A loop asks the engine first and the
//! fleet second, and goes on only if both say yes.

mod courier;
mod journal;
mod lease;
mod leases;
mod party;
mod seat;
mod watch;
pub(crate) mod words;

pub(crate) use courier::Courier;
pub(crate) use journal::deliver;
pub(crate) use lease::{LEASE, LeaseWatch};
pub(crate) use leases::Leases;
pub(crate) use party::{Party, begin_watch};
pub(crate) use seat::Seat;
pub(crate) use watch::{DEADLINE, Picture, Seen, Watch};

use fusebox_fleet::FleetError;

use crate::exit;
use crate::failure::Failure;

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        let what = error.to_string();
        match error {
            FleetError::Address(_) => Self::new(exit::CONFIG, what).hint(
                "`--fleet`, FUSEBOX_FLEET or `fleet.url` in your own configuration says where it is",
            ),
            FleetError::Unreachable { .. } => Self::new(exit::MISSING, what)
                .hint("nothing new is granted, claimed or released without it; this machine's own breaker keeps working"),
            FleetError::Schema(_) => Self::new(exit::MISSING, what),
            FleetError::NotFounded { .. } => Self::new(exit::MISSING, what)
                .hint("`fusebox fleet init` founds one; a mistyped directory is none"),
            FleetError::NotAllowed(_) => Self::new(exit::REFUSED, what).hint(
                "workers take, claim and halt; limits and releases need an operator's user: `--fleet postgres://OPERATOR@…`",
            ),
            FleetError::ClockJumped { .. } | FleetError::Failed(_) => Self::new(exit::MISSING, what),
            FleetError::Directory { .. } => Self::new(exit::STATE, what),
            FleetError::Forgotten { .. } => Self::new(exit::STATE, what).hint(
                "halts and used-up budgets went with it; `fusebox fleet init`, confirmed by a person, takes the fleet as it is now",
            ),
        }
    }
}
