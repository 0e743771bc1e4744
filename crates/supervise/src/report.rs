//! What became of a step.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::output::OutputStats;
use crate::start_failure::StartFailure;

/// How the command itself ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaderEnd {
    /// It returned this exit code.
    Exited(i32),
    /// This signal ended it.
    Signaled(i32),
}

/// Which limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The step took too long in total.
    Overall,
    /// The step was silent, used no processor time and wrote nothing for too
    /// long.
    Idle,
}

/// Of what there were too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// Processes of any kind.
    Processes,
    /// Processes that run one of the programs of
    /// [`AgentCap`](crate::AgentCap).
    Agents,
}

/// Who asked for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// The supervisor received this signal.
    Signal(i32),
    /// The [`StepObserver`](crate::StepObserver) wished it.
    Observer,
}

/// Why a step is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// The command ended by itself with this exit code.
    Exited(i32),
    /// A signal that was not ours ended the command.
    Signaled(i32),
    /// A limit was exceeded and the tree was taken down.
    TimedOut(Limit),
    /// The tree had grown beyond a cap and was taken down.
    TooMany {
        /// Of what.
        of: Crowd,
        /// How many there were.
        count: u32,
        /// How many there may be.
        cap: u32,
    },
    /// The command had given its final result, but was still there at the time
    /// set by [`Wish::FinishAt`](crate::Wish::FinishAt), and the tree was taken
    /// down. The result stands.
    Lingered,
    /// Someone asked for the end and the tree was taken down.
    Stopped {
        /// Who asked.
        by: StopCause,
    },
    /// The command never ran.
    NotStarted(StartFailure),
    /// The keeper died or stopped answering, which only a deliberate signal
    /// brings about. The supervisor took the tree down in its place; how the
    /// command ended is unknown.
    KeeperLost,
}

/// A process of the step that could not be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// Its process id.
    pub pid: i32,
    /// Its start time in clock ticks since boot, so that nobody mistakes a
    /// later process with the same number for it.
    pub start: u64,
    /// Its short name, control characters replaced.
    pub name: String,
}

/// The account of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepReport {
    /// Why it is over.
    pub end: StepEnd,
    /// How the command itself ended, also when it was made to; `None` if it
    /// never ran or nobody saw it end.
    pub leader: Option<LeaderEnd>,
    /// From the start until the tree was gone, without the time in which it was
    /// suspended.
    pub duration: Duration,
    /// How long supervisor and tree stood still together, after a Ctrl-Z for
    /// example; exact to about a second.
    pub suspended: Duration,
    /// Processor time of the whole tree, as far as it was waited for. After a
    /// lost keeper it is what was last seen.
    pub cpu: Duration,
    /// What it wrote.
    pub output: OutputStats,
    /// There was an idle limit, but the system does not tell what processes
    /// write to files, so that only output and processor time counted.
    pub writes_unseen: bool,
    /// Processes that were still there when the command had ended by itself.
    pub stragglers: u32,
    /// Processes that had to be ended with SIGKILL.
    pub killed: u32,
    /// Processes that not even SIGKILL ended in time: another user's, or stuck
    /// inside the kernel.
    pub escaped: Vec<Survivor>,
}

/// Why a step could not be supervised. No part of its tree is left running by
/// any of these: the keeper ends it when the supervisor lets go.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// A pipe, a socket or the process table could not be had.
    #[error("cannot prepare the step: {0}")]
    Prepare(#[source] io::Error),
    /// The keeper could not be started.
    #[error("cannot start the keeper from {exe}: {source}")]
    Keeper {
        /// The executable that was meant to be the keeper.
        exe: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The keeper ran, but could not do its work.
    #[error("the keeper gave up: {0}")]
    KeeperFailed(String),
    /// Waiting for output failed.
    #[error("cannot watch the step: {0}")]
    Watch(#[source] io::Error),
}
