//! The arguments of `top`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox top                    all loops of this machine
  fusebox top --color never      by shape alone

Keys: up and down select, enter looks closer, d shows what an iteration changed, p pauses, c goes
on, t trips, r resets (and asks), s skips the task, a answers a menu that waits, x ends, q leaves.";

/// `top`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Top {
    /// The process that puts the terminal back, if this is the one that draws
    #[arg(long, value_name = "PID", hide = true)]
    pub(crate) guardian: Option<i32>,
}
