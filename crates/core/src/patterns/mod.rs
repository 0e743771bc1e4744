//! Patterns across the anomalies of a sprint.
//!
//! A task that fails tells of itself; several tasks that fail alike tell of
//! something upstream of all of them. Whoever works on a task reports
//! [`Anomaly`]s, and [`analyse`] looks for the six [`Pattern`]s among them. It
//! only counts and shows: what to do about a pattern is for people, and whether
//! to stop is for the [`machine`](crate::machine).
//!
//! Counting is literal. Entries that nearly fit are listed beside the count
//! instead of being counted, because a person can judge likeness and a rule
//! that guesses stops the work of everybody.

mod acknowledged;
mod anomaly;
mod finding;
mod pattern;
mod rules;
mod severity;
mod similarity;

use std::collections::BTreeSet;

pub use acknowledged::{Acknowledgements, Marked};
pub use anomaly::{Anomaly, AnomalyKind, Details, EntryHash};
pub use finding::{Cited, Finding, Group};
pub use pattern::Pattern;
pub use rules::{Matching, PatternRules};
pub use severity::Severity;
pub use similarity::{SIMILAR_PERCENT, similar};

/// The most anomalies of a sprint that are looked at: the newest.
pub const ANOMALIES_READ: usize = 20_000;

/// What was found among the anomalies of a sprint.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis<'a> {
    /// What each rule counted, in the order of the rules, also where that is
    /// not enough.
    pub findings: Vec<Finding<'a>>,
    /// Anomalies that count no longer, because they were evidence of a trigger
    /// that has been resolved.
    pub acknowledged: Vec<Cited<'a>>,
    /// Anomalies from before the sprint.
    pub before_window: usize,
    /// Anomalies of the sprint that were too many to look at.
    pub left_out: usize,
}

/// A pattern that is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternMatch<'a> {
    /// Which.
    pub pattern: Pattern,
    /// How far up the problem lies.
    pub severity: Severity,
    /// What the anomalies have in common, and which they are.
    pub group: &'a Group<'a>,
}

impl Analysis<'_> {
    /// Everything that matched: the gravest first, in the order of the rules
    /// where two are equally grave.
    #[must_use]
    pub fn matches(&self) -> Vec<PatternMatch<'_>> {
        let mut all: Vec<PatternMatch<'_>> = self
            .findings
            .iter()
            .flat_map(|finding| {
                finding.enough().map(|group| PatternMatch {
                    pattern: finding.pattern,
                    severity: finding.pattern.severity(),
                    group,
                })
            })
            .collect();
        all.sort_by_key(|found| found.severity);
        all
    }

    /// The match that stands for all of them.
    #[must_use]
    pub fn primary(&self) -> Option<PatternMatch<'_>> {
        self.matches().first().copied()
    }
}

/// Looks for the patterns among `anomalies`.
///
/// Only those at or after `window_start_ms`, the beginning of the sprint, are
/// looked at, and none that is `acknowledged`.
#[must_use]
pub fn analyse<'a>(
    anomalies: &'a [Anomaly],
    window_start_ms: Option<i64>,
    acknowledged: &BTreeSet<EntryHash>,
    rules: &PatternRules,
) -> Analysis<'a> {
    let mut current: Vec<&Anomaly> = anomalies
        .iter()
        .filter(|anomaly| window_start_ms.is_none_or(|start| anomaly.at_ms >= start))
        .collect();
    let before_window = anomalies.len() - current.len();
    current.sort_by_key(|anomaly| anomaly.at_ms);
    let left_out = current.len().saturating_sub(ANOMALIES_READ);
    let (acknowledged, fresh): (Vec<Cited<'_>>, Vec<Cited<'_>>) = current[left_out..]
        .iter()
        .map(|anomaly| Cited::new(anomaly))
        .partition(|cited| acknowledged.contains(&cited.hash));
    Analysis {
        findings: Pattern::ALL
            .map(|pattern| Finding::of(pattern, &fresh, rules))
            .into(),
        acknowledged,
        before_window,
        left_out,
    }
}
