//! The arguments of what opens and closes the breaker by hand: `trip`, `reset`, `recover`, `rollback`.

use clap::Args;
use fusebox_workspace::SnapshotId;

use super::values::{snapshot, words};

/// `trip`
#[derive(Debug, Args)]
pub(crate) struct Reason {
    /// The reason, for the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

/// `reset`
#[derive(Debug, Args)]
pub(crate) struct Reset {
    /// The reason, for the history
    #[arg(long, value_name = "TEXT", value_parser = words)]
    pub(crate) reason: String,
    /// What to do differently from now on; passed on to the agent
    #[arg(long, value_name = "TEXT", value_parser = words)]
    pub(crate) guidance: Option<String>,
}

/// `recover`
#[derive(Debug, Args)]
pub(crate) struct Recover {
    /// Take this strategy instead of the next one, 1 to 4
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4))]
    pub(crate) strategy: Option<u32>,
    /// What to do differently
    #[arg(long, value_name = "TEXT", value_parser = words)]
    pub(crate) note: String,
}

/// `rollback`
#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// The iteration; 0 is before the first
    #[arg(value_name = "N")]
    pub(crate) iteration: Option<u64>,
    /// A snapshot by name, as printed by an earlier rollback
    #[arg(long, value_name = "SNAPSHOT", conflicts_with = "iteration", value_parser = snapshot)]
    pub(crate) to: Option<SnapshotId>,
    /// Show what would be written and deleted, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also overwrite and delete protected files, which are otherwise left alone
    #[arg(long)]
    pub(crate) protected: bool,
}
