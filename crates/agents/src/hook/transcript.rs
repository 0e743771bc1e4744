//! What an agent writes down of a session, held against what its hooks were told.
//!
//! A hook can be switched off, overruled or not be called for reasons of the agent's own, and
//! then nobody asks. What the agent did all the same stands in its transcript.

/// A trace of a tool in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// A tool that can change files was called.
    Called {
        /// What its result refers to.
        id: String,
    },
    /// A call was answered, and not with a failure. Calls that an agent itself refuses are
    /// never shown to hooks.
    Ran {
        /// What its call was called.
        id: String,
    },
}

/// Reads the traces of one line.
pub type ReadTraces = fn(line: &str, traces: &mut Vec<Trace>);
