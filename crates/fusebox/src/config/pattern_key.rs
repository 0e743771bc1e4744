//! The keys about patterns across anomalies.

use fusebox_core::patterns::{Matching, Pattern, PatternRules};

use super::kind::Stricter;

/// A key about patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternKey {
    /// How many anomalies it takes.
    Threshold(Pattern),
    Similar,
    CountRelated,
    DistinctTasks,
}

impl PatternKey {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let thresholds = Pattern::ALL.into_iter().map(Self::Threshold);
        thresholds.chain([Self::Similar, Self::CountRelated, Self::DistinctTasks])
    }

    /// Its name in the table `patterns`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Threshold(pattern) => pattern.name(),
            Self::Similar => "similar",
            Self::CountRelated => "count_related",
            Self::DistinctTasks => "distinct_tasks",
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Threshold(_) => "this many anomalies are the pattern",
            Self::Similar => "whether texts that are much alike count as the same",
            Self::CountRelated => "whether kinds that only point to a pattern count",
            Self::DistinctTasks => "whether tasks are counted instead of anomalies",
        }
    }

    /// What counts more is found earlier.
    pub(super) fn stricter(self) -> Stricter {
        match self {
            Self::Threshold(_) | Self::DistinctTasks => Stricter::Lower,
            Self::Similar | Self::CountRelated => Stricter::Higher,
        }
    }

    pub(super) fn amount(self, rules: &PatternRules) -> u64 {
        match self {
            Self::Threshold(pattern) => u64::from(rules.threshold(pattern)),
            Self::Similar => u64::from(rules.matching == Matching::Similar),
            Self::CountRelated => u64::from(rules.count_related),
            Self::DistinctTasks => u64::from(rules.distinct_tasks),
        }
    }

    /// The rules with another value.
    pub(super) fn with(self, mut rules: PatternRules, amount: u64) -> PatternRules {
        match self {
            Self::Threshold(pattern) => {
                let count = u32::try_from(amount).unwrap_or(u32::MAX);
                return rules.with_threshold(pattern, count).unwrap_or(rules);
            }
            Self::Similar if amount == 0 => rules.matching = Matching::Exact,
            Self::Similar => rules.matching = Matching::Similar,
            Self::CountRelated => rules.count_related = amount != 0,
            Self::DistinctTasks => rules.distinct_tasks = amount != 0,
        }
        rules
    }
}
