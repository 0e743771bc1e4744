//! What a crash left behind and the store can put right on its own, and what it cannot
//! but can do without.

use std::fmt;

/// One thing that was, or at the next update will be, put right.
///
/// None of these loses a record that was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The process died while creating the store.
    CreationFinished,
    /// The process died after storing records and before noting the state.
    LogAhead {
        /// How many records the newest slot did not know.
        records: u64,
    },
    /// The process died between slot and head, or the head's last writes were
    /// lost in a power cut.
    HeadBehind {
        /// How many records the head did not know.
        records: u64,
    },
    /// A record was being written when the process or the machine stopped; it
    /// was never acknowledged and is cut off.
    TornTail {
        /// How many bytes are cut.
        bytes: u64,
    },
    /// The power cut tore both slots, so the state was folded from the start.
    Rebuilt {
        /// How many records were folded.
        records: u64,
    },
    /// The power cut tore the head.
    HeadRewritten,
    /// The log is long enough to be sealed, and something is in the way. It goes on as it
    /// is, and every further update tries again.
    NotSealed {
        /// What is in the way.
        why: String,
    },
}

impl Repair {
    /// Whether a person should hear of it. A process that died between two
    /// writes is routine; data that had to be cut or rebuilt is not, nor is a log
    /// that only a person can keep from growing.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        match self {
            Self::CreationFinished | Self::LogAhead { .. } | Self::HeadBehind { .. } => false,
            Self::TornTail { .. }
            | Self::Rebuilt { .. }
            | Self::HeadRewritten
            | Self::NotSealed { .. } => true,
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreationFinished => {
                formatter.write_str("the unfinished creation of the store is completed")
            }
            Self::LogAhead { records } => write!(
                formatter,
                "the state slot is {records} records behind the log"
            ),
            Self::HeadBehind { records } => {
                write!(formatter, "the head is {records} records behind the log")
            }
            Self::TornTail { bytes } => write!(
                formatter,
                "an unfinished record of {bytes} bytes, never acknowledged, is cut off the log"
            ),
            Self::Rebuilt { records } => {
                write!(formatter, "the state is rebuilt from {records} records")
            }
            Self::HeadRewritten => {
                formatter.write_str("the head was torn by a power cut and is rewritten")
            }
            Self::NotSealed { why } => write!(
                formatter,
                "the log cannot be sealed and goes on growing: {why}"
            ),
        }
    }
}
