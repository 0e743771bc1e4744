//! The arguments of `stop`.

use clap::Args;

/// `stop`
#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// Only when its iteration has ended
    #[arg(long)]
    pub(crate) after_iteration: bool,
    /// Give up the task it works on as well
    #[arg(long)]
    pub(crate) skip_task: bool,
}
