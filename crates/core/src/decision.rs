//! A decision and the proof it carries.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::alerts::Alert;
use crate::budget::{BudgetLeft, Resource};
use crate::circuit::{GrantId, Release, State};
use crate::journal::PauseFor;
use crate::limiter::CallsLeft;
use crate::observation::Environment;
use crate::policy::RuleId;
use crate::signals::{Level, Signal};

/// The answer to "may the next step run?", with everything it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The state the circuit is in.
    pub state: State,
    /// Whether the next step may run.
    pub gate: Gate,
    /// Why, in one sentence.
    pub reason: String,
    /// The written rule that decided, where one did.
    pub rule: Option<RuleId>,
    /// What each signal read at the last tick.
    pub readings: Vec<Reading>,
    /// What is worth an alert beside the state.
    pub alerts: Vec<Alert>,
    /// How close to a trip the loop is.
    pub risk: Risk,
    /// The state of the rolling limit.
    pub calls: CallsLeft,
    /// The state of each budget there is.
    pub budgets: Vec<(Resource, BudgetLeft)>,
    /// The grant that was given, if one was.
    pub grant: Option<GrantId>,
    /// The changes of state this decision brought about, in order.
    pub transitions: Vec<Transition>,
}

/// Whether the next step may run. Separate from the state: an advisory breaker
/// may be open and still allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Go on.
    Allow,
    /// One step may run, as a probe.
    AllowOnce,
    /// Stop.
    Deny(Denial),
}

/// Why a step may not run, and what would change that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// What stands in the way.
    pub by: DeniedBy,
    /// The wall-clock time, in milliseconds, from which asking again makes
    /// sense; `None` where no clock will help.
    pub retry_at_ms: Option<i64>,
}

/// What stands in the way of the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeniedBy {
    /// The breaker is open.
    Open {
        /// Who or what may close it.
        release: Release,
    },
    /// A probe is under way, and there is only ever one.
    ProbeUnderWay,
    /// The rolling limit is used up.
    CallLimit,
    /// Nothing is left to do.
    Complete,
    /// So few calls are left that none is spent on a probe or a new task.
    CallsScarce,
    /// A budget is used up.
    Budget(Resource),
    /// Trouble outside that is expected to last a while yet.
    Outage(Environment),
    /// So little of a budget is left that none is spent on a probe or a new task.
    BudgetScarce(Resource),
    /// The iterations are those of a run that rests.
    RunPaused(PauseFor),
}

/// What one signal read at one tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Which signal.
    pub signal: Signal,
    /// What it counted.
    pub value: u32,
    /// From which count it trips or, if it never does, warns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// How bad that is.
    pub level: Level,
    /// The written rule behind it.
    pub rule: RuleId,
    /// How many of the iterations it counted nobody ever reported.
    #[serde(default, skip_serializing_if = "none")]
    pub unreported: u32,
    /// The iterations it was counted from, when there is something to show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn none(count: &u32) -> bool {
    *count == 0
}

impl Reading {
    /// What it says, in one sentence; `task` is what was worked on, as far as that was said.
    #[must_use]
    pub fn sentence_on(&self, task: Option<&str>) -> String {
        let said = self.signal.sentence_on(self.value, task);
        match self.unreported {
            0 => said,
            silent if silent == self.value => format!("{said}: none of them was ever reported"),
            1 => format!("{said}: 1 of them was never reported"),
            silent => format!("{said}: {silent} of them were never reported"),
        }
    }
}

/// One row of evidence: a place and what was found there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// What was found.
    pub found: String,
}

/// Where something was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In an iteration of the loop.
    Iteration(u64),
    /// In a task, of which somebody reported an anomaly.
    Task(String),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iteration(number) => write!(out, "iteration {number}"),
            Self::Task(task) => write!(out, "task {task}"),
        }
    }
}

/// How close to a trip the loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Risk {
    /// No problems detected.
    Low,
    /// Two more bad iterations would trip.
    Medium,
    /// One more would, or it has tripped.
    High,
}

impl Risk {
    /// The risk that follows from what the signals read.
    #[must_use]
    pub fn of(state: State, readings: &[Reading]) -> Self {
        let nearest = readings
            .iter()
            .map(Self::of_reading)
            .max()
            .unwrap_or(Self::Low);
        match state {
            State::Open | State::Probing => Self::High,
            State::Watching => nearest.max(Self::Medium),
            State::Closed | State::Complete => nearest,
        }
    }

    fn of_reading(reading: &Reading) -> Self {
        if reading.level == Level::Trip {
            return Self::High;
        }
        // Only counts that grow by one are "so many iterations away".
        match reading
            .threshold
            .map(|threshold| threshold.saturating_sub(reading.value))
        {
            _ if !reading.signal.counts_iterations() => Self::of_level(reading.level),
            _ if reading.value == 0 => Self::Low,
            Some(0 | 1) => Self::High,
            Some(2) => Self::Medium,
            Some(_) | None => Self::Low,
        }
    }

    fn of_level(level: Level) -> Self {
        match level {
            Level::Quiet => Self::Low,
            Level::Warn => Self::Medium,
            Level::Trip => Self::High,
        }
    }

    /// The word that stands for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "LOW",
            Self::Medium => "MEDIUM",
            Self::High => "HIGH",
        }
    }
}

/// A change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// The state that was left.
    pub from: State,
    /// The state that was entered.
    pub to: State,
}
