//! Which anomalies have done their work.
//!
//! Anomalies stay where they were written down. Without a mark they would
//! trigger again the moment a person has resolved what they point to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::anomaly::EntryHash;
use super::finding::Cited;

/// How many anomalies a trigger is remembered by, one by one: the newest.
const CITED: usize = 512;
/// How many acknowledged anomalies are remembered: the latest.
const REMEMBERED: usize = 2 * CITED;

/// The anomalies that are evidence of the trigger at hand, and those that were
/// evidence of a resolved one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Acknowledgements {
    cited: Vec<EntryHash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cited_until_ms: Option<i64>,
    acknowledged: Vec<EntryHash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acknowledged_until_ms: Option<i64>,
}

/// What an entry marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Marked {
    /// These are evidence of the trigger at hand.
    Cited(Vec<EntryHash>),
    /// So many are that only the newest are named. The others stand for
    /// everything up to a moment.
    CitedFlood {
        /// The newest.
        newest: Vec<EntryHash>,
        /// When the last of the others was reported.
        until_ms: i64,
    },
    /// These were, and a person has dealt with it.
    Acknowledged(Vec<EntryHash>),
}

impl Marked {
    /// Marks `evidence` as that of a trigger.
    pub(crate) fn cited(mut evidence: Vec<Cited<'_>>) -> Self {
        evidence.sort_by_key(|cited| (cited.anomaly.at_ms, cited.hash));
        evidence.dedup_by_key(|cited| cited.hash);
        let surplus = evidence.len().saturating_sub(CITED);
        let mut newest: Vec<EntryHash> = evidence[surplus..].iter().map(|c| c.hash).collect();
        newest.sort_unstable();
        match evidence[..surplus].last() {
            None => Self::Cited(newest),
            Some(last) => Self::CitedFlood {
                newest,
                until_ms: last.anomaly.at_ms,
            },
        }
    }
}

impl Acknowledgements {
    /// The anomalies that count no longer.
    #[must_use]
    pub fn set(&self) -> BTreeSet<EntryHash> {
        self.acknowledged.iter().copied().collect()
    }

    /// From when on anomalies count in a sprint that began at `sprint_ms`: where a
    /// flood of them was dealt with, what lies before its end is dealt with too.
    #[must_use]
    pub fn window_start(&self, sprint_ms: Option<i64>) -> Option<i64> {
        let after_flood = self
            .acknowledged_until_ms
            .map(|until| until.saturating_add(1));
        sprint_ms.max(after_flood)
    }

    /// The anomalies that are evidence of the trigger at hand.
    #[must_use]
    pub fn cited(&self) -> &[EntryHash] {
        &self.cited
    }

    pub(crate) fn mark(&mut self, marked: &Marked) {
        match marked {
            Marked::Cited(hashes) => {
                self.cited.clone_from(hashes);
                self.cited_until_ms = None;
            }
            Marked::CitedFlood { newest, until_ms } => {
                self.cited.clone_from(newest);
                self.cited_until_ms = Some(*until_ms);
            }
            Marked::Acknowledged(hashes) => {
                self.cited.clear();
                let until = self.cited_until_ms.take();
                self.acknowledged_until_ms = self.acknowledged_until_ms.max(until);
                self.acknowledged.extend(hashes);
                let surplus = self.acknowledged.len().saturating_sub(REMEMBERED);
                self.acknowledged.drain(..surplus);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cited.is_empty() && self.acknowledged.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{Anomaly, AnomalyKind, Details};

    #[test]
    fn a_flood_is_remembered_by_its_newest_and_the_moment_before_them() {
        let all: Vec<Anomaly> = (0..700)
            .map(|n| Anomaly {
                at_ms: n,
                undated: false,
                task: n.to_string(),
                reporter: String::new(),
                kind: AnomalyKind::RetryLoop,
                details: Details::default(),
            })
            .collect();
        let mut marks = Acknowledgements::default();
        marks.mark(&Marked::cited(all.iter().map(Cited::new).collect()));
        assert_eq!(
            (marks.cited().len(), marks.window_start(Some(5))),
            (CITED, Some(5))
        );
        marks.mark(&Marked::Acknowledged(marks.cited().to_vec()));
        // 188 are not named; the first that is lies right behind them.
        assert_eq!(marks.window_start(Some(5)), Some(188));
        assert_eq!(marks.window_start(Some(900)), Some(900));
        assert!(marks.set().contains(&EntryHash::of(&all[188])));
        assert!(!marks.set().contains(&EntryHash::of(&all[187])));
    }

    #[test]
    fn what_is_remembered_is_bounded_and_the_latest() {
        let mut marks = Acknowledgements::default();
        for n in 0..2_000 {
            marks.mark(&Marked::Cited(vec![EntryHash(n)]));
            marks.mark(&Marked::Acknowledged(marks.cited().to_vec()));
        }
        let set = marks.set();
        assert_eq!((set.len(), marks.cited()), (REMEMBERED, &[][..]));
        assert!(set.contains(&EntryHash(1_999)) && !set.contains(&EntryHash(0)));
    }
}
