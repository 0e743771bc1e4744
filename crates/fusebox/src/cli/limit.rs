//! The arguments of `limit`.

use clap::{Args, Subcommand};
use fusebox_core::policy::MOST_CALLS;
use fusebox_fleet::Id;

use super::FleetFlag;
use super::values::dollars;

const EXAMPLES: &str = "\
Examples:
  fusebox limit                                 what is used and what is left here
  fusebox limit take || exit                    one call, if there is one left
  grant=$(fusebox limit take --tokens 200000 --fleet postgres://worker@db/fleet)
  fusebox limit settle \"$grant\" --tokens 48210 --fleet postgres://worker@db/fleet

Exit codes: 44 when there are no calls left, 45 for tokens and money, 42 when the fleet is
halted, 6 when its coordinator cannot be reached.";

/// `limit`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Limit {
    #[command(subcommand)]
    pub(crate) action: Option<LimitAction>,
}

/// What to do with the limit.
#[derive(Debug, Subcommand)]
pub(crate) enum LimitAction {
    /// Show what is used and what is left
    Status,
    /// Take calls without starting an iteration; exit code 44 when none are left
    Take(Take),
    /// Report how much was used of what was taken from a fleet
    Settle(Settle),
}

/// `limit take`
#[derive(Debug, Args)]
pub(crate) struct Take {
    /// The number of calls
    #[arg(value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CALLS)))]
    pub(crate) calls: u32,
    /// Reserve this many tokens of the fleet's budgets
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) tokens: u64,
    /// Reserve this many US dollars of the fleet's budgets
    #[arg(long, value_name = "AMOUNT", default_value = "0", value_parser = dollars_or_none)]
    pub(crate) usd: u64,
    #[command(flatten)]
    pub(crate) fleet: FleetFlag,
}

/// `limit settle`
#[derive(Debug, Args)]
pub(crate) struct Settle {
    /// What `take` printed
    #[arg(value_parser = grant)]
    pub(crate) grant: Id,
    /// The tokens that were used [default: all that were reserved]
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<u64>,
    /// The US dollars that were used [default: all that were reserved]
    #[arg(long, value_name = "AMOUNT", value_parser = dollars_or_none)]
    pub(crate) usd: Option<u64>,
    #[command(flatten)]
    pub(crate) fleet: FleetFlag,
}

fn dollars_or_none(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { dollars(text) }
}

fn grant(text: &str) -> Result<Id, String> {
    text.parse()
        .map_err(|()| "a grant is what `fusebox limit take --fleet …` printed".to_owned())
}
