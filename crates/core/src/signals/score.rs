//! What an iteration was worth.

use super::{found, last};
use crate::circuit::Row;
use crate::decision::Evidence;
use crate::observation::Observation;
use crate::policy::ScoreWeights;

/// Iterations whose scores are added up.
const WINDOW: usize = 3;

/// What an iteration is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before<'a> {
    /// The iteration before it.
    pub row: Option<&'a Row>,
    /// Whether one of its errors was met then. A row has too few of them to tell.
    pub same_error: bool,
}

/// The score of the iteration in `row`. What is unknown neither adds nor takes away.
#[must_use]
pub fn score(weights: &ScoreWeights, facts: &Observation, row: &Row, before: Before<'_>) -> i32 {
    let files = match row.files {
        Some(0) => weights.no_files,
        Some(count) if weights.per_file => weights
            .files
            .saturating_mul(i32::try_from(count).unwrap_or(i32::MAX)),
        Some(_) => weights.files,
        None => 0,
    };
    let tasks = weights
        .task
        .saturating_mul(i32::try_from(row.tasks.unwrap_or(0)).unwrap_or(i32::MAX));
    let tests = weights
        .test_fixed
        .saturating_mul(tests_fixed(row, before.row));
    let build = match (
        facts.build_errors.seen(),
        before.row.and_then(|row| row.build_errors),
    ) {
        (Some(now), Some(last)) if *now < last => weights.build_fixed,
        _ => 0,
    };
    let same = if before.same_error {
        weights.same_error
    } else {
        0
    };
    // What somebody kept a diary of may have been worth writing.
    let reverted = if row.returned_to.is_some() && !row.sources_alone {
        weights.reverted
    } else {
        0
    };
    [files, tasks, tests, build, same, reverted]
        .into_iter()
        .fold(0, i32::saturating_add)
}

/// Tests that failed before and pass now. A test that is new, or a failing one
/// that was deleted, is neither.
fn tests_fixed(row: &Row, before: Option<&Row>) -> i32 {
    let (Some(now), Some(last)) = (row.tests, before.and_then(|row| row.tests)) else {
        return 0;
    };
    let passed = now.passed.saturating_sub(last.passed);
    let repaired = last.failed.saturating_sub(now.failed);
    i32::try_from(passed.min(repaired)).unwrap_or(i32::MAX)
}

/// How far below zero the last three scores are together.
pub(super) fn deficit(rows: &[Row]) -> u32 {
    let scores: Vec<i32> = last(rows, WINDOW)
        .iter()
        .filter_map(|row| row.score)
        .collect();
    let sum = scores
        .iter()
        .fold(0_i32, |sum, score| sum.saturating_add(*score));
    if scores.len() < WINDOW || sum >= 0 {
        0
    } else {
        sum.unsigned_abs()
    }
}

pub(super) fn evidence(rows: &[Row]) -> Vec<Evidence> {
    last(rows, WINDOW)
        .iter()
        .filter_map(|row| Some(found(row, format!("score {:+}", row.score?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Fact;
    use crate::observation::TestCounts;
    use crate::policy::{Policy, Preset};

    fn weights() -> ScoreWeights {
        Policy::of(Preset::Superkit).score
    }

    #[test]
    fn req_004_026_to_032_each_indicator_has_its_weight() {
        let tests = |passed, failed| {
            Some(TestCounts {
                passed,
                failed,
                skipped: 0,
            })
        };
        let builds = |errors| Observation {
            build_errors: Fact::Measured(errors),
            ..Observation::default()
        };
        let blank = || Row::blank(1);
        let plain = Observation::default;
        for (name, facts, now, last, expected) in [
            ("nothing known", plain(), blank(), blank(), 0),
            (
                "no files modified",
                plain(),
                Row {
                    files: Some(0),
                    ..blank()
                },
                blank(),
                -3,
            ),
            (
                "three files",
                plain(),
                Row {
                    files: Some(3),
                    ..blank()
                },
                blank(),
                3,
            ),
            (
                "two tasks",
                plain(),
                Row {
                    tasks: Some(2),
                    ..blank()
                },
                blank(),
                10,
            ),
            (
                "two tests fixed",
                plain(),
                Row {
                    tests: tests(5, 1),
                    ..blank()
                },
                Row {
                    tests: tests(3, 3),
                    ..blank()
                },
                6,
            ),
            (
                "new tests pass",
                plain(),
                Row {
                    tests: tests(5, 3),
                    ..blank()
                },
                Row {
                    tests: tests(3, 3),
                    ..blank()
                },
                0,
            ),
            (
                "tests deleted",
                plain(),
                Row {
                    tests: tests(3, 0),
                    ..blank()
                },
                Row {
                    tests: tests(3, 3),
                    ..blank()
                },
                0,
            ),
            (
                "build error resolved",
                builds(1),
                blank(),
                Row {
                    build_errors: Some(4),
                    ..blank()
                },
                2,
            ),
            (
                "build errors stay",
                builds(4),
                blank(),
                Row {
                    build_errors: Some(4),
                    ..blank()
                },
                0,
            ),
            (
                "reverted",
                plain(),
                Row {
                    returned_to: Some(1),
                    ..blank()
                },
                blank(),
                -1,
            ),
        ] {
            for (same_error, less) in [(false, 0), (true, -2)] {
                let before = Before {
                    row: Some(&last),
                    same_error,
                };
                assert_eq!(
                    score(&weights(), &facts, &now, before),
                    expected + less,
                    "{name}"
                );
            }
        }
        let once = ScoreWeights {
            per_file: false,
            ..weights()
        };
        assert_eq!(
            score(
                &once,
                &plain(),
                &Row {
                    files: Some(9),
                    ..blank()
                },
                Before::default()
            ),
            1
        );
    }

    #[test]
    fn req_004_034_the_sum_of_three_must_be_negative() {
        for (scores, expected) in [
            (&[-3, -3][..], 0),
            (&[-3, 1, 1], 1),
            (&[-3, 1, 2], 0),
            (&[-9, 1, 1, 1], 0),
            (&[i32::MIN, -1, -1], i32::MIN.unsigned_abs()),
        ] {
            let rows: Vec<Row> = scores
                .iter()
                .map(|score| Row {
                    score: Some(*score),
                    ..Row::blank(1)
                })
                .collect();
            assert_eq!(deficit(&rows), expected, "{scores:?}");
        }
    }
}
