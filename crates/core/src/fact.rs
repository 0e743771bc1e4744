//! What is known, and by whom.

use serde::{Deserialize, Serialize};

/// A value with its provenance.
///
/// `Unknown` is not zero: an absent fact neither counts against a loop nor
/// excuses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact<T> {
    /// Nobody said, or the measurement failed.
    #[default]
    Unknown,
    /// The agent says so of itself.
    Claimed(T),
    /// Seen from outside the agent.
    Measured(T),
}

impl<T> Fact<T> {
    /// Wraps what was seen from outside, if it was seen.
    pub fn measured(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, Self::Measured)
    }

    /// The value, if it was seen from outside.
    pub fn seen(&self) -> Option<&T> {
        match self {
            Self::Measured(value) => Some(value),
            Self::Unknown | Self::Claimed(_) => None,
        }
    }

    /// Whether nobody said.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}
