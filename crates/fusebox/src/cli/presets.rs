//! The flags of `presets`.

use clap::{Args, Subcommand};
use fusebox_core::policy::Preset;

const EXAMPLES: &str = "\
Examples:
  fusebox presets                      every preset, with the values at which it warns and trips
  fusebox presets diff NAME OTHER      only the differences between two of them
  fusebox presets use NAME             switch to another one here";

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
    /// Show only the differences between two presets
    Diff {
        /// The first preset
        one: Preset,
        /// The second preset
        other: Preset,
    },
    /// Switch to another preset here (only a person may, and not while the breaker is open)
    Use {
        /// The preset
        #[arg(value_name = "PRESET")]
        next: Preset,
    },
}
