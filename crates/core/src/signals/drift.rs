//! Edits forever, nothing gained.
//!
//! A loop that changes a file each time never stands still, and may still get
//! nowhere. Each iteration is expected to be worth one and a half points; what
//! it falls short of that adds up, what it is worth beyond that is taken off
//! again (a one-sided cumulative sum). Eight iterations worth one point each,
//! and nothing else, reach the limit of four.
//!
//! That an error came back has a signal of its own, with a threshold of its own,
//! and is not taken off here: counted by both, it would end work on tests that
//! are known to fail long before either of them says so.

use crate::circuit::Row;
use crate::observation::Observation;
use crate::policy::ScoreWeights;

use super::{Before, score};

/// What an iteration is expected to be worth, in tenths of a point.
const EXPECTED: i64 = 15;
/// The sum is not kept beyond this.
const MOST: i64 = 1_000;

/// What the iteration in `row` was worth to drift, with `last` the one before it.
pub(crate) fn worth(
    weights: &ScoreWeights,
    facts: &Observation,
    row: &Row,
    last: Option<&Row>,
) -> Option<i32> {
    let before = Before {
        row: last,
        same_error: false,
    };
    row.score.map(|_| score(weights, facts, row, before))
}

/// The sum after one more iteration that was worth so much, in tenths of a point.
///
/// It stays where nothing was edited, which is another signal's business, and
/// where nothing is known that an edit could have gained. Work on code whose
/// tests all pass is not held against the loop: there is nothing to repair.
pub(super) fn add(before: u32, facts: &Observation, row: &Row, worth: Option<i32>) -> u32 {
    let edited = row.files.is_none_or(|count| count > 0);
    let open = match (row.tests, row.build_errors) {
        (None, None) => row.tasks.is_some() || facts.features_passed.seen().is_some(),
        (tests, errors) => tests.is_some_and(|tests| tests.failed > 0) || errors > Some(0),
    };
    let Some(worth) = worth.filter(|_| edited && open && facts.environment.is_none()) else {
        return before;
    };
    let next = i64::from(before) + EXPECTED - 10 * i64::from(worth);
    u32::try_from(next.clamp(0, MOST)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::TestCounts;

    fn after(worths: &[i32]) -> u32 {
        worths.iter().fold(0, |sum, worth| {
            let row = Row {
                tasks: Some(0),
                ..Row::blank(1)
            };
            add(sum, &Observation::default(), &row, Some(*worth))
        })
    }

    #[test]
    fn eight_edits_without_gain_reach_the_limit_and_a_gain_takes_it_off() {
        assert_eq!(after(&[1; 7]), 35);
        assert_eq!(after(&[1; 8]), 40);
        assert_eq!(after(&[1, 1, 1, 6]), 0);
        assert_eq!(after(&[i32::MIN; 3]), 1_000);
    }

    #[test]
    fn only_edits_count_and_only_while_something_is_left_to_repair() {
        let tests = |failed| {
            Some(TestCounts {
                passed: 5,
                failed,
                skipped: 0,
            })
        };
        for (name, files, tests, build_errors, expected) in [
            ("failing tests", Some(1), tests(2), None, 10),
            ("passing tests", Some(1), tests(0), None, 5),
            ("nothing edited", Some(0), tests(2), None, 5),
            ("edits unknown", None, tests(2), None, 10),
            ("a broken build", Some(1), None, Some(3), 10),
            ("a sound build", Some(1), tests(0), Some(0), 5),
        ] {
            let row = Row {
                files,
                tests,
                build_errors,
                tasks: Some(0),
                ..Row::blank(1)
            };
            assert_eq!(
                add(5, &Observation::default(), &row, Some(1)),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn where_nothing_but_files_is_known_edits_are_not_held_against_the_loop() {
        let row = Row {
            files: Some(1),
            ..Row::blank(1)
        };
        assert_eq!(add(5, &Observation::default(), &row, Some(1)), 5);
    }
}
