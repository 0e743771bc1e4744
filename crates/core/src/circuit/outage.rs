//! Trouble outside that is sat out.

use serde::{Deserialize, Serialize};

use crate::clock::Moment;
use crate::observation::{Environment, Observation};

/// Trouble outside that is expected to last: a vendor's usage limit says when it
/// ends. Until then another iteration would be spent on nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// Which.
    pub kind: Environment,
    /// When it was met.
    pub at: Moment,
    /// How long it was expected to last from then on.
    pub wait_ms: u64,
    /// Nobody said so: it is when it will be tried again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
}

/// The longest that any such trouble is waited for: a weekly limit, and a day.
const LONGEST_OUTAGE_MS: u64 = 8 * 24 * 3_600_000;

impl Outage {
    /// What an iteration that ended `now` says about it.
    pub(crate) fn met(facts: &Observation, now: &Moment) -> Option<Self> {
        let wait = facts.retry_at_ms?.saturating_sub(now.wall_ms);
        Some(Self {
            kind: facts.environment?,
            at: *now,
            wait_ms: u64::try_from(wait).unwrap_or(0).min(LONGEST_OUTAGE_MS),
            guessed: facts.retry_is_guess,
        })
    }

    /// What is left of it.
    #[must_use]
    pub fn left_ms(&self, now: &Moment) -> u64 {
        self.wait_ms.saturating_sub(now.waited_since(&self.at))
    }
}
