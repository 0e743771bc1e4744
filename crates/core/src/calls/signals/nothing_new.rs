//! Outcomes that were known before they came, weighed against those that were
//! not.
//!
//! Most loops are not verbatim. The agent tries variations, reads a file in
//! between, says something else each time; what they have in common is that the
//! outcome is known beforehand: this call had this answer before, or failed with
//! this error before. Each such outcome adds points, each new one takes some
//! away, and an edit that took takes more. It is the sum that a sequential test
//! of "works" against "turns in circles" would keep, in small whole numbers.

use serde::{Deserialize, Serialize};

use crate::calls::bounded::Bounded;
use crate::calls::memory::Outcome;
use crate::calls::policy::Points;

/// The sum, and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct NothingNew {
    sum: u32,
    /// The calls whose outcome was known, since the sum was last zero.
    calls: Bounded<u32, 12>,
    /// How often the sum came back to zero: which stretch of the session it is.
    stretch: u32,
}

impl NothingNew {
    pub(in crate::calls) fn take(
        &mut self,
        outcome: Outcome,
        small: bool,
        points: &Points,
        call: u32,
    ) {
        match outcome {
            Outcome::Known => {
                self.sum = self.sum.saturating_add(worth(small, points));
                self.calls.push(call);
            }
            Outcome::Fresh => self.sink(points.fresh),
            Outcome::Gain => self.sink(points.gain),
            Outcome::NewError | Outcome::Nothing => {}
        }
    }

    fn sink(&mut self, by: u32) {
        let before = self.sum;
        self.sum = before.saturating_sub(by);
        if before > 0 && self.sum == 0 {
            self.begin_anew();
        }
    }

    /// What went before does not count any more.
    pub(in crate::calls) fn begin_anew(&mut self) {
        self.sum = 0;
        self.calls.clear();
        self.stretch = self.stretch.saturating_add(1);
    }

    pub(in crate::calls) fn value(&self) -> u32 {
        self.sum
    }

    /// What it will be if the next outcome is known, too.
    pub(in crate::calls) fn foretold(&self, small: bool, points: &Points) -> u32 {
        self.sum.saturating_add(worth(small, points))
    }

    pub(in crate::calls) fn calls(&self) -> Vec<u32> {
        self.calls.iter().copied().collect()
    }

    pub(in crate::calls) fn stretch(&self) -> u32 {
        self.stretch
    }
}

fn worth(small: bool, points: &Points) -> u32 {
    if small { points.look } else { points.known }
}
