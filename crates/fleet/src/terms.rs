//! What is asked of a coordinator, and what it answers.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::boot_clock::BootInstant;
use crate::identity::Id;

/// What a budget or a breaker is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Everybody.
    Fleet,
    /// A part of the workers, by whatever name people gave it.
    Team(String),
    /// Everybody who works on one repository.
    Repository(String),
    /// Everybody who works with one agent.
    Agent(String),
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fleet => out.write_str("fleet"),
            Self::Team(name) => write!(out, "team:{name}"),
            Self::Repository(name) => write!(out, "repo:{name}"),
            Self::Agent(name) => write!(out, "agent:{name}"),
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = match text.split_once(':') {
            None if text == "fleet" => Some(Self::Fleet),
            Some((_, "")) | None => None,
            Some(("team", name)) => Some(Self::Team(name.to_owned())),
            Some(("repo", name)) => Some(Self::Repository(name.to_owned())),
            Some(("agent", name)) => Some(Self::Agent(name.to_owned())),
            Some(_) => None,
        };
        known
            .filter(|_| text.len() <= 200 && !text.chars().any(char::is_control))
            .ok_or_else(|| "a scope is fleet, team:NAME, repo:NAME or agent:NAME".to_owned())
    }
}

/// What a budget is kept of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Calls of an agent.
    Calls,
    /// Tokens of all kinds.
    Tokens,
    /// Money, in millionths of a US dollar.
    MicroUsd,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Calls, Self::Tokens, Self::MicroUsd];

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::MicroUsd => "micro_usd",
        }
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        all.find(|unit| unit.name() == text)
            .ok_or_else(|| "a unit is calls, tokens or micro_usd".to_owned())
    }
}

/// How much of each unit is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Calls.
    pub calls: u64,
    /// The most tokens that will be used.
    pub tokens: u64,
    /// The most money that will be used.
    pub micro_usd: u64,
}

impl Amounts {
    /// Some calls, and nothing else.
    #[must_use]
    pub fn calls(calls: u64) -> Self {
        Self {
            calls,
            ..Self::default()
        }
    }

    /// How much of `unit`.
    #[must_use]
    pub fn of(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Calls => self.calls,
            Unit::Tokens => self.tokens,
            Unit::MicroUsd => self.micro_usd,
        }
    }
}

/// What is to be different about a pattern; what is absent stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PatternChange {
    /// From how many members on.
    pub threshold: Option<u32>,
    /// Within which time.
    pub span_ms: Option<u64>,
    /// Whether it halts.
    pub halts: Option<bool>,
}

/// What was used in the end; what is not known counts as all that was reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Tokens.
    pub tokens: Option<u64>,
    /// Money.
    pub micro_usd: Option<u64>,
}

/// A request for budget.
#[derive(Clone, Debug)]
pub struct Take {
    /// Its name: asking again under it is asking once.
    pub name: Id,
    /// By whom.
    pub worker: Id,
    /// All that it counts for.
    pub scopes: Vec<Scope>,
    /// How much.
    pub amounts: Amounts,
    /// For which task, under which lease.
    pub lease: Option<Held>,
}

/// The answer to a [`Take`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Go ahead.
    Granted(Grant),
    /// A budget is used up.
    Refused(Refusal),
    /// Somebody, or a pattern, has halted one of the scopes.
    Halted {
        /// Which.
        scope: String,
        /// Why.
        reason: String,
        /// The number of the halt; later ones are higher.
        epoch: u64,
    },
}

/// Leave to go ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Whoever has not begun by then has to ask anew: grants are not to be hoarded.
    pub good_until: BootInstant,
    /// The clock of the coordinator when it was given, in microseconds since 1970.
    pub at_us: i64,
}

/// A no from a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whose budget.
    pub scope: String,
    /// Of what.
    pub unit: Unit,
    /// When there will be enough; `None` for never.
    pub wait: Option<Duration>,
}

/// A lease, as its holder knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The task.
    pub task: String,
    /// The number that every write carries.
    pub fence: u64,
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// It is yours.
    Yours {
        /// The lease.
        held: Held,
        /// How often the task has been begun, this time included.
        attempt: u32,
        /// How long the lease of whoever left it behind had been over, if somebody did.
        overdue: Option<Duration>,
        /// Work that has not been renewed by then is to stop: somebody else may have begun.
        good_until: BootInstant,
    },
    /// Somebody has it.
    Taken {
        /// Who.
        owner: String,
        /// When their lease ends unless they renew it.
        wait: Duration,
    },
    /// It is done, or was given up.
    Over(String),
    /// There is nothing to be had.
    Nothing,
    /// The repository, or the fleet, is halted.
    Halted(String),
}

/// How a lease ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseEnd {
    /// The task is to be had again.
    Ready,
    /// It is done.
    Done,
    /// It is given up until a person takes it up again.
    Blocked,
}

impl LeaseEnd {
    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }
}

/// Something that happened, as the journal of a worker says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its number in that journal.
    pub number: u64,
    /// What kind of thing.
    pub kind: String,
    /// On which task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Under which lease.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<u64>,
    /// The rest of it.
    pub fields: serde_json::Value,
    /// What it may be a part of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// One member of what may become a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Which pattern.
    pub pattern: String,
    /// What the members have in common.
    pub key: String,
    /// What makes this one another than the rest: a task, a worker, an anomaly.
    pub member: String,
}
