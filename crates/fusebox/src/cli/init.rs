//! The flags of `init`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox init                 detect what is used, write fusebox.toml, ask about hooks
  fusebox init --print         only show what would be written
  fusebox init --yes           ask nothing; hooks for every agent that is installed

Nothing is overwritten: if there is already a fusebox.toml, it is left as it is, and the exit
code is 5.";

/// `init`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Init {
    /// Print the file without writing it
    #[arg(long, conflicts_with = "yes")]
    pub(crate) print: bool,
    /// Answer yes to every question
    #[arg(short, long)]
    pub(crate) yes: bool,
}
