//! The flags of `prune`.

use std::time::Duration;

use clap::Args;

use super::values::size;
use crate::duration;

/// `prune`
#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Remove anything older than this [default: as configured, 90d]
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) older_than: Option<Duration>,
    /// Keep at most this much of the log, and of the output [default: as configured, 256MB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) keep_bytes: Option<u64>,
    /// Only show what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Set aside everything that is stored about this workspace, for example one created in the
    /// wrong directory by mistake; a person must confirm it
    #[arg(long, conflicts_with_all = ["older_than", "keep_bytes", "dry_run"])]
    pub(crate) forget: bool,
}
