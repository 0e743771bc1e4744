//! Edits forever, nothing gained.
//!
//! A loop that changes a file each time never stands still, and may still get
//! nowhere. Each iteration is expected to be worth so many points, one and a
//! half if the policy is the default; what it falls short of that adds up, what
//! it is worth beyond that is taken off again (a one-sided cumulative sum). Eight
//! iterations worth one point each, and nothing else, reach the limit of four.
//!
//! That an error came back has a signal of its own, with a threshold of its own,
//! and is not taken off here: counted by both, it would end work on tests that
//! are known to fail long before either of them says so.
//!
//! Compared is the best of the last iterations, and not the one before: whoever breaks
//! two tests and repairs one of them, again and again, repairs nothing. A return to where
//! all passes ends that, for then something else begins; so does the limit, for a change of
//! much may break more than was broken before, and is repaired bit by bit.
//!
//! Tests that are added and pass are work, though they repair nothing: an
//! iteration that has more of them than those before, and no more that fail, is
//! worth no less than what is expected. So is one after which a tool that nobody
//! knows fails with another output, for that may be a repair. As there is no end
//! to either, only so many iterations are excused until something is repaired,
//! whatever the errors are called that they met.

use super::gains::{Gain, Marks};
use super::{Before, Counters, ErrorStreaks, claims, found, last, score};
use crate::circuit::Row;
use crate::decision::Evidence;
use crate::observation::{ErrorReport, Observation};
use crate::policy::{DriftRule, Policy};
use crate::signature::{Identified, Signature, of_message};

/// The sum is not kept beyond this.
const MOST: i64 = 1_000;
/// The most iterations that are shown as evidence.
const SHOWN: usize = 8;

/// What the iteration in `row` was worth to drift, in tenths of a point, with what was
/// counted `before`, and the rows before it.
///
/// Nothing where nothing was edited, which is another signal's business, and
/// where nothing is known that an edit could have gained. Work on code whose
/// tests all pass is not held against the loop: there is nothing to repair. That they pass
/// again is worth what was repaired, where tests came to them.
pub(crate) fn worth(
    policy: &Policy,
    (facts, errors): (&Observation, &Identified<'_>),
    row: &Row,
    before: (&Counters, &[Row]),
) -> Option<i32> {
    let (counters, rows) = before;
    let edited = row.files.is_none_or(|count| count > 0);
    let open = match (row.tests, row.build_errors) {
        (None, None) => row.tasks.is_some() || facts.features_passed.seen().is_some(),
        _ => is_broken(row),
    } || row.checks_failed > Some(0);
    let complete = completes(row, rows);
    if row.score.is_none() || !edited || !(open || complete) || facts.environment.is_some() {
        return None;
    }
    // What was repaired is added from the marks.
    let repaired = best(rows, policy.drift).repaired(&marks(row));
    let repaired = policy
        .score
        .test_fixed
        .saturating_mul(i32::try_from(repaired.tests).unwrap_or(i32::MAX))
        .saturating_add(if repaired.build {
            policy.score.build_fixed
        } else {
            0
        });
    let points = score(&policy.score, facts, row, Before::default())
        .saturating_add(repaired)
        .saturating_mul(10);
    let is_excused = counters.excused < policy.drift.excused
        && gain(&counters.errors, errors, row, (rows, policy.drift)) == Some(Gain::Growth);
    Some(if is_excused || complete {
        points.max(policy.drift.expected)
    } else {
        points
    })
}

/// Whether all tests pass again, and more of them than ever: whoever writes a test first, and then
/// what it asks for, gets somewhere. A test that fails now and then brings no more with it.
fn completes(row: &Row, rows: &[Row]) -> bool {
    let Some(tests) = row.tests.filter(|_| !is_broken(row)) else {
        return false;
    };
    let before = rows.iter().filter_map(|row| row.tests);
    rows.last().is_some_and(is_broken)
        && before.map(|tests| tests.passed).max() < Some(tests.passed)
}

fn is_broken(row: &Row) -> bool {
    row.tests.is_some_and(|tests| tests.failed > 0)
        || row.build_errors > Some(0)
        || row.checks_failed > Some(0)
}

fn marks(row: &Row) -> Marks {
    Marks::at(row.tests, row.build_errors)
}

/// The best of the last iterations, since the last in which all that was measured passed.
fn best(rows: &[Row], rule: DriftRule) -> Marks {
    let is_sound = |row: &&Row| !marks(row).is_blank() && !is_broken(row);
    let rows = last(rows, rule.compared as usize);
    let broken = rows.iter().rev().take_while(|row| !is_sound(row)).count();
    let broken = last(rows, broken).iter().map(marks);
    broken
        .reduce(|best, next| best.and(&next))
        .unwrap_or_default()
}

/// What the iteration in `row` gained over those before, with `known` the errors of the last one.
fn gain(
    known: &ErrorStreaks,
    errors: &Identified<'_>,
    row: &Row,
    (rows, rule): (&[Row], DriftRule),
) -> Option<Gain> {
    if rows.is_empty() {
        return None;
    }
    let is_other_output = |(signature, error): &(Signature, &ErrorReport)| {
        of_message(error).is_some() && !known.holds(*signature)
    };
    best(rows, rule).gain(&marks(row)).or_else(|| {
        let differs = errors.iter().flatten().any(is_other_output);
        differs.then_some(Gain::Growth)
    })
}

/// How many iterations were excused, once the one in `row` is over. A repair makes up for them, and
/// so does an end of all errors.
pub(super) fn excused(
    before: (&Counters, &[Row]),
    errors: &Identified<'_>,
    row: &Row,
    rule: DriftRule,
) -> u32 {
    let (counters, rows) = before;
    if errors.as_ref().is_some_and(Vec::is_empty) {
        return 0;
    }
    match gain(&counters.errors, errors, row, (rows, rule)) {
        Some(Gain::Repair) => 0,
        Some(Gain::Growth) if row.worth.is_some() => counters.excused.saturating_add(1),
        Some(Gain::Growth) | None => counters.excused,
    }
}

/// The sum after one more iteration that was worth so much, in tenths of a point.
pub(super) fn add(before: u32, worth: Option<i32>, rule: DriftRule) -> u32 {
    let short = worth.map_or(0, |worth| i64::from(rule.expected) - i64::from(worth));
    let next = i64::from(before) + short;
    u32::try_from(next.clamp(0, MOST)).unwrap_or(0)
}

/// The iterations that the sum was lost in: what each was expected to be worth, and what came.
pub(super) fn evidence(rows: &[Row], sum: u32, rule: DriftRule) -> Vec<Evidence> {
    let mut missing = i64::from(sum);
    let mut shown = Vec::new();
    for row in rows.iter().rev() {
        if missing <= 0 || shown.len() == SHOWN {
            break;
        }
        let Some(worth) = row.worth else { continue };
        missing -= i64::from(rule.expected) - i64::from(worth);
        shown.push(found(row, words(row, worth, rule)));
    }
    shown.reverse();
    shown
}

fn words(row: &Row, worth: i32, rule: DriftRule) -> String {
    let came = points(worth);
    let expected = points(rule.expected);
    format!(
        "worth {came} of {expected} points expected: {}",
        claims::words(row)
    )
}

/// Tenths of a point as people write them.
fn points(tenths: i32) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    let tenths = tenths.unsigned_abs();
    format!("{sign}{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::TestCounts;
    use crate::policy::{Policy, Preset};

    const RULE: DriftRule = DriftRule {
        expected: 15,
        excused: 10,
        compared: 6,
    };

    fn after(worths: &[i32]) -> u32 {
        let add = |sum, worth: &i32| add(sum, Some(*worth), RULE);
        worths.iter().fold(0, add)
    }

    fn tests(passed: u32, failed: u32) -> Option<TestCounts> {
        Some(TestCounts {
            passed,
            failed,
            skipped: 0,
        })
    }

    fn worth_of(row: &Row, before: &[Row]) -> Option<i32> {
        let policy = Policy::of(Preset::Native);
        assert_eq!(policy.drift, RULE);
        let before = (&Counters::default(), before);
        worth(&policy, (&Observation::default(), &None), row, before)
    }

    #[test]
    fn eight_edits_without_gain_reach_the_limit_and_a_gain_takes_it_off() {
        assert_eq!(after(&[10; 7]), 35);
        assert_eq!(after(&[10; 8]), 40);
        assert_eq!(after(&[10, 10, 10, 60]), 0);
        assert_eq!(after(&[i32::MIN; 3]), 1_000);
        assert_eq!(add(5, None, RULE), 5);
    }

    #[test]
    fn only_edits_count_and_only_while_something_is_left_to_repair() {
        for (name, files, tests, build_errors, expected) in [
            ("failing tests", Some(1), tests(5, 2), None, Some(10)),
            ("passing tests", Some(1), tests(5, 0), None, None),
            ("nothing edited", Some(0), tests(5, 2), None, None),
            ("edits unknown", None, tests(5, 2), None, Some(0)),
            ("a broken build", Some(1), None, Some(3), Some(10)),
            ("a sound build", Some(1), tests(5, 0), Some(0), None),
            ("nothing but files", Some(1), None, None, None),
        ] {
            let row = Row {
                files,
                tests,
                build_errors,
                score: Some(1),
                ..Row::blank(1)
            };
            assert_eq!(worth_of(&row, &[]), expected, "{name}");
        }
    }

    #[test]
    fn more_passing_tests_beside_a_failing_one_are_worth_what_is_expected_and_fewer_are_not() {
        let row = |tests| Row {
            files: Some(1),
            score: Some(1),
            tests,
            ..Row::blank(1)
        };
        for (before, now, expected) in [
            (&[tests(5, 1)][..], tests(8, 1), 15),
            (&[tests(5, 1)], tests(5, 1), 10),
            (&[tests(5, 1)], tests(8, 2), 10),
            (&[tests(5, 3)], tests(7, 1), 70),
            // What was as good already is no gain, unless all passed in between or it is long ago.
            (&[tests(7, 1), tests(5, 3)], tests(7, 1), 10),
            (&[tests(7, 1), tests(8, 0), tests(5, 3)], tests(7, 1), 70),
            (
                &[&[tests(7, 1)][..], &[tests(5, 3); 5]].concat(),
                tests(7, 1),
                10,
            ),
            (
                &[&[tests(7, 1)][..], &[tests(5, 3); 6]].concat(),
                tests(7, 1),
                70,
            ),
            // A passing test that was deleted takes nothing from a repair.
            (&[tests(9, 3), tests(5, 3)], tests(6, 2), 40),
            // A failing one that was deleted is none.
            (&[tests(5, 3)], tests(5, 1), 10),
        ] {
            let before: Vec<Row> = before.iter().copied().map(row).collect();
            assert_eq!(worth_of(&row(now), &before), Some(expected), "{before:?}");
        }
    }

    #[test]
    fn the_own_checks_of_the_loop_break_it_and_their_end_ends_that() {
        let row = |tests, checks_failed| Row {
            files: Some(1),
            score: Some(1),
            tests,
            checks_failed,
            ..Row::blank(1)
        };
        assert_eq!(worth_of(&row(None, Some(0)), &[]), None);
        assert_eq!(worth_of(&row(None, Some(2)), &[]), Some(10));
        // What passed, checks and all, ends what was best before, and what did not pass does not.
        for (checks, expected) in [(0, 70), (1, 10), (2, 10)] {
            let before = [
                row(tests(7, 1), None),
                row(tests(8, 0), Some(checks)),
                row(tests(5, 3), None),
            ];
            let now = row(tests(7, 1), None);
            assert_eq!(worth_of(&now, &before), Some(expected), "{checks} failed");
        }
    }

    #[test]
    fn only_an_iteration_that_was_judged_is_excused() {
        let row = |passed, worth| Row {
            tests: tests(passed, 1),
            worth,
            ..Row::blank(1)
        };
        for (worth, expected) in [(Some(15), 4), (None, 3)] {
            let counters = Counters {
                excused: 3,
                ..Counters::default()
            };
            let before = [row(5, None)];
            let now = row(8, worth);
            let count = excused((&counters, &before), &None, &now, RULE);
            assert_eq!(count, expected, "{worth:?}");
        }
    }

    #[test]
    fn tenths_are_written_as_points() {
        for (tenths, told) in [(0, "0.0"), (15, "1.5"), (-1, "-0.1"), (-30, "-3.0")] {
            assert_eq!(points(tenths), told);
        }
    }

    #[test]
    fn the_evidence_says_what_was_expected_and_what_came() {
        let rows: Vec<Row> = (1..)
            .zip([10, 10, 70, -10])
            .map(|(n, worth)| Row {
                files: Some(2),
                tests: tests(5, 3),
                score: Some(-1),
                worth: Some(worth),
                ..Row::blank(n)
            })
            .collect();
        let shown = evidence(&rows, 25, RULE);
        let told = |worth: &str| {
            format!("worth {worth} of 1.5 points expected: 3 tests fail, 2 files changed")
        };
        assert_eq!(shown, [found(&rows[3], told("-1.0"))]);
        assert_eq!(
            evidence(&rows[..2], 10, RULE)[0],
            found(&rows[0], told("1.0"))
        );
    }
}
