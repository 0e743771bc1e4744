//! The flags of `init`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox init                 look around, write fusebox.toml, ask about hooks
  fusebox init --print         only show what would be written
  fusebox init --yes           ask nothing; hooks for every agent that is installed

Nothing that is there already is overwritten: where there is a fusebox.toml, it stays, and the exit
code is 5.";

/// `init`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Init {
    /// Write nothing; print the file
    #[arg(long, conflicts_with = "yes")]
    pub(crate) print: bool,
    /// Say yes to every question
    #[arg(short, long)]
    pub(crate) yes: bool,
}
