//! Did the iteration gain anything?

use serde::{Deserialize, Serialize};

use crate::observation::{Ended, Observation, PhaseMetrics, WorkPhase, WorkType};
use crate::policy::ProgressRule;

/// Whether an iteration gained anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Something was seen to be gained.
    Made,
    /// Nothing was.
    None,
    /// Files changed, and it was work on tests alone, where that is no gain. Something was changed,
    /// so it does not count as nothing either: how much of such work there is has a signal of its
    /// own.
    Tests,
    /// It cannot be held against the loop: outside trouble, a person ended it, or
    /// it never began.
    Exempt,
}

impl Progress {
    /// Judges by what was measured. What the agent claims of itself is not
    /// progress; with no measured fact at all nothing was gained.
    #[must_use]
    pub fn of(facts: &Observation, rule: ProgressRule, last: &PhaseMetrics) -> Self {
        let excused = facts.environment.is_some()
            || matches!(facts.ended, Some(Ended::Interrupted | Ended::NotStarted));
        if facts.environment.is_none() && gained(facts, rule, last) {
            Self::Made
        } else if excused {
            Self::Exempt
        } else if rule == ProgressRule::BeyondTests && changed_files(facts) {
            Self::Tests
        } else {
            Self::None
        }
    }
}

fn changed_files(facts: &Observation) -> bool {
    facts.files.seen().is_some_and(|files| files.count > 0)
}

fn gained(facts: &Observation, rule: ProgressRule, last: &PhaseMetrics) -> bool {
    let files = changed_files(facts);
    let tasks = facts.tasks_completed.seen().is_some_and(|count| *count > 0);
    let features = facts.features_passed.seen().is_some_and(|count| *count > 0);
    match rule {
        ProgressRule::AnyGain => files || tasks || features,
        ProgressRule::BeyondTests => tasks || (files && facts.work_type != Some(WorkType::Testing)),
        ProgressRule::Features => features,
        ProgressRule::PhaseMetrics => facts
            .phase
            .is_some_and(|phase| better(phase, &facts.metrics, last)),
    }
}

/// Whether the phase's own numbers are better than they were. A number that
/// was never seen before counts from zero, except where less is better.
fn better(phase: WorkPhase, now: &PhaseMetrics, last: &PhaseMetrics) -> bool {
    let more = |now: Option<u64>, last: Option<u64>| now.is_some_and(|now| now > last.unwrap_or(0));
    let less = |now: Option<u64>, last: Option<u64>| matches!((now, last), (Some(now), Some(last)) if now < last);
    match phase {
        WorkPhase::Red => {
            more(now.tests_generated, last.tests_generated)
                || more(now.criteria_covered, last.criteria_covered)
        }
        // Deleting a failing test is not progress: the total must be known to be the same.
        WorkPhase::Green => {
            let totals = now.tests_total().zip(last.tests_total());
            let same = totals.is_some_and(|(now, last)| now == last);
            more(now.tests_passing, last.tests_passing)
                || (same && less(now.tests_failing, last.tests_failing))
        }
        WorkPhase::Refactor => {
            now.pattern_applied == Some(true)
                || more(now.patterns_applied, last.patterns_applied)
                || less(now.complexity_milli, last.complexity_milli)
                || now.duplication_removed == Some(true)
        }
        WorkPhase::Document => {
            more(now.docs_generated, last.docs_generated)
                || more(now.diagrams_valid, last.diagrams_valid)
        }
    }
}

impl PhaseMetrics {
    /// All tests, as reported or as the sum of the two kinds.
    fn tests_total(&self) -> Option<u64> {
        self.tests_total
            .or_else(|| Some(self.tests_passing?.saturating_add(self.tests_failing?)))
    }

    /// Of each number the one that is harder to better; the total stays what it
    /// is here, because it is no measure of progress.
    #[must_use]
    pub fn harder(&self, other: &Self) -> Self {
        let most = |one: Option<u64>, other: Option<u64>| one.max(other);
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Self {
            tests_generated: most(self.tests_generated, other.tests_generated),
            criteria_covered: most(self.criteria_covered, other.criteria_covered),
            tests_passing: most(self.tests_passing, other.tests_passing),
            tests_failing: least(self.tests_failing, other.tests_failing),
            tests_total: self.tests_total.or(other.tests_total),
            patterns_applied: most(self.patterns_applied, other.patterns_applied),
            pattern_applied: None,
            complexity_milli: least(self.complexity_milli, other.complexity_milli),
            duplication_removed: None,
            docs_generated: most(self.docs_generated, other.docs_generated),
            diagrams_valid: most(self.diagrams_valid, other.diagrams_valid),
        }
    }

    /// These numbers, and where one is missing the earlier one.
    #[must_use]
    pub fn over(&self, earlier: &Self) -> Self {
        Self {
            tests_generated: self.tests_generated.or(earlier.tests_generated),
            criteria_covered: self.criteria_covered.or(earlier.criteria_covered),
            tests_passing: self.tests_passing.or(earlier.tests_passing),
            tests_failing: self.tests_failing.or(earlier.tests_failing),
            tests_total: self.tests_total().or(earlier.tests_total),
            patterns_applied: self.patterns_applied.or(earlier.patterns_applied),
            pattern_applied: None,
            complexity_milli: self.complexity_milli.or(earlier.complexity_milli),
            duplication_removed: None,
            docs_generated: self.docs_generated.or(earlier.docs_generated),
            diagrams_valid: self.diagrams_valid.or(earlier.diagrams_valid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Fact;
    use crate::observation::FileChanges;

    fn metrics(change: impl FnOnce(&mut PhaseMetrics)) -> PhaseMetrics {
        let mut metrics = PhaseMetrics::default();
        change(&mut metrics);
        metrics
    }

    #[test]
    fn req_001_044_to_053_each_phase_is_judged_by_its_own_numbers() {
        let green = |passing, failing| {
            metrics(|m| (m.tests_passing, m.tests_failing) = (Some(passing), Some(failing)))
        };
        for (phase, last, now, progress) in [
            (
                WorkPhase::Red,
                metrics(|m| m.tests_generated = Some(3)),
                metrics(|m| m.tests_generated = Some(4)),
                true,
            ),
            (
                WorkPhase::Red,
                metrics(|m| m.tests_generated = Some(3)),
                metrics(|m| m.tests_generated = Some(3)),
                false,
            ),
            (
                WorkPhase::Red,
                PhaseMetrics::default(),
                metrics(|m| m.criteria_covered = Some(1)),
                true,
            ),
            (
                WorkPhase::Red,
                PhaseMetrics::default(),
                metrics(|m| m.docs_generated = Some(9)),
                false,
            ),
            (WorkPhase::Green, green(3, 7), green(4, 6), true),
            (WorkPhase::Green, green(3, 7), green(3, 6), false),
            (WorkPhase::Green, green(3, 7), green(3, 7), false),
            (WorkPhase::Green, green(5, 5), green(4, 4), false),
            (
                WorkPhase::Green,
                metrics(|m| (m.tests_failing, m.tests_total) = (Some(7), Some(10))),
                metrics(|m| (m.tests_failing, m.tests_total) = (Some(6), Some(10))),
                true,
            ),
            // Where nobody knows how many there are, the failing ones may have been deleted.
            (
                WorkPhase::Green,
                metrics(|m| m.tests_failing = Some(7)),
                metrics(|m| m.tests_failing = Some(6)),
                false,
            ),
            (
                WorkPhase::Refactor,
                PhaseMetrics::default(),
                metrics(|m| m.pattern_applied = Some(true)),
                true,
            ),
            (
                WorkPhase::Refactor,
                PhaseMetrics::default(),
                metrics(|m| m.patterns_applied = Some(1)),
                true,
            ),
            (
                WorkPhase::Refactor,
                metrics(|m| m.complexity_milli = Some(9)),
                metrics(|m| m.complexity_milli = Some(8)),
                true,
            ),
            (
                WorkPhase::Refactor,
                PhaseMetrics::default(),
                metrics(|m| m.complexity_milli = Some(8)),
                false,
            ),
            (
                WorkPhase::Refactor,
                PhaseMetrics::default(),
                metrics(|m| m.duplication_removed = Some(true)),
                true,
            ),
            (
                WorkPhase::Refactor,
                PhaseMetrics::default(),
                metrics(|m| m.duplication_removed = Some(false)),
                false,
            ),
            (
                WorkPhase::Document,
                PhaseMetrics::default(),
                metrics(|m| m.docs_generated = Some(1)),
                true,
            ),
            (
                WorkPhase::Document,
                metrics(|m| m.diagrams_valid = Some(2)),
                metrics(|m| m.diagrams_valid = Some(3)),
                true,
            ),
            (
                WorkPhase::Document,
                metrics(|m| m.diagrams_valid = Some(2)),
                metrics(|m| m.diagrams_valid = Some(1)),
                false,
            ),
        ] {
            assert_eq!(
                better(phase, &now, &last),
                progress,
                "{phase:?}: {last:?} then {now:?}"
            );
        }
    }

    #[test]
    fn req_004_098_work_on_tests_alone_is_no_progress_where_the_rule_says_so() {
        let files = Fact::Measured(FileChanges {
            count: 2,
            paths: vec![],
            ..FileChanges::default()
        });
        let tests = Observation {
            files,
            work_type: Some(WorkType::Testing),
            ..Observation::default()
        };
        let none = PhaseMetrics::default();
        assert_eq!(
            Progress::of(&tests, ProgressRule::BeyondTests, &none),
            Progress::Tests
        );
        let nothing = Observation {
            files: Fact::Measured(FileChanges::default()),
            ..tests.clone()
        };
        assert_eq!(
            Progress::of(&nothing, ProgressRule::BeyondTests, &none),
            Progress::None
        );
        assert_eq!(
            Progress::of(&tests, ProgressRule::AnyGain, &none),
            Progress::Made
        );
        let with_task = Observation {
            tasks_completed: Fact::Measured(1),
            ..tests
        };
        assert_eq!(
            Progress::of(&with_task, ProgressRule::BeyondTests, &none),
            Progress::Made
        );
        let with_feature = Observation {
            features_passed: Fact::Measured(1),
            ..Observation::default()
        };
        assert_eq!(
            Progress::of(&with_feature, ProgressRule::AnyGain, &none),
            Progress::Made,
            "any of the three is a gain"
        );
    }

    #[test]
    fn req_003_021_to_022_a_session_succeeds_if_and_only_if_a_feature_came_to_pass() {
        let none = PhaseMetrics::default();
        let files = Fact::Measured(FileChanges {
            count: 9,
            paths: vec![],
            ..FileChanges::default()
        });
        for (features, progress) in [(0, Progress::None), (1, Progress::Made)] {
            let facts = Observation {
                features_passed: Fact::Measured(features),
                files: files.clone(),
                ..Observation::default()
            };
            assert_eq!(
                Progress::of(&facts, ProgressRule::Features, &none),
                progress
            );
        }
    }
}
