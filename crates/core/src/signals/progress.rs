//! Did the iteration gain anything?

use serde::{Deserialize, Serialize};

use crate::observation::{Ended, Observation};

/// Whether an iteration gained anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Something was seen to be gained.
    Made,
    /// Nothing was.
    None,
    /// It cannot be held against the loop: outside trouble, a person ended it, or
    /// it never began.
    Exempt,
}

impl Progress {
    /// Judges by what was measured. What the agent claims of itself is not
    /// progress; with no measured fact at all nothing was gained.
    #[must_use]
    pub fn of(observation: &Observation) -> Self {
        let files = observation.files.seen().map_or(0, |files| files.count);
        let tasks = observation.tasks_completed.seen().copied().unwrap_or(0);
        let features = observation.features_passed.seen().copied().unwrap_or(0);
        let excused = observation.environment.is_some()
            || matches!(observation.ended, Some(Ended::Interrupted | Ended::NotStarted));
        if observation.environment.is_none() && (files > 0 || tasks > 0 || features > 0) {
            Self::Made
        } else if excused {
            Self::Exempt
        } else {
            Self::None
        }
    }
}
