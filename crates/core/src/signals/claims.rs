//! What the agent says of itself, held against what was measured.

use super::{found, lacks, last};
use crate::circuit::Row;
use crate::decision::Evidence;
use crate::observation::{Ended, Observation};

/// A count of ticks in a row: one more if it held, none if it did not, the same
/// where it cannot be told.
pub(super) fn in_a_row(before: u32, held: Option<bool>) -> u32 {
    match held {
        Some(true) => before.saturating_add(1),
        Some(false) => 0,
        None => before,
    }
}

/// Completion was claimed while tests fail, the build does, files are missing or
/// criteria are unmet. No claim is no contradiction.
pub(super) fn unproven(facts: &Observation) -> Option<bool> {
    let claimed = facts.claimed.complete?;
    let failing = facts.tests.seen().is_some_and(|tests| tests.failed > 0);
    let lacking = lacking(facts).any(|count| count > 0);
    Some(claimed && (failing || lacking))
}

/// Whether what was measured bears a claim of completion out.
fn is_borne_out(facts: &Observation) -> bool {
    let tests = facts.tests.seen().map(|tests| tests.failed);
    let mut measured = tests.into_iter().chain(lacking(facts)).peekable();
    measured.peek().is_some() && measured.all(|count| count == 0)
}

/// How much is missing, of each kind that was measured.
fn lacking(facts: &Observation) -> impl Iterator<Item = u32> {
    let kinds = [
        &facts.build_errors,
        &facts.checks_failed,
        &facts.required_missing,
        &facts.criteria_unmet,
    ];
    kinds.into_iter().filter_map(|fact| fact.seen().copied())
}

/// The agent says it is done, and nothing was completed.
pub(super) fn done_with_nothing_completed(facts: &Observation) -> Option<bool> {
    let claims = &facts.claimed;
    if claims.complete.is_none() && claims.exit_signal.is_none() {
        return None;
    }
    let done = claims.complete == Some(true) || claims.exit_signal == Some(true);
    let completed = facts.tasks_completed.seen().is_some_and(|count| *count > 0);
    Some(done && !completed && !is_borne_out(facts))
}

/// A claim and a measurement of the same thing disagree.
pub(super) fn contradicted(facts: &Observation) -> Option<bool> {
    let files = match (facts.claimed.files_modified, facts.files.seen()) {
        (Some(claimed), Some(seen)) => Some(claimed > 0 && seen.count == 0),
        _ => None,
    };
    match (files, unproven(facts)) {
        (None, None) => None,
        (a, b) => Some(a == Some(true) || b == Some(true)),
    }
}

/// The iterations a run of ticks was counted from.
pub(super) fn evidence(rows: &[Row], value: u32) -> Vec<Evidence> {
    last(rows, value as usize)
        .iter()
        .map(|row| found(row, words(row)))
        .collect()
}

pub(super) fn words(row: &Row) -> String {
    let mut parts: Vec<String> = row.ended.map(Ended::words).into_iter().collect();
    parts.extend(lacks(row));
    if let Some(tests) = row.tests {
        parts.push(match tests.failed {
            1 => "1 test fails".into(),
            failed => format!("{failed} tests fail"),
        });
    }
    match row.build_errors {
        None | Some(0) => {}
        Some(1) => parts.push("1 error in the build".into()),
        Some(errors) => parts.push(format!("{errors} errors in the build")),
    }
    if row.checks_failed.is_some_and(|failed| failed > 0) {
        parts.push("the test command fails".into());
    }
    match row.files {
        Some(1) => parts.push("1 file changed".into()),
        Some(count) => parts.push(format!("{count} files changed")),
        None => parts.push("file changes unknown".into()),
    }
    if row.tasks == Some(0) {
        parts.push("no task completed".into());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Fact;
    use crate::observation::{Claims, FileChanges, TestCounts};

    fn claiming(claims: Claims) -> Observation {
        Observation {
            claimed: claims,
            ..Observation::default()
        }
    }

    #[test]
    fn req_000_031_to_033_a_claim_needs_passing_tests_present_files_and_met_criteria() {
        let complete = || {
            claiming(Claims {
                complete: Some(true),
                ..Claims::default()
            })
        };
        let failed = |failed| {
            Fact::Measured(TestCounts {
                failed,
                ..TestCounts::default()
            })
        };
        for (facts, expected) in [
            (Observation::default(), None),
            (complete(), Some(false)),
            (
                Observation {
                    tests: failed(0),
                    ..complete()
                },
                Some(false),
            ),
            (
                Observation {
                    tests: failed(2),
                    ..complete()
                },
                Some(true),
            ),
            (
                Observation {
                    build_errors: Fact::Measured(1),
                    ..complete()
                },
                Some(true),
            ),
            (
                Observation {
                    required_missing: Fact::Measured(1),
                    ..complete()
                },
                Some(true),
            ),
            (
                Observation {
                    criteria_unmet: Fact::Measured(3),
                    ..complete()
                },
                Some(true),
            ),
            (
                Observation {
                    required_missing: Fact::Measured(0),
                    criteria_unmet: Fact::Measured(0),
                    ..complete()
                },
                Some(false),
            ),
            (
                Observation {
                    criteria_unmet: Fact::Claimed(3),
                    ..complete()
                },
                Some(false),
            ),
            (
                Observation {
                    tests: failed(2),
                    ..claiming(Claims {
                        complete: Some(false),
                        ..Claims::default()
                    })
                },
                Some(false),
            ),
        ] {
            assert_eq!(unproven(&facts), expected, "{facts:?}");
        }
    }

    #[test]
    fn req_000_006_done_without_completion_is_counted_in_a_row() {
        let done = || {
            claiming(Claims {
                exit_signal: Some(true),
                ..Claims::default()
            })
        };
        assert_eq!(done_with_nothing_completed(&done()), Some(true));
        assert_eq!(
            done_with_nothing_completed(&Observation {
                tasks_completed: Fact::Measured(1),
                ..done()
            }),
            Some(false)
        );
        assert_eq!(done_with_nothing_completed(&Observation::default()), None);
        for (required, criteria, expected) in [(0, 0, false), (0, 1, true)] {
            let facts = Observation {
                required_missing: Fact::Measured(required),
                criteria_unmet: Fact::Measured(criteria),
                ..done()
            };
            assert_eq!(done_with_nothing_completed(&facts), Some(expected));
        }
        for (complete, tasks, expected) in [(true, 0, true), (true, 1, false), (false, 0, false)] {
            let facts = Observation {
                tasks_completed: Fact::Measured(tasks),
                ..claiming(Claims {
                    complete: Some(complete),
                    ..Claims::default()
                })
            };
            assert_eq!(done_with_nothing_completed(&facts), Some(expected));
        }
        assert_eq!(
            [Some(true), None, Some(true), Some(false), Some(true)]
                .into_iter()
                .fold(0, in_a_row),
            1
        );
    }

    #[test]
    fn req_d_062_a_claim_of_edits_that_nobody_saw_is_a_contradiction() {
        let claims = Claims {
            files_modified: Some(3),
            ..Claims::default()
        };
        let seen = |count| Observation {
            files: Fact::Measured(FileChanges {
                count,
                paths: vec![],
                ..FileChanges::default()
            }),
            ..claiming(claims)
        };
        let modest = Observation {
            claimed: Claims {
                files_modified: Some(0),
                ..Claims::default()
            },
            ..seen(0)
        };
        assert_eq!(contradicted(&modest), Some(false));
        assert_eq!(contradicted(&seen(0)), Some(true));
        assert_eq!(contradicted(&seen(1)), Some(false));
        assert_eq!(contradicted(&claiming(claims)), None);
    }
}
