//! The arguments of `notify`.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  fusebox notify test                sends one everywhere: desktop, terminal, webhook, command
  fusebox notify test --json         what became of each

Where notifications go is set in the user's config.toml under [notifications]; `fusebox config show`
says what is in force.";

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
    /// Send one to everywhere that is configured, and say what became of it
    Test,
}
