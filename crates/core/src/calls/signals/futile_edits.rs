//! Edits after which a failing call fails with the same words as before.
//!
//! That one error comes back is also what hard work looks like: there are ten
//! places to mend, and the compiler names one at a time. But then the rest of what
//! it says changes. Where all of it stays the same but for line numbers, the edits
//! in between were made in the wrong place.

use serde::{Deserialize, Serialize};

use crate::calls::bounded::Bounded;
use crate::calls::deed::Deed;
use crate::calls::digest::Digest;
use crate::calls::event::CallResult;
use crate::calls::row::row;

/// Failures that are remembered.
const FAILURES: usize = 8;
/// Rounds after which a failure that comes again is another story.
const APART: u32 = 16;

row! {
    /// A failure, and what happened since.
    struct Failure {
        answer: Digest,
        round: u32,
        /// How many edits had taken by then.
        edits: u32,
        /// How often it was met, each time after another edit.
        times: u32,
    }
}

/// What edits did not help against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct FutileEdits {
    failures: Bounded<Failure, FAILURES>,
    /// Edits that took, so far.
    edits: u32,
    /// The failure that was met last, until something comes of a call: the next
    /// edit may have been the right one.
    last: Digest,
    times: u32,
}

impl FutileEdits {
    pub(in crate::calls) fn take(&mut self, deed: &Deed, round: u32, result: &CallResult) {
        if result.status.took() {
            self.edits = self.edits.saturating_add(u32::from(deed.changes));
        }
        let Some(answer) = result.failure.filter(|_| !deed.changes) else {
            return;
        };
        let seen = self.failures.take(|seen| seen.answer == answer);
        let seen = seen.filter(|seen| round.saturating_sub(seen.round) <= APART);
        let times = seen.map_or(1, |seen| {
            seen.times
                .saturating_add(u32::from(self.edits > seen.edits))
        });
        self.failures.push(Failure {
            answer,
            round,
            edits: self.edits,
            times,
        });
        (self.last, self.times) = (answer, times);
    }

    /// Something came of a call.
    pub(in crate::calls) fn news(&mut self) {
        self.times = 0;
    }

    pub(in crate::calls) fn value(&self) -> u32 {
        self.times
    }

    pub(in crate::calls) fn failure(&self) -> Digest {
        self.last
    }
}
