//! The arguments of `stop`.

use clap::Args;

/// `stop`
#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// Only after the current iteration
    #[arg(long)]
    pub(crate) after_iteration: bool,
    /// Also give up the current task
    #[arg(long)]
    pub(crate) skip_task: bool,
}
