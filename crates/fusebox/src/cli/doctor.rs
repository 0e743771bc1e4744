//! The flags of `doctor`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox doctor                what is well, what is not, and what to do about it
  fusebox doctor --fix          bring back tasks, and end processes, of workers that are gone
  fusebox doctor --json

Exit codes: 0 when nothing is broken, 3 for the configuration, 4 for the memory, 6 for something missing.";

/// `doctor`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Put right what can be put right safely: tasks and processes of workers that are gone
    #[arg(long)]
    pub(crate) fix: bool,
}
