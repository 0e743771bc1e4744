//! Circuits that are held to one limit together.
//!
//! Each keeps what it used itself, in its own log, and nothing else does: there is
//! no second account that could disagree with the first. So what all of them used is
//! found by adding up, and the sum is decided on and thrown away.

use super::Circuit;
use crate::clock::Moment;
use crate::policy::Policy;

impl Circuit {
    /// This circuit as it has to be seen when `others` draw on the same calls and
    /// budgets: what they used and put aside counts as if it were its own.
    ///
    /// Entries that are decided on it say what was taken, not what is left, and so
    /// may be folded into the circuit itself.
    #[must_use]
    pub fn together_with<'a>(
        &self,
        others: impl IntoIterator<Item = &'a Self>,
        policy: &Policy,
        now: &Moment,
    ) -> Self {
        let mut all = self.clone();
        for other in others {
            all.calls.join(&other.calls, &policy.calls, now);
            for (resource, rule) in policy.budgets() {
                all.budgets.join(resource, &other.budgets, &rule, now);
            }
        }
        all
    }
}
