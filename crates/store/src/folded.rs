//! The one way a state may come about.

use crate::Record;

/// A state that changes by folding records and in no other way.
///
/// The store never sees inside it. Because every state ever handed out was
/// folded from the log, replaying the log gives the same state by
/// construction, and a lost slot costs time rather than memory.
///
/// `fold` must be deterministic: it may look at the record and at itself, not
/// at clocks, files or the environment.
pub trait Folded: Sized {
    /// The state before the first record.
    fn genesis() -> Self;

    /// Takes one more record into account.
    ///
    /// # Errors
    /// When the record is of a version this build does not know, or makes no
    /// sense.
    fn fold(&mut self, record: &Record<'_>) -> Result<(), FoldError>;

    /// The state as bytes for a slot, at most [`crate::MAX_STATE`] of them.
    fn encode(&self) -> Vec<u8>;

    /// The state that [`Folded::encode`] gave these bytes for.
    ///
    /// # Errors
    /// When the bytes are of a version this build does not know, or are none
    /// that `encode` would have produced.
    fn decode(bytes: &[u8]) -> Result<Self, FoldError>;
}

/// Why a record or a state was refused by its owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// Written by a later release. Nothing is wrong with the bytes.
    #[error("{what} has version {version}, and this build knows up to {known}")]
    Newer {
        /// What carries the version, such as a record kind.
        what: String,
        /// The version met.
        version: u16,
        /// The latest version this build knows.
        known: u16,
    },
    /// No release would have written this.
    #[error("{0}")]
    Invalid(String),
}
