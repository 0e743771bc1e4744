//! The arguments of `limit`.

use clap::{Args, Subcommand};
use fusebox_core::policy::MOST_CALLS;

/// `limit`
#[derive(Debug, Args)]
pub(crate) struct Limit {
    #[command(subcommand)]
    pub(crate) action: Option<LimitAction>,
}

/// What to do with the limit.
#[derive(Debug, Subcommand)]
pub(crate) enum LimitAction {
    /// What is used and left
    Status,
    /// Take calls without starting an iteration; exit code 44 when none are left
    Take {
        /// How many
        #[arg(value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CALLS)))]
        calls: u32,
    },
}
