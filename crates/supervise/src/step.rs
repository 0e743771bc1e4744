//! One run of the agent's command: what to run, and within which limits.

use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Signal;

use crate::cookie::Cookie;
use crate::output::Stream;
use crate::run_lock::TreeLock;
use crate::sandbox::Walls;

/// What the command reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepInput {
    /// Nothing: `/dev/null`. A command that waits for an answer gets an end
    /// of file instead of hanging.
    Null,
    /// This file, from its beginning.
    File(PathBuf),
}

/// The signal with which a stop begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSignal {
    /// SIGINT, as a person's Ctrl-C. Coding agents save their session on it.
    Interrupt,
    /// SIGTERM, what a program that is no terminal program expects.
    Terminate,
}

impl FirstSignal {
    pub(crate) fn signal(self) -> Signal {
        match self {
            Self::Interrupt => Signal::INT,
            Self::Terminate => Signal::TERM,
        }
    }
}

/// How long things may take, and how many may take part. Time that the machine
/// spends suspended or the step stopped does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepLimits {
    /// The whole step; `None` is no limit.
    pub overall: Option<Duration>,
    /// Without output, without using the processor and without writing files;
    /// `None` is no limit.
    pub idle: Option<Duration>,
    /// From the first request to SIGKILL: half of it after the first signal, half after
    /// SIGTERM.
    pub grace: Duration,
    /// For output that is still in the pipes when the tree is gone. Someone
    /// outside the tree may hold them open, so their end is never waited for.
    pub drain: Duration,
    /// Processes of the tree at once; `None` is no cap. What exceeds it is
    /// multiplying and is killed without being asked.
    pub processes: Option<u32>,
    /// Agents in the tree at once; `None` is no cap.
    pub agents: Option<AgentCap>,
}

/// How many agents a tree may hold: sub-agents, and loops inside the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCap {
    /// The names of their programs, such as `claude`. A script is known by its
    /// own name and not by its interpreter's.
    pub programs: Vec<String>,
    /// Processes that may run them at once, the command itself included. Some
    /// agents start through a launcher that stays and counts, too.
    pub most: u32,
}

impl Default for StepLimits {
    fn default() -> Self {
        Self {
            overall: None,
            idle: None,
            grace: Duration::from_secs(10),
            drain: Duration::from_millis(200),
            processes: Some(2000),
            agents: None,
        }
    }
}

/// What no step finds in its environment: with these it could pass for a person, or speak
/// to others in our name.
pub const WITHHELD: [&str; 3] = ["FUSEBOX_OPERATOR_KEY", "FUSEBOX_TOKEN", "FUSEBOX_WEBHOOK"];

/// One run of the agent's command.
#[derive(Clone, Debug)]
pub struct Step {
    /// The command, looked up in `PATH` unless it contains a slash.
    pub program: OsString,
    /// Its arguments, any bytes.
    pub args: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Additions to the inherited environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads.
    pub input: StepInput,
    /// How long things may take.
    pub limits: StepLimits,
    /// How a stop begins.
    pub first_signal: FirstSignal,
    /// The mark of this step's processes.
    pub cookie: Cookie,
    /// A lock that is held as long as anything of the tree may live, also
    /// beyond the supervisor's death.
    pub hold: Option<TreeLock>,
    /// What it cannot delete, write or see, where that is walled off.
    pub walls: Option<Walls>,
}

impl Step {
    /// A step with no input, default limits and SIGTERM as first signal.
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>, cookie: Cookie) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: Vec::new(),
            input: StepInput::Null,
            limits: StepLimits::default(),
            first_signal: FirstSignal::Terminate,
            cookie,
            hold: None,
            walls: None,
        }
    }
}

/// How far a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Since the start, on the step's own clock: it stands still while the step
    /// does.
    pub elapsed: Duration,
    /// Since the last output.
    pub quiet: Duration,
}

/// What an observer wants to happen next. It holds until the next tick. Times
/// are those of [`Tick::elapsed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Nothing special.
    GoOn,
    /// The agent has announced that it sleeps until then, for a rate limit say:
    /// standing idle is not held against it. The overall limit is.
    Excuse(Duration),
    /// The agent has given its final result. If it is still there at this time,
    /// end the step politely, as [`StepEnd::Lingered`](crate::StepEnd::Lingered).
    FinishAt(Duration),
    /// End the step, politely first.
    Stop,
    /// End the step at once.
    Kill,
}

/// Sees a step while it runs, on the supervisor's own thread.
///
/// An observer that blocks delays the reading of output and of signals, but it
/// cannot keep the tree alive: the keeper enforces the overall limit by itself.
pub trait StepObserver {
    /// Bytes as the command wrote them, in chunks that respect no boundary of
    /// lines or characters.
    fn output(&mut self, stream: Stream, bytes: &[u8]);

    /// Whether it has room for more output. What it has no room for stays in the command's pipes,
    /// and the command waits for it: that is no idleness of its own.
    fn takes_output(&self) -> bool {
        true
    }

    /// Called after every batch of output and at least once a second. What it
    /// answers is acted upon; once a stop is under way only
    /// [`Wish::Kill`] changes anything.
    fn tick(&mut self, tick: Tick) -> Wish {
        let _ = tick;
        Wish::GoOn
    }

    /// A signal has asked this process to end the step, which may take a while yet. At the
    /// `first` everybody is asked to go, and killed at the second.
    fn signalled(&mut self, signal: i32, first: bool) {
        let _ = (signal, first);
    }

    /// Descriptors of the observer's own that end a wait, too.
    fn callers(&self) -> Vec<BorrowedFd<'_>> {
        Vec::new()
    }

    /// One of the [`callers`](Self::callers) can be read: takes in what they say.
    fn hear_callers(&mut self) {}

    /// Answers those who were heard. What the command had written by then was
    /// handed over in between, so that whoever calls from inside the step
    /// finds heard what it caused.
    fn answer_callers(&mut self) {}
}
