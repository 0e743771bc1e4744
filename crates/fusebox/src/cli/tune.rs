//! The flags of `tune`.

use std::path::PathBuf;

use clap::Args;

/// `tune`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tune {
    /// Your sessions: files, or folders to look through
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The share of sessions that one signal may warn
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percent)]
    pub(crate) warn: f64,
    /// The share of sessions that one signal may stop
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) stop: f64,
}

const EXAMPLES: &str = "\
Takes your sessions for good work. A threshold that too many of them reach is proposed higher,
one that surely few will reach lower, with the share of sessions that would be warned and
stopped. Changes nothing.

Examples:
  fusebox tune ~/.claude/projects
  fusebox tune ~/.codex/sessions --stop 0.5";

/// Reads a percentage.
fn percent(text: &str) -> Result<f64, String> {
    let parsed = text
        .parse()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent));
    parsed.ok_or_else(|| format!("`{text}` is not a percentage such as 1 or 0.5"))
}
