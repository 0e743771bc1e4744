//! Where a circuit stands: closed, or open and why, and who may release it.

use serde::{Deserialize, Serialize};

use super::is_zero;
use crate::clock::Moment;
use crate::decision::Evidence;
use crate::patterns::{Pattern, Severity};
use crate::policy::{Enforcement, RuleId};
use crate::signals::Signal;

/// Where the state machine stands, with exactly what that place needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Phase {
    /// Normal operation.
    #[default]
    Closed,
    /// At least one signal warns.
    Watching,
    /// Halted.
    Open(Opening),
    /// Halted, but for one trial.
    Probing(Opening),
    /// Nothing is left to do.
    Complete,
}

/// The names of the states, without their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    /// Normal operation.
    Closed,
    /// The warning before a trip.
    Watching,
    /// Halted.
    Open,
    /// The single trial after a cooldown.
    Probing,
    /// Nothing is left to do.
    Complete,
}

impl State {
    /// Its canonical name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed => "Closed",
            Self::Watching => "Watching",
            Self::Open => "Open",
            Self::Probing => "Probing",
            Self::Complete => "Complete",
        }
    }
}

impl Phase {
    /// The state's name.
    #[must_use]
    pub fn state(&self) -> State {
        match self {
            Self::Closed => State::Closed,
            Self::Watching => State::Watching,
            Self::Open(_) => State::Open,
            Self::Probing(_) => State::Probing,
            Self::Complete => State::Complete,
        }
    }

    /// Why it is halted, if it is.
    #[must_use]
    pub fn opening(&self) -> Option<&Opening> {
        match self {
            Self::Open(opening) | Self::Probing(opening) => Some(opening),
            Self::Closed | Self::Watching | Self::Complete => None,
        }
    }
}

/// Why, when and until when the breaker is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// What opened it.
    pub cause: Cause,
    /// The same in one sentence.
    pub reason: String,
    /// The written rule that decided.
    pub rule: RuleId,
    /// When it opened, or opened again.
    pub since: Moment,
    /// Who or what may close it.
    pub release: Release,
    /// The iterations that led to it.
    pub evidence: Vec<Evidence>,
    /// Only announced: a loop that asked for that goes on, and progress closes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advisory: bool,
    /// It relapsed right after a recovery: a person should look now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalate: bool,
    /// All that was found is somebody's sign to halt, with nothing said of why. A reason that
    /// is found later takes its place; the breaker stays open as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub placeholder: bool,
    /// Ticks since it was last announced, where it is only announced.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unannounced: u32,
}

impl Opening {
    /// Whether the loop stands still under it. That an opening was only announced is for those
    /// who asked for announcements: anybody else finds an open breaker, or one run that observes
    /// would switch it off for all that follow.
    pub(crate) fn halts(&self, enforcement: Enforcement) -> bool {
        !self.advisory || enforcement == Enforcement::Halt
    }

    /// The same in place of what is open already. What halted everybody is not turned into an
    /// announcement by whatever is found while it is open.
    pub(crate) fn in_place_of(self, open: Option<&Self>) -> Self {
        Self {
            advisory: self.advisory && open.is_none_or(|open| open.advisory),
            ..self
        }
    }
}

/// What opened a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A signal reached its threshold.
    Signal(Signal),
    /// A pattern across anomalies, found by a rule or by a person.
    Pattern {
        /// Which, if it is one of those the rules know.
        pattern: Option<Pattern>,
        /// How far up the problem lies.
        severity: Severity,
    },
    /// Somebody asked for it.
    Asked,
    /// The supervisor found the ground gone: the work tree was moved, the memory
    /// was damaged.
    Supervisor,
}

/// Who or what may close an open breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Only a person.
    Person,
    /// A person, or one successful probe after this wait in milliseconds.
    Cooldown(u64),
}
