//! What is remembered of a session.
//!
//! Bounded by construction, so that it can be kept between two hooks of one
//! session and read in no time: what is older than the newest few hundred pairs
//! of call and answer is forgotten, and with it a loop that takes longer than
//! that to come round.

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// The format of the state; a state of another one is begun anew.
pub const STATE_VERSION: u32 = 1;
/// The most that the state takes when it is written as JSON, in bytes.
pub const STATE_BYTES: usize = 8 * 1024;
/// Pairs of call and answer that are remembered.
const PAIRS: usize = 160;

/// What is remembered of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallState {
    version: u32,
    /// Calls so far.
    pub(super) calls: u32,
    /// The call whose answer is awaited.
    pub(super) pending: Option<(Digest, Digest)>,
    /// Known outcomes in a row.
    pub(super) known: u32,
    pairs: Vec<Digest>,
}

impl Default for CallState {
    fn default() -> Self {
        Self {
            version: STATE_VERSION,
            calls: 0,
            pending: None,
            known: 0,
            pairs: Vec::new(),
        }
    }
}

impl CallState {
    /// Whether this release can go on with it.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.version == STATE_VERSION
    }

    /// How many calls were seen.
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// Remembers a pair; says whether it was known.
    pub(super) fn remember(&mut self, pair: Digest) -> bool {
        let known = self.pairs.iter().position(|seen| *seen == pair);
        if let Some(at) = known {
            self.pairs.remove(at);
        } else if self.pairs.len() == PAIRS {
            self.pairs.remove(0);
        }
        self.pairs.push(pair);
        known.is_some()
    }
}
