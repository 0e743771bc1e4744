//! The flags of `fleet`, and the one that other commands share with it.

use std::time::Duration;

use clap::{Args, Subcommand};
use fusebox_fleet::{Scope, Unit};
use serde::{Deserialize, Serialize};

use crate::duration;

use super::values::words;

const EXAMPLES: &str = "\
Examples:
  export FUSEBOX_FLEET=postgres://worker@db.example/fleet
  fusebox fleet init                                   prepare the database, once
  fusebox fleet budget fleet calls 5000 --per 1h       at most 5000 calls an hour, all together
  fusebox run --tasks --agent claude --test 'make test'
  fusebox fleet status
  fusebox fleet halt --reason 'the API is down'        stop this repository everywhere
  fusebox fleet resume --reason 'it is back'
  fusebox fleet pattern error_cluster --threshold 5    the same error on five tasks halts
  FUSEBOX_FLEET=file:///var/lib/fleet fusebox run …    several loops on one machine, no server

A repository's own configuration cannot name a fleet; yours can (`fleet.url`).";

/// With whom budgets, tasks and halts are shared.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
pub(crate) struct FleetFlag {
    /// Share budgets, tasks and halts: postgres://USER@HOST/DATABASE, or file:///DIR on one machine
    #[arg(
        long = "fleet",
        value_name = "URL",
        env = "FUSEBOX_FLEET",
        hide_env_values = true,
        global = true
    )]
    // It may hold a password, and what was asked for is kept in a file.
    #[serde(skip)]
    pub(crate) url: Option<String>,
}

/// `fleet`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FleetCommand {
    #[command(flatten)]
    pub(crate) flag: FleetFlag,
    #[command(subcommand)]
    pub(crate) action: FleetAction,
}

/// What to do with a fleet.
#[derive(Debug, Subcommand)]
pub(crate) enum FleetAction {
    /// Prepare a database, as a user who may create a schema in it
    Init,
    /// Migrate a database to what this release needs
    Migrate,
    /// Show budgets, halts, incidents and tasks at a glance
    Status,
    /// List the workers
    Workers,
    /// Stop whoever takes a call next (anyone may)
    Halt(Stop),
    /// Lift a halt (only a person may, with an operator's rights)
    Resume(Stop),
    /// Set a budget over a rolling window (only a person may, with an operator's rights)
    Budget(Budget),
    /// Show or set when a shared problem counts as a pattern (only a person with an operator's rights may set it)
    Pattern(Pattern),
    /// Reopen a task that was done or given up (only a person may, with an operator's rights)
    Reopen {
        /// The task id
        task: String,
    },
    /// Deliver this loop's journal; `run` does this by itself
    Deliver,
    /// Test a server with virtual workers that fail, stall and lose their connection
    Simulate(Simulate),
}

/// `fleet halt`, `fleet resume`
#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// The scope: fleet, team:NAME, repo:NAME or agent:NAME [default: this repository]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<Scope>,
    /// The reason, shown to everyone who is stopped by it
    #[arg(long, value_name = "TEXT", value_parser = words)]
    pub(crate) reason: String,
}

/// `fleet budget`
#[derive(Debug, Args)]
pub(crate) struct Budget {
    /// The scope: fleet, team:NAME, repo:NAME or agent:NAME
    pub(crate) scope: Scope,
    /// What is limited: calls, tokens or micro_usd (millionths of a dollar)
    pub(crate) unit: Unit,
    /// The maximum in one window; leave it out to remove the budget
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) most: Option<u64>,
    /// The length of the rolling window
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration::parse)]
    pub(crate) per: Duration,
}

/// `fleet pattern`
#[derive(Debug, Args)]
pub(crate) struct Pattern {
    /// The pattern [default: show all]
    pub(crate) name: Option<String>,
    /// The minimum number of tasks or workers
    #[arg(long, value_name = "N", requires = "name", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) threshold: Option<u32>,
    /// The time window
    #[arg(long, value_name = "TIME", requires = "name", value_parser = duration::parse)]
    pub(crate) within: Option<Duration>,
    /// Whether it halts the repository in which it is seen
    #[arg(long, value_name = "BOOL", requires = "name")]
    pub(crate) halts: Option<bool>,
}

/// `fleet simulate`
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// How many virtual workers
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) workers: u32,
    /// How many connections, one per virtual machine
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) machines: u32,
    /// For how long
    #[arg(long = "for", value_name = "TIME", default_value = "20s", value_parser = duration::parse)]
    pub(crate) time: Duration,
    /// How long a lease lasts
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration::parse)]
    pub(crate) lease: Duration,
    /// No kills, stalls or cut connections
    #[arg(long)]
    pub(crate) calm: bool,
    /// Use the random seed of an earlier simulation
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}
