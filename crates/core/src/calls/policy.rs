//! The numbers that call-level detection works with.

use serde::{Deserialize, Serialize};

use super::verdict::Level;

/// When a session is taken for a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPolicy {
    /// The gravest thing that may follow; `None` switches all of it off.
    pub highest: Option<Level>,
    /// Known outcomes in a row from which the agent is told.
    pub steer: u32,
    /// From which calls are not carried out.
    pub block: u32,
    /// From which the iteration ends.
    pub trip: u32,
}

impl CallPolicy {
    /// The numbers that came out of real sessions.
    #[must_use]
    pub fn native() -> Self {
        Self {
            highest: Some(Level::Trip),
            steer: 4,
            block: 6,
            trip: 8,
        }
    }

    /// Nothing is looked at.
    #[must_use]
    pub fn off() -> Self {
        Self {
            highest: None,
            ..Self::native()
        }
    }
}
