//! What can go wrong on the way, told apart by what to do about it.

use std::time::Duration;

use thiserror::Error;

/// A sink that this machine does not have.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{sink} not available: {why}")]
pub struct Unavailable {
    /// Which sink.
    pub sink: &'static str,
    /// What is missing.
    pub why: String,
}

/// Why one attempt to deliver did not succeed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It may succeed later, and not before `after` if the receiver said so.
    Passing {
        why: String,
        after: Option<Duration>,
    },
    /// Trying again would fail again.
    Final { why: String },
}

impl Failure {
    pub(crate) fn passing(why: impl Into<String>) -> Self {
        Self::Passing {
            why: why.into(),
            after: None,
        }
    }

    pub(crate) fn lasting(why: impl Into<String>) -> Self {
        Self::Final { why: why.into() }
    }
}
