//! What a run believes of the features of a workflow that counts sessions by them.

use std::collections::BTreeSet;

use fusebox_core::Observation;
use fusebox_core::fact::Fact;
use fusebox_seeds::bmad::features::FeatureList;

use super::proof::Proof;
use crate::failure::Failure;

/// What a run believes of its features. Where the user gave commands that show whether the
/// work is sound, a feature does not pass for having been called so in the list.
#[derive(Default)]
pub(super) struct Belief {
    /// Those that came to pass while such a command failed. They count once all succeed.
    doubted: BTreeSet<String>,
    /// Whether what was looked at last speaks against the work, if anything was.
    pub(super) contradicted: Option<bool>,
}

impl Belief {
    /// What a session did to the features. A list that cannot be read any more shows
    /// nothing passing.
    pub(super) fn tell(
        &mut self,
        before: Option<&FeatureList>,
        after: &Result<Option<FeatureList>, Failure>,
        proof: &Proof,
        facts: &mut Observation,
    ) {
        let Ok(Some(after)) = after else {
            if after.is_err() || before.is_some() {
                facts.features_passed = Fact::Measured(0);
            }
            return;
        };
        // A list that has only just been made has nothing that passes before it.
        let nothing = FeatureList::default();
        let newly = after.newly_passing(before.unwrap_or(&nothing));
        let is_new = |id: &&str| newly.contains(id) || self.doubted.contains(*id);
        let new = after.passing().into_iter().filter(is_new);
        let new: BTreeSet<String> = new.map(str::to_owned).collect();
        let count = u32::try_from(new.len()).unwrap_or(u32::MAX);
        let mut counts = after.counts();
        if proof.withholds() {
            self.doubted = new;
            counts.pass = counts.pass.saturating_sub(count);
            counts.pending = counts.pending.saturating_add(count);
            facts.features_passed = Fact::Measured(0);
        } else {
            self.doubted.clear();
            facts.features_passed = Fact::Measured(count);
        }
        facts.features = Fact::Measured(counts);
    }
}
