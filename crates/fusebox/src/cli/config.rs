//! The arguments of `config`.

use clap::{Args, Subcommand};

/// `config`
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) action: ConfigAction,
}

/// What to show of the configuration.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print every value in effect here, and where it comes from
    Show,
    /// Print the commented file with every key and its default
    Default,
    /// Print the JSON Schema of the file, for editors
    Schema,
}
