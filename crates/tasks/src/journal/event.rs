//! What happens to tasks.

use serde::{Deserialize, Serialize};

use super::record::{Attempt, Doubt, Record};
use crate::time::Now;
use crate::worker::Worker;

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Line {
    /// Which list.
    pub(crate) source: String,
    /// Which task of it.
    pub(crate) task: String,
    /// When.
    pub(crate) at: Now,
    #[serde(flatten)]
    pub(crate) event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Claimed {
        fence: u64,
        attempt: u32,
        actor: String,
        worker: Option<Worker>,
        kind: Option<String>,
    },
    Beat,
    Released {
        why: String,
    },
    Blocked {
        reason: String,
    },
    Done {
        evidence: String,
        /// Whether it was found inside a guarded tree, whose agent would profit from it.
        #[serde(default)]
        inside: bool,
    },
    /// Its list says that it is done, and nothing shows it.
    Refused {
        why: String,
    },
    /// Its list no longer asks for it, and nothing shows why.
    Doubted {
        doubt: Doubt,
    },
    /// What was doubted of it is so no more.
    Settled {
        why: String,
        by: String,
    },
    /// Somebody looked, and took it from whoever had it or had given it up.
    Reopened {
        why: String,
        by: String,
        /// Whether somebody has looked at it, rather than found its worker gone.
        looked_at: bool,
    },
    Attempted(Attempt),
    /// It was seen in progress, and its list does not say since when.
    Seen,
    /// All that happened to it before.
    Folded {
        record: Box<Record>,
        fence: u64,
    },
}

impl Event {
    /// The highest number of a claim that it speaks of.
    pub(crate) fn fence(&self) -> u64 {
        match self {
            Self::Claimed { fence, .. } | Self::Folded { fence, .. } => *fence,
            _ => 0,
        }
    }
}
