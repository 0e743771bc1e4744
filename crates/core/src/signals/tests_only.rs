//! The share of work that went into tests alone.

use super::{found, last};
use crate::circuit::Row;
use crate::decision::Evidence;
use crate::observation::WorkType;

/// Iterations that are looked at.
const WINDOW: usize = 5;
/// Fewer than this many say nothing.
const ENOUGH: usize = 3;

/// In percent of the iterations whose kind of work is known.
pub(super) fn value(rows: &[Row]) -> u32 {
    let known: Vec<WorkType> = last(rows, WINDOW)
        .iter()
        .filter_map(|row| row.work_type)
        .collect();
    if known.len() < ENOUGH {
        return 0;
    }
    let tests = known
        .iter()
        .filter(|work| **work == WorkType::Testing)
        .count();
    u32::try_from(tests * 100 / known.len()).unwrap_or(100)
}

pub(super) fn evidence(rows: &[Row]) -> Vec<Evidence> {
    last(rows, WINDOW)
        .iter()
        .filter(|row| row.work_type == Some(WorkType::Testing))
        .map(|row| found(row, "worked on tests alone"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_004_023_the_share_is_taken_over_five_iterations_and_at_least_three() {
        use WorkType::{Implementation as I, Testing as T};
        for (work, share) in [
            (&[T, T][..], 0),
            (&[T, T, T], 100),
            (&[I, T, T], 66),
            (&[I, T, T, T, T], 80),
            (&[I, I, I, T, T, T, T, T], 100),
            (&[I, I, T], 33),
        ] {
            let rows: Vec<Row> = work
                .iter()
                .map(|work| Row {
                    work_type: Some(*work),
                    ..Row::blank(1)
                })
                .collect();
            assert_eq!(value(&rows), share, "{work:?}");
        }
    }
}
