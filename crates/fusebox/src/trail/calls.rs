//! Which tools an agent called in an iteration, and when: for people who look at it
//! afterwards, and for traces.

use serde::{Deserialize, Serialize};

/// The calls of an iteration, and whose they are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Calls {
    pub(crate) session: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) calls: Vec<Call>,
    /// Those that were too many.
    pub(crate) left_out: u64,
}

/// One call of a tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// When, counted from the beginning of the iteration.
    pub(crate) after_ms: u64,
    /// Absent where it was never answered.
    pub(crate) took_ms: Option<u64>,
    pub(crate) outcome: Option<CallEnd>,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallEnd {
    Succeeded,
    Failed,
    Denied,
}
