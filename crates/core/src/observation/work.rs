//! What kind of work an iteration was, and the numbers that kinds of work are measured by.

use serde::{Deserialize, Serialize};

use super::TestCounts;

/// The phases of test-driven work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum WorkPhase {
    /// Write tests that fail.
    Red,
    /// Make them pass.
    Green,
    /// Improve the code without changing what it does.
    Refactor,
    /// Write it down.
    Document,
}

impl WorkPhase {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Red, Self::Green, Self::Refactor, Self::Document];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Red => "RED",
            Self::Green => "GREEN",
            Self::Refactor => "REFACTOR",
            Self::Document => "DOCUMENT",
        }
    }
}

/// What kind of work an iteration was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkType {
    /// New behaviour.
    Implementation,
    /// Tests, and nothing but tests.
    Testing,
    /// Documents.
    Documentation,
    /// Structure.
    Refactoring,
    /// Anything else.
    Other,
}

/// The numbers that phases are measured by. Numbers, never words: what cannot
/// be counted is no progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseMetrics {
    /// Tests written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_generated: Option<u64>,
    /// Criteria that have a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criteria_covered: Option<u64>,
    /// Tests that pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_passing: Option<u64>,
    /// Tests that fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_failing: Option<u64>,
    /// All tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_total: Option<u64>,
    /// Patterns applied so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patterns_applied: Option<u64>,
    /// A pattern was applied in this action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_applied: Option<bool>,
    /// Complexity, in thousandths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complexity_milli: Option<u64>,
    /// Duplication was removed in this action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplication_removed: Option<bool>,
    /// Documents written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs_generated: Option<u64>,
    /// Diagrams that are valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagrams_valid: Option<u64>,
}

impl PhaseMetrics {
    /// These numbers, and where one of tests is missing, what was counted.
    #[must_use]
    pub fn or_counted(self, tests: &TestCounts) -> Self {
        let [passed, failed, skipped] = [tests.passed, tests.failed, tests.skipped].map(u64::from);
        Self {
            tests_passing: self.tests_passing.or(Some(passed)),
            tests_failing: self.tests_failing.or(Some(failed)),
            tests_total: self.tests_total.or(Some(passed + failed + skipped)),
            ..self
        }
    }

    /// Passing and failing tests as counts, if both are known; what is left of the total
    /// was skipped.
    pub(crate) fn test_counts(&self) -> Option<TestCounts> {
        let (passed, failed) = (self.tests_passing?, self.tests_failing?);
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let skipped = self.tests_total.unwrap_or(0);
        let skipped = skipped.saturating_sub(passed.saturating_add(failed));
        Some(TestCounts {
            passed: small(passed),
            failed: small(failed),
            skipped: small(skipped),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
