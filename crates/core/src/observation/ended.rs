//! How the process of an iteration ended.

use serde::{Deserialize, Serialize};

/// How the agent's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// With an exit code.
    Exited(i32),
    /// By a signal.
    Signaled(i32),
    /// It reached the limit for one iteration.
    TimedOut,
    /// It stood idle for too long.
    Idle,
    /// It went round in circles, and was ended for that.
    Circling,
    /// A person or the system asked the supervisor to stop.
    Interrupted,
    /// It was never started: the command is missing or may not run.
    NotStarted,
    /// The supervisor died or the report never came.
    Unreported,
}

/// What `timeout` and its like exit with when they had to end a command.
const TIME_LIMIT: i32 = 124;

impl Ended {
    /// An exit with this code, which may be somebody's word for a time limit.
    #[must_use]
    pub fn exited(code: i32) -> Self {
        match code {
            TIME_LIMIT => Self::TimedOut,
            code => Self::Exited(code),
        }
    }

    /// Whether there is something to say of it: it did not end by itself and well, and somebody
    /// saw how.
    #[must_use]
    pub fn is_remarkable(self) -> bool {
        !matches!(self, Self::Exited(0) | Self::Unreported)
    }

    /// The same in words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Exited(code) => match signal_behind(code) {
                Some(name) => format!("the agent crashed (exit code {code}: {name})"),
                None => format!("the agent ended with exit code {code}"),
            },
            Self::Signaled(signal) => match signal_name(signal) {
                Some(name) => format!("the agent crashed (signal {signal}: {name})"),
                None => format!("the agent was ended by signal {signal}"),
            },
            Self::TimedOut => "killed: time limit".into(),
            Self::Idle => "killed: idle for too long".into(),
            Self::Circling => "ended for going round in circles".into(),
            Self::Interrupted => "interrupted".into(),
            Self::NotStarted => "the agent could not be started".into(),
            Self::Unreported => "started and never reported".into(),
        }
    }
}

/// The signals that a program does not send itself to end well. Their numbers are the same on
/// every system this runs on.
const CRASHES: [(i32, &str); 6] = [
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
];

fn signal_name(signal: i32) -> Option<&'static str> {
    let mut crashes = CRASHES.iter();
    let (_, name) = crashes.find(|(number, _)| *number == signal)?;
    Some(name)
}

/// A shell tells of a signal by an exit code of its own.
fn signal_behind(code: i32) -> Option<&'static str> {
    code.checked_sub(128).and_then(signal_name)
}
