//! The flags of `history`.

use clap::{Args, ValueEnum};
use serde::Deserialize;

/// `history`
#[derive(Debug, Args)]
pub(crate) struct History {
    /// How many lines, the latest
    #[arg(short = 'n', long = "last", value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
    /// Only lines about this task
    #[arg(long, value_name = "NAME")]
    pub(crate) task: Option<String>,
    /// Only lines of this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<HistoryKind>,
    /// Only lines whose task, reason or error contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Instead: how work on each kind of task goes, the most troubled kind first
    #[arg(long, conflicts_with_all = ["last", "task", "kind", "search"])]
    pub(crate) patterns: bool,
    /// Instead: triggers, failures, thresholds and time to resolution over all of it
    #[arg(long, conflicts_with_all = ["task", "kind", "search"])]
    pub(crate) metrics: bool,
}

/// The kinds of lines in the history.
#[derive(Clone, Copy, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HistoryKind {
    Granted,
    Reported,
    Tripped,
    Reset,
    Taken,
}
