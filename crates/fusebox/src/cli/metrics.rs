//! The arguments of `metrics`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  fusebox metrics
  fusebox metrics -o /var/lib/node_exporter/textfile/fusebox.prom     from cron, for its collector

The format is that of Prometheus, whether or not `--json` is given.";

/// `metrics`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Metrics {
    /// Write to this file, atomically, instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
