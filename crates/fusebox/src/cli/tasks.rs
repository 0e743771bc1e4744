//! The flags of `tasks`.

use clap::{Args, Subcommand};

use super::FleetFlag;
use super::values::words;

const EXAMPLES: &str = "\
Examples:
  fusebox tasks ready                       what is ready, including tasks left behind
  id=$(fusebox tasks next --pid $$)         take the next one; it is returned if this shell dies
  fusebox tasks done \"$id\"                  close it, if the configured tests pass
  fusebox tasks stale --json                tasks whose workers are gone, with the evidence
  fusebox tasks settle T-7 --reason 'cut from the plan'
  fusebox run --tasks --agent claude --test 'cargo test'

Exit codes: 40 when `next` finds no task that is ready, 5 when a task is somebody else's,
6 when the list cannot be read.";

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
    /// List all tasks, with how long they took and may be expected to take
    List,
    /// List the tasks that are ready, and those whose workers are gone
    Ready,
    /// List the tasks whose workers are gone, with the evidence
    Stale,
    /// Take the first task that is ready, and print its id
    Next(ClaimFlags),
    /// Take this task
    Claim {
        /// The task id
        id: String,
        #[command(flatten)]
        flags: ClaimFlags,
    },
    /// Report that the task's worker is alive
    Heartbeat(Speaker),
    /// Give the task back, for anyone to take
    Release {
        #[command(flatten)]
        speaker: Speaker,
        /// The reason, for readers of the list
        #[arg(long, value_name = "TEXT", default_value = "given back", value_parser = words)]
        reason: String,
    },
    /// Give the task up, until somebody reopens it
    Block {
        #[command(flatten)]
        speaker: Speaker,
        /// The reason, for readers of the list
        #[arg(long, value_name = "TEXT", value_parser = words)]
        reason: String,
    },
    /// Close the task. Needs evidence: the configured commands, or a person's word
    Done {
        #[command(flatten)]
        speaker: Speaker,
        /// The evidence that it is done, in a person's words
        #[arg(long, value_name = "TEXT", value_parser = words)]
        evidence: Option<String>,
    },
    /// Reopen a task that was given up, closed, or left behind by a worker that is gone
    Reopen {
        /// The task id
        id: String,
        /// The reason, for readers of the list
        #[arg(long, value_name = "TEXT", value_parser = words)]
        reason: String,
    },
    /// Confirm that tasks were meant to be deleted, deferred or closed while an agent had the list,
    /// without evidence that they are done (only a person may)
    Settle {
        /// The task ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// The reason, for the record
        #[arg(long, value_name = "TEXT", value_parser = words)]
        reason: String,
    },
    /// Add a task to the built-in list
    Add {
        /// What to do
        #[arg(value_parser = words)]
        title: String,
        /// What kind of work it is
        #[arg(long, value_name = "KIND", value_parser = words)]
        kind: Option<String>,
    },
}

/// Who takes a task.
#[derive(Debug, Args)]
pub(crate) struct ClaimFlags {
    /// The worker's process: when it is gone, the task returns to the list
    #[arg(long, value_name = "PID", value_parser = clap::value_parser!(i32).range(1..))]
    pub(crate) pid: Option<i32>,
    /// The name to claim under [default: user@host]
    #[arg(long = "as", value_name = "NAME", value_parser = words)]
    pub(crate) actor: Option<String>,
}

/// Who speaks for a task.
#[derive(Debug, Args)]
pub(crate) struct Speaker {
    /// The task id
    pub(crate) id: String,
    /// The number of the claim, as printed by `claim --json`
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
