//! Which anomalies have done their work.
//!
//! Anomalies stay where they were written down. Without a mark they would
//! trigger again the moment a person has resolved what they point to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ANOMALIES_READ;
use super::anomaly::EntryHash;

/// How many acknowledged anomalies are remembered: the latest.
const REMEMBERED: usize = 2 * ANOMALIES_READ;

/// The anomalies that are evidence of the trigger at hand, and those that were
/// evidence of a resolved one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Acknowledgements {
    cited: Vec<EntryHash>,
    acknowledged: Vec<EntryHash>,
}

/// What an entry marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Marked {
    /// These are evidence of the trigger at hand.
    Cited(Vec<EntryHash>),
    /// These were, and a person has dealt with it.
    Acknowledged(Vec<EntryHash>),
}

impl Acknowledgements {
    /// The anomalies that count no longer.
    #[must_use]
    pub fn set(&self) -> BTreeSet<EntryHash> {
        self.acknowledged.iter().copied().collect()
    }

    /// The anomalies that are evidence of the trigger at hand.
    #[must_use]
    pub fn cited(&self) -> &[EntryHash] {
        &self.cited
    }

    pub(crate) fn mark(&mut self, marked: &Marked) {
        match marked {
            Marked::Cited(hashes) => self.cited.clone_from(hashes),
            Marked::Acknowledged(hashes) => {
                self.cited.clear();
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
