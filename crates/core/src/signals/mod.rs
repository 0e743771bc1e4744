//! What points to a loop that has stopped moving. One file for each signal.
//!
//! A signal has two halves: how its counter moves with a tick, and how the
//! counter reads against its threshold. Neither half decides; the
//! [`machine`](crate::machine) does.

mod no_progress;
mod progress;
mod repeated_error;

use serde::{Deserialize, Serialize};

pub use progress::Progress;
pub use repeated_error::ErrorStreaks;

use crate::circuit::Row;
use crate::decision::{Evidence, Reading};
use crate::observation::Observation;
use crate::policy::{Policy, Threshold};

/// The signals this engine knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Iterations in a row in which nothing was gained.
    NoProgress,
    /// Iterations in a row that ran into the same error.
    RepeatedError,
}

impl Signal {
    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoProgress => "no_progress",
            Self::RepeatedError => "repeated_error",
        }
    }

    /// What it says of `value`, in one sentence.
    #[must_use]
    pub fn sentence(self, value: u32) -> String {
        match self {
            Self::NoProgress => no_progress::sentence(value),
            Self::RepeatedError => repeated_error::sentence(value),
        }
    }
}

/// How bad a reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to say.
    Quiet,
    /// Worth a warning.
    Warn,
    /// Enough to stop.
    Trip,
}

/// The counters behind the signals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Iterations in a row without progress.
    pub no_progress: u32,
    /// Errors seen in the last iterations, with how often in a row.
    pub errors: ErrorStreaks,
}

impl Counters {
    /// The counters after one more tick.
    #[must_use]
    pub fn after(&self, observation: &Observation) -> Self {
        Self {
            no_progress: no_progress::count(self.no_progress, Progress::of(observation)),
            errors: self.errors.after(observation),
        }
    }

    /// What each signal reads, given the rows of the last iterations.
    #[must_use]
    pub fn read(&self, policy: &Policy, rows: &[Row]) -> Vec<Reading> {
        vec![
            no_progress::read(self.no_progress, &policy.no_progress, rows),
            repeated_error::read(&self.errors, &policy.repeated_error, rows),
        ]
    }
}

/// A reading of a plain counter.
fn reading(
    signal: Signal,
    value: u32,
    threshold: &Threshold,
    evidence: impl FnOnce() -> Vec<Evidence>,
) -> Reading {
    let level = if value >= threshold.trip_at {
        Level::Trip
    } else if threshold.warn_at.is_some_and(|at| value >= at) {
        Level::Warn
    } else {
        Level::Quiet
    };
    Reading {
        signal,
        value,
        threshold: threshold.trip_at,
        level,
        rule: threshold.rule.clone(),
        evidence: if level > Level::Quiet {
            evidence()
        } else {
            Vec::new()
        },
    }
}
