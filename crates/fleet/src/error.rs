//! What can be wrong with a fleet.

use std::path::PathBuf;
use std::time::SystemTime;

/// Why something shared could not be done.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The address makes no sense, or asks for what there is not.
    #[error("the fleet's address {0}")]
    Address(String),
    /// Nobody answers. Nothing new is granted, claimed or released meanwhile.
    #[error("no coordinator since {}: {why}", clock_words(*.since))]
    Unreachable {
        /// Since when.
        since: SystemTime,
        /// What the last attempt ended with.
        why: String,
    },
    /// The coordinator answers, and says no to this caller.
    #[error("the coordinator does not allow this: {0}")]
    NotAllowed(String),
    /// The database is not prepared, or prepared for another release.
    #[error("{0}")]
    Schema(String),
    /// The coordinator could not do it.
    #[error("the coordinator could not do this: {0}")]
    Failed(String),
    /// The coordinator's clock ran ahead of this machine's; what it grants may be too early.
    #[error(
        "the coordinator's clock has jumped ahead by {ahead_s} s; nothing is granted until this machine's clock has caught up"
    )]
    ClockJumped {
        /// How far, in seconds.
        ahead_s: u64,
    },
    /// The directory of a fleet on one machine cannot be used.
    #[error("{}: {source}", path.display())]
    Directory {
        /// Which file or directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no fleet in this directory.
    #[error("there is no fleet in {}", path.display())]
    NotFounded {
        /// The directory.
        path: PathBuf,
    },
    /// The state of a fleet on one machine is not what it was when we last saw it.
    #[error("the fleet's state {} {why}", path.display())]
    Forgotten {
        /// The state.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl FleetError {
    /// Whether trying again later may help.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::ClockJumped { .. })
    }
}

/// A time of day in UTC, which is all that is needed to know since when.
fn clock_words(at: SystemTime) -> String {
    let since_1970 = at
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let of_day = since_1970.as_secs() % 86_400;
    format!(
        "{:02}:{:02}:{:02} UTC",
        of_day / 3_600,
        of_day / 60 % 60,
        of_day % 60
    )
}
