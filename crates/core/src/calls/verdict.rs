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
    /// Outcomes that were known before they came, against those that were not.
    NothingNew,
    /// The same call, answer and words, back to back.
    Repeat,
    /// Calls that go round: the same few calls, answers and words, in turn.
    Cycle,
    /// Turns in a row without a call, though nobody asked for anything else.
    IdleTurns,
    /// How often one error came back.
    RecurringError,
    /// How often a call failed with the very same words, each time after another
    /// edit.
    FutileEdits,
    /// Failing calls in a row.
    Failures,
    /// Edits that were made before, and taken back since.
    Oscillation,
    /// Pieces of one file read in a row.
    Paging,
    /// Claims that the work is done, with nothing new between them.
    Claims,
    /// Denied calls in a row.
    Denials,
    /// Compactions in a row with hardly anything new between them.
    Compaction,
    /// Thousands of tokens since the last thing that was new.
    Spending,
}

impl CallSignal {
    /// All of them, in the order of their weight.
    pub const ALL: [Self; 13] = [
        Self::NothingNew,
        Self::Repeat,
        Self::Cycle,
        Self::IdleTurns,
        Self::RecurringError,
        Self::FutileEdits,
        Self::Failures,
        Self::Oscillation,
        Self::Paging,
        Self::Claims,
        Self::Denials,
        Self::Compaction,
        Self::Spending,
    ];

    /// Its place in that order.
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NothingNew => "nothing_new",
            Self::Repeat => "repeat",
            Self::Cycle => "cycle",
            Self::IdleTurns => "idle_turns",
            Self::RecurringError => "recurring_error",
            Self::FutileEdits => "futile_edits",
            Self::Failures => "failures",
            Self::Oscillation => "oscillation",
            Self::Paging => "paging",
            Self::Claims => "claims",
            Self::Denials => "denials",
            Self::Compaction => "compaction",
            Self::Spending => "spending",
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
    /// The reading from which that follows.
    pub threshold: u32,
    /// How sure it is, in percent.
    pub confidence: u8,
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
    /// What it rests on, the weightiest first. There is always one.
    pub evidence: Vec<CallEvidence>,
    /// What to tell the agent: what repeats, and what has not been tried.
    pub message: String,
}
