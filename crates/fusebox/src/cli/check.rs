//! The flags of `check`.

use clap::Args;
use serde::Deserialize;

use super::values::words;

/// `check`, on the command line and in the protocols
#[derive(Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Check {
    /// Only look: use up no call, start no probe
    #[arg(long)]
    pub(crate) peek: bool,
    /// Measure the work tree now, for `record --from-git` to compare with
    #[arg(long, conflicts_with = "peek")]
    pub(crate) from_git: bool,
    /// The task about to be worked on; no new one is started when calls or budgets run short
    #[arg(long, value_name = "NAME", env = "FUSEBOX_TASK", value_parser = words)]
    pub(crate) task: Option<String>,
}
