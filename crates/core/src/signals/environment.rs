//! Iterations in a row lost to trouble outside. Shown, and kept apart from
//! stagnation: it neither counts against the loop nor excuses it.

use crate::observation::Observation;

pub(super) fn count(before: u32, facts: &Observation) -> u32 {
    match facts.environment {
        Some(_) => before.saturating_add(1),
        None => 0,
    }
}
