//! The flags of `doctor`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox doctor                what works, what does not, and what to do about it
  fusebox doctor --fix          release tasks and end processes of workers that are gone
  fusebox doctor --json

Exit codes: 0 when nothing is broken, 3 for the configuration, 4 for the state, 6 for something missing.";

/// `doctor`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Fix what is safe to fix: tasks and processes left by workers that are gone
    #[arg(long)]
    pub(crate) fix: bool,
}
