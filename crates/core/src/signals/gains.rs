//! Gains that were measured while an error was there.
//!
//! They are held against the best there was since the error came up, not against the iteration
//! before: whoever breaks a test and repairs it again has gained nothing.

use serde::{Deserialize, Serialize};

use crate::observation::{Observation, TestCounts};

/// What was gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gain {
    /// Less is broken than ever: fewer tests fail, and not because there are fewer of them, or
    /// fewer errors are left in the build. There is an end to that.
    Repair,
    /// More tests pass than ever, and no more fail. There is no end to that: a test that passes
    /// is easily added.
    Growth,
}

/// How much less is broken than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repaired {
    /// Tests that failed and pass.
    pub(super) tests: u32,
    /// Whether fewer errors are left in the build.
    pub(super) build: bool,
}

/// The best that was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Marks {
    /// The fewest failing tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<u32>,
    /// The most passing tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<u32>,
    /// Tests that were run when they were counted last. It is no mark: passing tests may go for good
    /// reasons, but a failing one that went was not repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<u32>,
    /// The fewest errors of the build.
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<u32>,
}

impl Marks {
    /// The marks that these counts set, where there are none.
    pub(super) fn at(tests: Option<TestCounts>, build: Option<u32>) -> Self {
        Self {
            failed: tests.map(|tests| tests.failed),
            passed: tests.map(|tests| tests.passed),
            run: tests.map(|tests| tests.passed.saturating_add(tests.failed)),
            build,
        }
    }

    pub(super) fn of(facts: &Observation) -> Self {
        Self::at(
            facts.tests.seen().copied(),
            facts.build_errors.seen().copied(),
        )
    }

    pub(super) fn is_blank(&self) -> bool {
        *self == Self::default()
    }

    /// What `now` gains over these marks. What is unknown on either side gains nothing.
    pub(super) fn gain(&self, now: &Self) -> Option<Gain> {
        let less = |now: Option<u32>, best: Option<u32>| Some(now? < best?);
        let repaired = self.repaired(now);
        let repaired = repaired.tests > 0 || repaired.build;
        let no_more_fail = less(self.failed, now.failed) == Some(false);
        let grown = less(self.passed, now.passed) == Some(true) && no_more_fail;
        match (repaired, grown) {
            (true, _) => Some(Gain::Repair),
            (false, true) => Some(Gain::Growth),
            (false, false) => None,
        }
    }

    /// How much less is broken than these marks say.
    pub(super) fn repaired(&self, now: &Self) -> Repaired {
        let tests = match (self.failed, now.failed) {
            (Some(best), Some(now_failed)) if now.run >= self.run => {
                best.saturating_sub(now_failed)
            }
            _ => 0,
        };
        let build = self
            .build
            .zip(now.build)
            .is_some_and(|(best, now)| now < best);
        Repaired { tests, build }
    }

    /// The marks once `now` was seen as well.
    pub(super) fn and(&self, now: &Self) -> Self {
        let least = |one: Option<u32>, other: Option<u32>| one.into_iter().chain(other).min();
        // Where fewer fail of fewer that were run, tests were deleted or the run was cut short: that
        // is no best, and the next whole run is held against the last. A run in which more pass than
        // ever was not cut short.
        let is_partial =
            now.run < self.run && now.failed < self.failed && now.passed <= self.passed;
        let (failed, run) = if is_partial {
            (self.failed, self.run)
        } else {
            (least(self.failed, now.failed), now.run.or(self.run))
        };
        Self {
            failed,
            passed: self.passed.max(now.passed),
            run,
            build: least(self.build, now.build),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn tests(passed: u32, failed: u32) -> Marks {
        skipping(passed, failed, 9)
    }

    fn skipping(passed: u32, failed: u32, skipped: u32) -> Marks {
        let counts = TestCounts {
            passed,
            failed,
            skipped,
        };
        Marks::at(Some(counts), None)
    }

    fn build(errors: u32) -> Marks {
        Marks::at(None, Some(errors))
    }

    /// The gains of these runs, each held against all before it.
    fn gains(runs: &[(u32, u32)]) -> Vec<Gain> {
        let mut best = Marks::default();
        let gained = runs.iter().filter_map(|(passed, failed)| {
            let now = tests(*passed, *failed);
            let gain = best.gain(&now);
            best = best.and(&now);
            gain
        });
        gained.collect()
    }

    proptest! {
        #[test]
        fn deleting_tests_buys_no_repair_and_there_are_never_more_repairs_than_tests_that_failed(
            runs in vec((0..40_u32, 0..40_u32), 1..60),
            fewer in vec(1..9_u32, 0..60),
        ) {
            let repairs = |runs: &[(u32, u32)]| {
                let repairs = gains(runs).into_iter().filter(|gain| *gain == Gain::Repair);
                repairs.count()
            };
            prop_assert!(repairs(&runs) <= runs[0].1 as usize);
            // However many pass of them, and whatever is added to those.
            let mut run = 600;
            let shrinking: Vec<(u32, u32)> = runs
                .iter()
                .zip(fewer)
                .map(|((_, failed), fewer)| {
                    run -= fewer;
                    (run - failed, *failed)
                })
                .collect();
            prop_assert_eq!(repairs(&shrinking), 0);
        }
    }

    #[test]
    fn a_gain_is_more_than_the_best_there_was_and_never_less_to_fail() {
        use Gain::{Growth, Repair};
        let unknown = Marks::default();
        for (name, seen, now, gain) in [
            (
                "a test repaired",
                &[tests(3, 7)][..],
                tests(4, 6),
                Some(Repair),
            ),
            (
                "the failing test deleted",
                &[tests(3, 7)],
                tests(3, 6),
                None,
            ),
            (
                "the failing test skipped",
                &[tests(3, 7)],
                skipping(3, 6, 10),
                None,
            ),
            (
                "tests added that pass",
                &[tests(3, 1)],
                tests(6, 1),
                Some(Growth),
            ),
            ("and one that fails", &[tests(3, 1)], tests(6, 2), None),
            ("nothing", &[tests(3, 1)], tests(3, 1), None),
            (
                "broken and repaired",
                &[tests(4, 6), tests(3, 7)],
                tests(4, 6),
                None,
            ),
            (
                "deleted, and once more as many",
                &[tests(3, 7), tests(3, 6)],
                tests(3, 6),
                None,
            ),
            (
                "deleted, then added, as if at once",
                &[tests(3, 7), tests(3, 6)],
                tests(4, 6),
                Some(Repair),
            ),
            (
                "a run that was cut short, then a test repaired",
                &[tests(3, 7), tests(0, 1), tests(1, 1)],
                tests(4, 6),
                Some(Repair),
            ),
            (
                "cut short twice",
                &[tests(3, 7), tests(0, 1)],
                tests(0, 1),
                None,
            ),
            (
                "a passing test deleted, then one repaired",
                &[tests(3, 7), tests(2, 7)],
                tests(3, 6),
                Some(Repair),
            ),
            (
                "a passing test deleted and one repaired, then the next, and the next",
                &[tests(3, 7), tests(3, 6), tests(4, 5)],
                tests(5, 4),
                Some(Repair),
            ),
            (
                "failing tests deleted while passing ones are added, as often as there are any",
                &[tests(3, 7), tests(4, 5), tests(5, 3)],
                tests(6, 1),
                Some(Growth),
            ),
            (
                "a whole run after a shorter one that was no better",
                &[tests(9, 9), tests(3, 10), tests(8, 5)],
                tests(8, 5),
                None,
            ),
            (
                "fewer errors in the build",
                &[build(7)],
                build(3),
                Some(Repair),
            ),
            ("as many", &[build(7)], build(7), None),
            ("more, then as few", &[build(7), build(9)], build(7), None),
            ("unknown before", &[unknown], tests(9, 0), None),
            ("unknown since", &[tests(3, 7)], unknown, None),
            (
                "unknown between",
                &[tests(3, 7), unknown],
                tests(4, 6),
                Some(Repair),
            ),
        ] {
            let seen = seen.iter().copied().reduce(|best, next| best.and(&next));
            assert_eq!(seen.unwrap_or_default().gain(&now), gain, "{name}");
        }
    }
}
