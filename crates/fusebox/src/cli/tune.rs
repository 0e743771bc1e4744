//! The flags of `tune`.

use std::path::PathBuf;

use clap::Args;

/// `tune`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tune {
    /// Your session files, or folders to search for them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The share of sessions that one signal may warn in
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percent)]
    pub(crate) warn: f64,
    /// The share of sessions that one signal may stop
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) stop: f64,
}

const EXAMPLES: &str = "\
Assumes that your sessions are good work. Proposes a higher threshold where too many of them
reach it, and a lower one where it is certain that few will, with the share of sessions that
would be warned and stopped. Changes nothing.

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
