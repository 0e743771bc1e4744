//! The flags of `presets`.

use clap::{Args, Subcommand};
use fusebox_core::policy::Preset;

const EXAMPLES: &str = "\
Examples:
  fusebox presets                      every way of working, with what it warns and trips at
  fusebox presets diff NAME OTHER      only what differs between two of them
  fusebox presets use NAME             go on with another one here";

/// `presets`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Presets {
    #[command(subcommand)]
    pub(crate) action: Option<PresetsAction>,
}

/// What to show of the presets.
#[derive(Debug, Subcommand)]
pub(crate) enum PresetsAction {
    /// Only what differs between two of them
    Diff {
        /// The one
        one: Preset,
        /// The other
        other: Preset,
    },
    /// Go on with another one here. Only a person may, and not while the breaker is open
    Use {
        /// Which
        #[arg(value_name = "PRESET")]
        next: Preset,
    },
}
