//! The arguments of `report`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::moment;

const EXAMPLES: &str = "\
Examples:
  fusebox report                                    the last run, as Markdown
  fusebox report incident -o incident.html          the last trip, as a single file for any browser
  fusebox report day 2026-01-31 --format html > day.html
  fusebox report --json | jq .sums";

/// `report`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Report {
    #[command(subcommand)]
    pub(crate) scope: Option<ReportScope>,
    /// Markdown, a self-contained HTML file, or JSON as with --json [default: by the extension of FILE, else md]
    #[arg(long, value_name = "FORMAT", global = true)]
    pub(crate) format: Option<ReportFormat>,
    /// Write to this file instead of to standard output
    #[arg(short, long, value_name = "FILE", global = true)]
    pub(crate) output: Option<PathBuf>,
}

/// What to report on.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ReportScope {
    /// The last run, or the whole history if there was none
    Run,
    /// A day in UTC, or the last 24 hours
    Day {
        /// The day, such as 2026-01-31
        #[arg(value_name = "DATE", value_parser = day)]
        day: Option<i64>,
    },
    /// The last time the breaker opened: what led to it, and what followed
    Incident,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Md,
    Html,
    Json,
}

/// When a day begins, in milliseconds.
fn day(text: &str) -> Result<i64, String> {
    moment::parse(&format!("{text}T00:00:00Z"))
        .ok_or_else(|| format!("`{text}` is not a day such as 2026-01-31"))
}
