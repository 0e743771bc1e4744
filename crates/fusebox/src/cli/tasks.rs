//! The flags of `tasks`.

use clap::{Args, Subcommand};

use super::FleetFlag;
use super::values::words;

const EXAMPLES: &str = "\
Examples:
  fusebox tasks ready                       what can be begun, what was left behind included
  id=$(fusebox tasks next --pid $$)         take the next one; it comes back if this shell dies
  fusebox tasks done \"$id\"                  close it, if the configured tests succeed
  fusebox tasks stale --json                whose workers are gone, and what shows it
  fusebox tasks settle T-7 --reason 'cut from the plan'
  fusebox run --tasks --agent claude --test 'cargo test'

Exit codes: 40 when `next` finds nothing to begin with, 5 when a task is somebody else's,
6 when the list cannot be asked.";

/// `tasks`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tasks {
    #[command(flatten)]
    pub(crate) fleet: FleetFlag,
    #[command(subcommand)]
    pub(crate) action: TasksAction,
}

/// What to do with tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum TasksAction {
    /// All of them, with how long they took and may be expected to take
    List,
    /// Those that can be begun, and those whose workers are gone
    Ready,
    /// Those whose workers are gone, and what shows it
    Stale,
    /// Take the first that can be begun, and print its id
    Next(ClaimFlags),
    /// Take this one
    Claim {
        /// Which
        id: String,
        #[command(flatten)]
        flags: ClaimFlags,
    },
    /// Say that whoever has it lives
    Heartbeat(Speaker),
    /// Give it back, to be taken by anybody
    Release {
        #[command(flatten)]
        speaker: Speaker,
        /// Why, for whoever reads the list
        #[arg(long, value_name = "TEXT", default_value = "given back", value_parser = words)]
        reason: String,
    },
    /// Give it up, until somebody reopens it
    Block {
        #[command(flatten)]
        speaker: Speaker,
        /// Why, for whoever reads the list
        #[arg(long, value_name = "TEXT", value_parser = words)]
        reason: String,
    },
    /// Close it. Takes evidence: the configured commands, or a person's word
    Done {
        #[command(flatten)]
        speaker: Speaker,
        /// What shows that it is done, in the words of a person
        #[arg(long, value_name = "TEXT", value_parser = words)]
        evidence: Option<String>,
    },
    /// Open it again: one that was given up, closed, or left behind by a worker who is gone
    Reopen {
        /// Which
        id: String,
        /// Why, for whoever reads the list
        #[arg(long, value_name = "TEXT", value_parser = words)]
        reason: String,
    },
    /// Say that tasks were meant to go: deleted, put off or closed while an agent had the list,
    /// and nothing shows that they are done. Takes a person
    Settle {
        /// Which
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Why, for the record
        #[arg(long, value_name = "TEXT", value_parser = words)]
        reason: String,
    },
    /// Add a task to the built-in list
    Add {
        /// What is to be done
        #[arg(value_parser = words)]
        title: String,
        /// What kind of work it is
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
}

/// Who takes a task.
#[derive(Debug, Args)]
pub(crate) struct ClaimFlags {
    /// The process whose life counts: when it is gone, the task comes back
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    pub(crate) pid: Option<i32>,
    /// The name to claim under [default: user@host]
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) actor: Option<String>,
}

/// Who speaks for a task.
#[derive(Debug, Args)]
pub(crate) struct Speaker {
    /// Which task
    pub(crate) id: String,
    /// The number of the claim that is spoken for, as `claim --json` told it
    #[arg(long, value_name = "N")]
    pub(crate) fence: Option<u64>,
}

impl TasksAction {
    /// Whether it says something of a task that others may be working on.
    pub(crate) fn needs_a_lease(&self) -> bool {
        match self {
            Self::Next(_)
            | Self::Claim { .. }
            | Self::Heartbeat(_)
            | Self::Release { .. }
            | Self::Block { .. }
            | Self::Done { .. } => true,
            Self::List
            | Self::Ready
            | Self::Stale
            | Self::Reopen { .. }
            | Self::Settle { .. }
            | Self::Add { .. } => false,
        }
    }
}
