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
    /// Every value in force here, and where it comes from
    Show,
    /// The commented file with every key and its default
    Default,
    /// The JSON Schema of the file, for editors
    Schema,
}
