//! What a way of working shares with the tools of the system it comes from.

use crate::circuit::State;

/// Names that tools of another system know. They change what is read and what is
/// said, never what is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Companion {
    /// Their configuration file, below the root of the work tree.
    pub config: &'static str,
    /// What they call it in their log when the breaker opens.
    pub open_event: &'static str,
    /// The numbers of the states.
    pub codes: StateCodes,
}

/// A variable of the environment that the tools of another system read, and what it sets.
pub type Variable = (&'static str, VariableMeaning);

/// What such a variable sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableMeaning {
    /// The stagnation threshold.
    Threshold,
    /// What to do on stagnation.
    Action,
    /// Iterations in a row without progress.
    NoProgress,
    /// Iterations in a row with the same error.
    SameError,
    /// The fall of output, in percent.
    OutputDecline,
    /// The most calls in an hour.
    CallsPerHour,
    /// The wait before a probe, in seconds.
    CooldownSeconds,
    /// The longest that an iteration may take, in seconds.
    IterationSeconds,
    /// When a task is stale, in seconds; 0 is never.
    StaleSeconds,
}

/// A directory below the root of the work tree that a variable puts elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MovedDirectory {
    /// Where it is otherwise.
    pub usual: &'static str,
    /// The variable that names another place.
    pub variable: &'static str,
}

/// States as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateCodes {
    /// Normal operation.
    pub closed: u8,
    /// Halted.
    pub open: u8,
    /// The single trial.
    pub half_open: u8,
}

impl StateCodes {
    /// The number of a state.
    #[must_use]
    pub fn of(self, state: State) -> u8 {
        match state {
            State::Closed | State::Watching | State::Complete => self.closed,
            State::Open => self.open,
            State::Probing => self.half_open,
        }
    }
}
