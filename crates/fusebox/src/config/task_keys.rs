//! The keys about tasks.

use super::kind::{Kind, Stricter};

/// A key about tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskKey {
    Source,
    Recover,
    StaleSeconds,
    Reopens,
    Attempts,
}

impl TaskKey {
    pub(super) const ALL: [Self; 5] = [
        Self::Source,
        Self::Recover,
        Self::StaleSeconds,
        Self::Reopens,
        Self::Attempts,
    ];

    /// Where it stands in a file, and what it is for.
    pub(super) fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Source => (
                "tasks.source",
                "the list of tasks: \"auto\", \"beads\", \"github\", \"built-in\", or a file in the repository",
            ),
            Self::Recover => (
                "tasks.recover",
                "whether a task whose worker is gone is opened again by itself",
            ),
            Self::StaleSeconds => (
                "tasks.stale_seconds",
                "seconds without proof of life after which a worker is taken for gone; 0 is never",
            ),
            Self::Reopens => (
                "tasks.reopens",
                "how often a task is taken from a worker who is gone before it is given up",
            ),
            Self::Attempts => (
                "tasks.attempts",
                "iterations without completion after which `run --tasks` sets a task aside",
            ),
        }
    }

    pub(super) fn kind(self) -> Kind {
        let number = |least, most| Kind::Number { least, most };
        match self {
            Self::Source => Kind::Text,
            Self::Recover => Kind::Switch,
            Self::StaleSeconds => number(0, 365 * 24 * 3_600),
            Self::Reopens => number(0, 100),
            Self::Attempts => number(1, 1_000),
        }
    }

    /// Taking a task from somebody too early is the graver mistake.
    pub(super) fn stricter(self) -> Stricter {
        match self {
            Self::Recover | Self::StaleSeconds => Stricter::Higher,
            Self::Source | Self::Reopens | Self::Attempts => Stricter::Lower,
        }
    }
}
