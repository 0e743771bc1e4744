//! A list that forgets its oldest entry when it is full.

use serde::{Deserialize, Serialize};

/// At most `N` entries, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Bounded<T, const N: usize>(Vec<T>);

impl<T, const N: usize> Default for Bounded<T, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const N: usize> Bounded<T, N> {
    pub(super) fn push(&mut self, entry: T) {
        // A state from elsewhere may be longer than it should be.
        while self.0.len() >= N {
            self.0.remove(0);
        }
        self.0.push(entry);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The newest entry that `is` true of.
    pub(super) fn find(&self, is: impl Fn(&T) -> bool) -> Option<&T> {
        self.0.iter().rev().find(|entry| is(entry))
    }

    /// Takes the newest entry out that `is` true of.
    pub(super) fn take(&mut self, is: impl Fn(&T) -> bool) -> Option<T> {
        let at = self.0.iter().rposition(is)?;
        Some(self.0.remove(at))
    }
}
