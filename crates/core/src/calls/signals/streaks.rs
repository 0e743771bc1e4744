//! Things in a row: failing calls, denied calls, edits over a trodden path,
//! pieces of one file.

use serde::{Deserialize, Serialize};

use crate::calls::deed::Deed;
use crate::calls::digest::Digest;
use crate::calls::event::Status;
use crate::calls::memory::{Outcome, Trace};

/// Failing calls in a row. Looking at something between two of them is part of
/// the attempt; anything else that worked ends the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::calls) struct Failures(u32);

impl Failures {
    pub(in crate::calls) fn take(&mut self, deed: &Deed, status: Status, outcome: Outcome) {
        match status {
            // The rest of a round fails because its first call did.
            Status::Failed if outcome == Outcome::Nothing => {}
            Status::Failed | Status::Blocked => self.0 = self.0.saturating_add(1),
            Status::Answered | Status::Silent if !deed.kind.is_look() => self.0 = 0,
            Status::Answered | Status::Silent | Status::Outage | Status::Denied => {}
        }
    }

    pub(in crate::calls) fn value(self) -> u32 {
        self.0
    }
}

/// Denied calls in a row. Anything that was permitted ends the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::calls) struct Denials(u32);

impl Denials {
    pub(in crate::calls) fn take(&mut self, status: Status) {
        match status {
            Status::Denied => self.0 = self.0.saturating_add(1),
            Status::Outage | Status::Blocked => {}
            Status::Answered | Status::Silent | Status::Failed => self.0 = 0,
        }
    }

    pub(in crate::calls) fn value(self) -> u32 {
        self.0
    }
}

/// Edits in a row that were made before, and have been taken back since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct Oscillation {
    edits: u32,
    target: Digest,
}

impl Oscillation {
    pub(in crate::calls) fn take(&mut self, deed: &Deed, outcome: Outcome, trace: Option<Trace>) {
        match trace {
            Some(Trace::Again) => {
                self.edits = self.edits.saturating_add(1);
                self.target = deed.target.unwrap_or_default();
            }
            Some(Trace::Back) => {}
            None if outcome == Outcome::Gain => self.edits = 0,
            None => {}
        }
    }

    pub(in crate::calls) fn value(self) -> u32 {
        self.edits
    }

    pub(in crate::calls) fn target(self) -> Digest {
        self.target
    }
}

/// Pieces of one file read in a row. Each brings something new, so that nothing
/// else sees it; searching for the place would have taken one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct Paging {
    pages: u32,
    target: Digest,
}

impl Paging {
    pub(in crate::calls) fn take(&mut self, deed: &Deed) {
        match deed.target.filter(|_| deed.is_page) {
            Some(target) if target == self.target => self.pages = self.pages.saturating_add(1),
            Some(target) => *self = Self { pages: 1, target },
            None => self.pages = 0,
        }
    }

    pub(in crate::calls) fn value(self) -> u32 {
        self.pages
    }

    pub(in crate::calls) fn target(self) -> Digest {
        self.target
    }
}
