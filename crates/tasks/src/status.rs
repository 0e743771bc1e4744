//! How far a task is, in the few words that all lists agree on.

use serde::{Deserialize, Serialize};

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// To be done.
    Open,
    /// Somebody has begun.
    InProgress,
    /// Given up until somebody takes it up again.
    Blocked,
    /// Not to be done now: put off, cancelled, waiting for a review.
    Deferred,
    /// Done.
    Done,
}

impl Status {
    /// Whether a list that says so asks for the task.
    #[must_use]
    pub fn is_to_be_done(self) -> bool {
        !matches!(self, Self::Done | Self::Deferred)
    }
}

/// The spellings that lists use, the one that is written by default first.
const SPELLINGS: [(Status, &[&str]); 5] = [
    (
        Status::Open,
        &[
            "open",
            "pending",
            "todo",
            "to do",
            "not_started",
            "not started",
            "spec_ready",
            "ready",
            "retry",
            "fail",
            "failed",
        ],
    ),
    (
        Status::InProgress,
        &[
            "in_progress",
            "in-progress",
            "in progress",
            "doing",
            "started",
            "wip",
            "hooked",
        ],
    ),
    (Status::Blocked, &["blocked"]),
    (
        Status::Deferred,
        &[
            "deferred",
            "cancelled",
            "canceled",
            "review",
            "pinned",
            "skipped",
        ],
    ),
    (
        Status::Done,
        &["done", "completed", "complete", "closed", "pass", "passed"],
    ),
];

impl Status {
    /// The status that a list means by a word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase();
        let mut rows = SPELLINGS.iter();
        rows.find(|row| row.1.contains(&word.as_str()))
            .map(|row| row.0)
    }

    /// All spellings, the usual one first.
    pub(crate) fn spellings(self) -> &'static [&'static str] {
        let mut rows = SPELLINGS.iter();
        rows.find(|row| row.0 == self).map_or(&[], |row| row.1)
    }

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spellings().first().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_means_one_thing() {
        for (status, words) in SPELLINGS {
            for word in words {
                assert_eq!(
                    Status::of_word(&word.to_uppercase()),
                    Some(status),
                    "{word}"
                );
            }
        }
        assert_eq!(Status::of_word("qa"), None);
        assert_eq!(Status::InProgress.name(), "in_progress");
    }
}
