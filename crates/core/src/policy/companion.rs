//! What a way of working shares with the tools of the system it comes from.

use crate::circuit::State;

/// Names that tools of another system know. They change what is read and what is
/// said, never what is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Companion {
    /// Their configuration file, below the root of the work tree.
    pub config: &'static str,
    /// The environment variable that sets the stagnation threshold.
    pub threshold_variable: &'static str,
    /// The environment variable that says what to do on stagnation.
    pub action_variable: &'static str,
    /// What they call it in their log when the breaker opens.
    pub open_event: &'static str,
    /// The numbers of the states.
    pub codes: StateCodes,
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
