//! The arguments of `notify`.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  fusebox notify test                sends one to every target: desktop, terminal, webhook, command
  fusebox notify test --json         the result for each

Where notifications go is set in the user's config.toml under [notifications]; `fusebox config show`
shows what is in effect.";

/// `notify`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Notify {
    #[command(subcommand)]
    pub(crate) action: NotifyAction,
}

/// What to do.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum NotifyAction {
    /// Send a notification to every configured target, and show the results
    Test,
}
