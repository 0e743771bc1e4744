//! The flags of `prune`.

use std::time::Duration;

use clap::Args;

use super::values::size;
use crate::duration;

/// `prune`
#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Remove what is older [default: as configured, 90d]
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) older_than: Option<Duration>,
    /// Keep no more than this of the log, and of the output [default: as configured, 256MB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) keep_bytes: Option<u64>,
    /// Only say what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Put everything aside that is kept about this workspace, such as one that was begun in the
    /// wrong directory; a person must confirm it
    #[arg(long, conflicts_with_all = ["older_than", "keep_bytes", "dry_run"])]
    pub(crate) forget: bool,
}
