//! Alerts: trends worth a person's glance, beside the state and never in its
//! place.

use serde::{Deserialize, Serialize};

use crate::circuit::{Circuit, Row};
use crate::limiter::CallsLeft;

/// Iterations a trend must last.
const TREND: usize = 3;
/// More iterations than this on one task are too many.
const TASK_LOOPS: u32 = 20;
/// A fall of the output by so many percent.
const OUTPUT_FALL: u64 = 70;
/// Fewer calls left than this share of the limit, in percent.
const CALLS_SHARE: u64 = 20;

/// A trend worth a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alert {
    /// More than twenty iterations on a single task.
    LoopCount,
    /// No task completed in three or more iterations.
    TasksCompleted,
    /// No file modified in three or more iterations.
    FilesModified,
    /// The share of passing tests fell three times in a row.
    TestPassRate,
    /// More errors each time, three times in a row.
    ErrorFrequency,
    /// The output fell by seventy percent.
    OutputVolume,
    /// Less than a fifth of the calls is left.
    CallsRemaining,
    /// Three iterations in a row with a negative score.
    ProgressScore,
}

impl Alert {
    /// The alert in a few words.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::LoopCount => "more than 20 iterations on a single task",
            Self::TasksCompleted => "no task completed in 3 or more iterations",
            Self::FilesModified => "no file modified in 3 or more iterations",
            Self::TestPassRate => "the share of passing tests falls",
            Self::ErrorFrequency => "more errors each time",
            Self::OutputVolume => "the output fell by 70 % or more",
            Self::CallsRemaining => "less than 20 % of the calls is left",
            Self::ProgressScore => "a negative score for 3 iterations",
        }
    }
}

/// All alerts that hold.
#[must_use]
pub fn alerts(circuit: &Circuit, calls: &CallsLeft) -> Vec<Alert> {
    let rows = circuit.counted_rows();
    let held = [
        (
            Alert::LoopCount,
            circuit.core.counters.task.iterations > TASK_LOOPS,
        ),
        (
            Alert::TasksCompleted,
            lasts(rows, |row| row.tasks == Some(0)),
        ),
        (
            Alert::FilesModified,
            lasts(rows, |row| row.files == Some(0)),
        ),
        (
            Alert::TestPassRate,
            moves(rows, pass_rate, |before, now| now < before),
        ),
        (
            Alert::ErrorFrequency,
            moves(
                rows,
                |row| row.error_count.map(u64::from),
                |before, now| now > before,
            ),
        ),
        (Alert::OutputVolume, output_fell(rows)),
        (
            Alert::CallsRemaining,
            u64::from(calls.left) * 100 < u64::from(calls.limit) * CALLS_SHARE,
        ),
        (
            Alert::ProgressScore,
            lasts(rows, |row| row.score.is_some_and(|score| score < 0)),
        ),
    ];
    held.into_iter()
        .filter(|(_, holds)| *holds)
        .map(|(alert, _)| alert)
        .collect()
}

fn lasts(rows: &[Row], holds: impl Fn(&Row) -> bool) -> bool {
    rows.len() >= TREND && rows[rows.len() - TREND..].iter().all(holds)
}

/// Whether a value moved the same way three times in a row.
fn moves(
    rows: &[Row],
    value: impl Fn(&Row) -> Option<u64>,
    worse: impl Fn(u64, u64) -> bool,
) -> bool {
    let values: Vec<Option<u64>> = rows.iter().rev().take(TREND + 1).map(value).collect();
    values.len() == TREND + 1
        && values
            .windows(2)
            .all(|pair| matches!(pair, [Some(now), Some(before)] if worse(*before, *now)))
}

/// Passing tests per million.
fn pass_rate(row: &Row) -> Option<u64> {
    let tests = row.tests?;
    let all = u64::from(tests.passed) + u64::from(tests.failed);
    (u64::from(tests.passed) * 1_000_000).checked_div(all)
}

fn output_fell(rows: &[Row]) -> bool {
    let lines: Vec<u64> = rows
        .iter()
        .rev()
        .filter_map(|row| row.output_lines)
        .take(TREND)
        .collect();
    let [now, before @ ..] = lines.as_slice() else {
        return false;
    };
    let most = before.iter().copied().max().unwrap_or(0);
    lines.len() == TREND
        && most > 0
        && u128::from(*now) * 100 <= u128::from(most) * u128::from(100 - OUTPUT_FALL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::TestCounts;

    const CALM: CallsLeft = CallsLeft {
        limit: 100,
        window_ms: 1,
        used: 0,
        left: 100,
        near: false,
        next_in_ms: 0,
    };

    fn of(rows: Vec<Row>) -> Vec<Alert> {
        let mut circuit = Circuit {
            rows,
            ..Circuit::default()
        };
        circuit.core.counters.ticks = 99;
        alerts(&circuit, &CALM)
    }

    #[test]
    fn req_004_077_to_084_each_alert_holds_at_its_threshold_and_not_before() {
        let suite = |passed, failed| Row {
            tests: Some(TestCounts {
                passed,
                failed,
                skipped: 0,
            }),
            ..Row::blank(1)
        };
        let tests = |passed| suite(passed, 10 - passed);
        let errors = |count| Row {
            error_count: Some(count),
            ..Row::blank(1)
        };
        let lines = |count| Row {
            output_lines: Some(count),
            ..Row::blank(1)
        };
        let rows = |count: usize, row: Row| vec![row; count];
        for (name, rows, expected) in [
            (
                "two without a task",
                rows(
                    2,
                    Row {
                        tasks: Some(0),
                        ..Row::blank(1)
                    },
                ),
                vec![],
            ),
            (
                "three",
                rows(
                    3,
                    Row {
                        tasks: Some(0),
                        ..Row::blank(1)
                    },
                ),
                vec![Alert::TasksCompleted],
            ),
            ("unknown is not zero", rows(3, Row::blank(1)), vec![]),
            (
                "no files",
                rows(
                    4,
                    Row {
                        files: Some(0),
                        ..Row::blank(1)
                    },
                ),
                vec![Alert::FilesModified],
            ),
            (
                "falling tests",
                [9, 8, 7, 6].map(tests).to_vec(),
                vec![Alert::TestPassRate],
            ),
            ("two falls", [8, 8, 7, 6].map(tests).to_vec(), vec![]),
            (
                "more tests, as many of them pass",
                [1, 2, 3, 4].map(|n| suite(n, n)).to_vec(),
                vec![],
            ),
            (
                "errors that stay for once",
                [1, 2, 2, 3].map(errors).to_vec(),
                vec![],
            ),
            (
                "output that falls by less",
                [50, 100, 31].map(lines).to_vec(),
                vec![],
            ),
            ("no output at all", [0, 0, 0].map(lines).to_vec(), vec![]),
            (
                "output of two iterations",
                vec![Row::blank(1), lines(100), lines(30)],
                vec![],
            ),
            (
                "output of three, and of one that nobody counted",
                vec![lines(50), lines(100), Row::blank(1), lines(30)],
                vec![Alert::OutputVolume],
            ),
            (
                "the last three of many",
                [5, 5, 5, 0, 0, 0]
                    .map(|n| Row {
                        files: Some(n),
                        ..Row::blank(1)
                    })
                    .to_vec(),
                vec![Alert::FilesModified],
            ),
            (
                "a score of nothing is not below it",
                rows(
                    3,
                    Row {
                        score: Some(0),
                        ..Row::blank(1)
                    },
                ),
                vec![],
            ),
            (
                "rising errors",
                [1, 2, 3, 4].map(errors).to_vec(),
                vec![Alert::ErrorFrequency],
            ),
            (
                "output",
                [50, 100, 30].map(lines).to_vec(),
                vec![Alert::OutputVolume],
            ),
            (
                "scores",
                rows(
                    3,
                    Row {
                        score: Some(-1),
                        ..Row::blank(1)
                    },
                ),
                vec![Alert::ProgressScore],
            ),
            (
                "one score is positive",
                [-9, 1, -9]
                    .map(|n| Row {
                        score: Some(n),
                        ..Row::blank(1)
                    })
                    .to_vec(),
                vec![],
            ),
        ] {
            assert_eq!(of(rows), expected, "{name}");
        }
        let mut circuit = Circuit::default();
        circuit.core.counters.task.iterations = 20;
        assert_eq!(alerts(&circuit, &CALM), []);
        circuit.core.counters.task.iterations = 21;
        assert_eq!(
            alerts(&circuit, &CallsLeft { left: 20, ..CALM }),
            [Alert::LoopCount]
        );
        assert_eq!(
            alerts(&circuit, &CallsLeft { left: 19, ..CALM }),
            [Alert::LoopCount, Alert::CallsRemaining]
        );
    }
}
