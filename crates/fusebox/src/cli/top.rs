//! The arguments of `top`.

use clap::Args;

use super::FleetFlag;

const EXAMPLES: &str = "\
Examples:
  fusebox top                    all loops on this machine
  fusebox top --color never      by shape alone
  fusebox top --fleet postgres://watcher@db.example/fleet     and the workers of a fleet

Keys: up and down select, enter opens, d shows what an iteration changed, p pauses, c resumes,
t trips, r resets (after asking), s skips the task, a answers a waiting menu, x stops, f shows the
fleet, q quits.";

/// `top`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Top {
    #[command(flatten)]
    pub(crate) fleet: FleetFlag,
    /// The process that puts the terminal back, if this is the one that draws
    #[arg(long, value_name = "PID", hide = true)]
    pub(crate) guardian: Option<i32>,
}
