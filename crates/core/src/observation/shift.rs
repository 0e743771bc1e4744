//! How far the work moved between two work trees.

use serde::{Deserialize, Serialize};

/// What came of the difference between two work trees for their sources and tests.
///
/// All moves are added up, modulo [`Shift::RANGE`]. When the sum is what it was, the work is
/// what it was, whatever was written about it meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// The work tree it is measured from, as `Observation::tree` named it.
    pub from: String,
    /// What is to be added to the sum.
    pub by: u64,
}

impl Shift {
    /// Sums stay below this.
    pub const RANGE: u64 = 1 << 53;

    /// The sum after this move.
    #[must_use]
    pub fn after(&self, sum: u64) -> u64 {
        sum.wrapping_add(self.by) % Self::RANGE
    }
}
