//! What may be set about the patterns.

use super::pattern::Pattern;
use crate::policy::{OutOfRange, THRESHOLD_RANGE};

/// How the patterns are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternRules {
    thresholds: [u32; Pattern::ALL.len()],
    /// When two texts are the same.
    pub matching: Matching,
    /// Also count kinds that are only said to point to a pattern.
    pub count_related: bool,
    /// Count tasks rather than anomalies.
    pub distinct_tasks: bool,
}

/// When two texts are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matching {
    /// When they are equal, letter by letter.
    Exact,
    /// Where a rule asks for likeness, when they are
    /// [`similar`](super::similar) to the first of their group; elsewhere, when
    /// they are equal but for case and spacing.
    Similar,
}

impl Default for PatternRules {
    fn default() -> Self {
        Self {
            thresholds: Pattern::ALL.map(Pattern::usual_threshold),
            matching: Matching::Exact,
            count_related: false,
            distinct_tasks: false,
        }
    }
}

impl PatternRules {
    /// How many it takes for `pattern`.
    #[must_use]
    pub fn threshold(&self, pattern: Pattern) -> u32 {
        self.thresholds[pattern as usize]
    }

    /// Asks for `count` of them.
    ///
    /// # Errors
    /// [`OutOfRange`] unless `count` is within [`THRESHOLD_RANGE`].
    pub fn with_threshold(mut self, pattern: Pattern, count: u32) -> Result<Self, OutOfRange> {
        if !THRESHOLD_RANGE.contains(&count) {
            return Err(OutOfRange);
        }
        self.thresholds[pattern as usize] = count;
        Ok(self)
    }
}
