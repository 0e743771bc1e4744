//! Tool calls denied in a row, across iterations.

use crate::observation::Observation;

/// The reported run length is that at the end of the iteration, so it replaces
/// the one before; where nothing was reported it stays.
pub(super) fn count(before: u32, facts: &Observation) -> u32 {
    facts.permission_denials.seen().copied().unwrap_or(before)
}
