//! Iterations in a row that were ended for going round in circles.
//!
//! What was seen inside of one is told in the prompt of the next. If that goes
//! the same way, being told does not help, and a third would be wasted too.

use crate::observation::{Ended, Observation};

/// One that was lost to trouble outside says nothing about it.
pub(super) fn count(before: u32, facts: &Observation) -> u32 {
    match (facts.ended, facts.environment) {
        (Some(Ended::Circling), _) => before.saturating_add(1),
        (_, Some(_)) => before,
        _ => 0,
    }
}
