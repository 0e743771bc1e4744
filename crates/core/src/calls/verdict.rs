//! What is said of a session when it goes round in circles.

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// How grave it is, and with it what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth writing down. The agent does not hear of it.
    Observe,
    /// Worth telling the agent, once for each loop.
    Steer,
    /// The call is not carried out, where that can be prevented.
    Block,
    /// The iteration ends.
    Trip,
}

impl Level {
    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Steer => "steer",
            Self::Block => "block",
            Self::Trip => "trip",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallSignal {
    /// The same call had the same answer before.
    Repeat,
}

impl CallSignal {
    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Repeat => "repeat",
        }
    }
}

/// One thing that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallEvidence {
    /// Which signal.
    pub signal: CallSignal,
    /// What it reads.
    pub value: u32,
    /// The reading from which it counts.
    pub threshold: u32,
    /// The calls it read that from, by their number in the session, oldest first.
    pub calls: Vec<u32>,
}

/// What is said of a session at some point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallVerdict {
    /// What follows.
    pub level: Level,
    /// The number of the last call, the first being 1.
    pub call: u32,
    /// Which loop it is: the same one, wherever in it one begins to look.
    pub identity: Digest,
    /// How sure it is, in percent.
    pub confidence: u8,
    /// What it rests on, the weightiest first.
    pub evidence: Vec<CallEvidence>,
    /// What to tell the agent: what repeats, and what has not been tried.
    pub message: String,
}
