//! The options that every command takes.

use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args, ValueEnum};
use fusebox_core::policy::Preset;

use crate::speech::Manner;

/// The circuit, where no other is named.
pub(crate) const DEFAULT_CIRCUIT: &str = "default";
/// The variables that say which memory is meant; a supervisor sets them for what it starts.
pub(crate) const CIRCUIT: &str = "FUSEBOX_CIRCUIT";
pub(crate) const STATE_DIR: &str = "FUSEBOX_STATE_DIR";
pub(crate) const CONFIG: &str = "FUSEBOX_CONFIG";
const PRESET: &str = "FUSEBOX_PRESET";
const JSON: &str = "FUSEBOX_JSON";
const COLOR: &str = "FUSEBOX_COLOR";
const QUIET: &str = "FUSEBOX_QUIET";
const VERBOSE: &str = "FUSEBOX_VERBOSE";

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Global {
    /// Act as if started in DIR
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// The circuit to use; each has its own state
    #[arg(
        long,
        value_name = "NAME",
        default_value = DEFAULT_CIRCUIT,
        env = CIRCUIT,
        global = true
    )]
    pub(crate) circuit: String,
    /// The preset: native, cub, prp, liza, bmad or superkit [default: native]
    #[arg(long, value_name = "PRESET", env = PRESET, global = true)]
    pub(crate) preset: Option<Preset>,
    /// Where to keep state [default: $XDG_STATE_HOME/fusebox]
    #[arg(long, value_name = "DIR", env = STATE_DIR, global = true)]
    pub(crate) state_dir: Option<PathBuf>,
    /// The user's configuration file [default: $XDG_CONFIG_HOME/fusebox/config.toml]
    #[arg(long, value_name = "FILE", env = CONFIG, global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Print data as JSON
    #[arg(long, env = JSON, global = true)]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        env = COLOR,
        global = true
    )]
    pub(crate) color: ColorWhen,
    /// Print only the requested data, and errors
    #[arg(short, long, env = QUIET, global = true)]
    pub(crate) quiet: bool,
    /// Also print workspace, state directory, configuration, signals and exit code
    #[arg(short, long, env = VERBOSE, global = true)]
    pub(crate) verbose: bool,
    /// Whether nothing counts that variables of the environment say.
    #[arg(skip)]
    pub(crate) deaf: bool,
}

impl Global {
    /// What nobody gave any option to, with a work tree and a memory of its own below `top`.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn alone(top: &std::path::Path) -> Self {
        let work = top.join("work");
        std::fs::create_dir_all(&work).expect("a work tree");
        Self {
            directory: Some(work),
            circuit: DEFAULT_CIRCUIT.into(),
            preset: None,
            state_dir: Some(top.join("state")),
            config: None,
            json: false,
            color: ColorWhen::Auto,
            quiet: true,
            verbose: false,
            deaf: false,
        }
    }

    /// The same, as if started in `directory`.
    pub(crate) fn in_directory(&self, directory: PathBuf) -> Self {
        Self {
            directory: Some(directory),
            ..self.clone()
        }
    }

    /// How whoever called wants to be spoken to.
    pub(crate) fn manner(&self) -> Manner {
        Manner {
            colors: match self.color {
                ColorWhen::Auto => ColorChoice::Auto,
                ColorWhen::Always => ColorChoice::Always,
                ColorWhen::Never => ColorChoice::Never,
            },
            json: self.json,
            quiet: self.quiet,
            verbose: self.verbose,
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}
