//! Editing and validating what a workflow of sessions keeps.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

const EDIT_EXAMPLES: &str = "\
Examples:
  fusebox edit                                       a menu, on the terminal
  fusebox edit --answer C,F,\"API key set up\",X       the same beforehand, with FUSEBOX_OPERATOR_KEY
  fusebox edit --answer C,T,7,\"features are large\",X";

/// `edit`
#[derive(Debug, Args)]
#[command(after_help = EDIT_EXAMPLES)]
pub(crate) struct Edit {
    /// Answer the menus with these words, in this order, instead of asking
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    pub(crate) answer: Vec<String>,
}

const VALIDATE_EXAMPLES: &str = "\
Examples:
  fusebox validate              five checks of claude-progress.txt; exit code 0 when they ran
  fusebox validate --strict     exit code 20 unless all of them pass
  fusebox validate --json";

/// `validate`
#[derive(Debug, Args)]
#[command(after_help = VALIDATE_EXAMPLES)]
pub(crate) struct Validate {
    /// Exit with code 20 unless every check passes
    #[arg(long)]
    pub(crate) strict: bool,
}

/// What a workflow of sessions is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Mode {
    /// Implement features, session by session
    Create,
    /// Edit the state, like `fusebox edit`
    Edit,
    /// Validate the state, like `fusebox validate`
    Validate,
}
