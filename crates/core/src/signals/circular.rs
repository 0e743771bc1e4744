//! The same two or three approaches, over and over.

use super::{found, last};
use crate::circuit::Row;
use crate::decision::Evidence;

/// How many full cycles of a period of two or three the history ends with; 0 if
/// there is no cycle, or if a task was completed on the way. Iterations of which nobody said
/// what was tried are passed over.
pub(super) fn value(rows: &[Row]) -> u32 {
    [2, 3]
        .into_iter()
        .map(|period| cycles(rows, period))
        .max()
        .unwrap_or(0)
}

fn cycles(rows: &[Row], period: usize) -> u32 {
    let tail: Vec<u64> = rows
        .iter()
        .rev()
        .take_while(|row| row.tasks.unwrap_or(0) == 0)
        .filter_map(|row| row.approach.as_ref().map(|approach| approach.id))
        .collect();
    let Some(cycle) = tail.get(..period) else {
        return 0;
    };
    // One approach over and over is not a cycle of several.
    if cycle.iter().all(|id| *id == cycle[0]) {
        return 0;
    }
    let matching = tail
        .iter()
        .zip(cycle.iter().cycle())
        .take_while(|(a, b)| a == b)
        .count();
    u32::try_from(matching / period).unwrap_or(u32::MAX)
}

pub(super) fn evidence(rows: &[Row]) -> Vec<Evidence> {
    let tried: Vec<Evidence> = rows
        .iter()
        .filter_map(|row| {
            Some(found(
                row,
                format!("tried: {}", row.approach.as_ref()?.shown),
            ))
        })
        .collect();
    last(&tried, 6).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Named;

    #[test]
    fn req_004_024_to_025_two_full_cycles_of_two_or_three_approaches() {
        for (tried, cycles) in [
            ("ABAB", 2),
            ("BABA", 2),
            ("ABCABC", 2),
            ("ABA", 1),
            ("AAAA", 0),
            ("AABAAB", 2),
            ("ABCD", 1),
            ("XABABAB", 3),
            ("ABABX", 1),
            ("", 0),
            // Where nobody said what was tried, nothing is known of it.
            ("AB?AB", 2),
            ("A??BA?B?", 2),
            ("AB??", 1),
            ("??", 0),
        ] {
            let rows: Vec<Row> = tried
                .bytes()
                .map(|name| Row {
                    approach: (name != b'?').then(|| Named {
                        id: name.into(),
                        shown: String::new(),
                    }),
                    ..Row::blank(1)
                })
                .collect();
            assert_eq!(value(&rows), cycles, "{tried}");
        }
    }

    #[test]
    fn a_completed_task_ends_the_cycle() {
        let row = |name: u64, tasks| Row {
            approach: Some(Named {
                id: name,
                shown: String::new(),
            }),
            tasks,
            ..Row::blank(1)
        };
        let rows = [row(1, None), row(2, Some(1)), row(1, Some(0)), row(2, None)];
        assert!(value(&rows) < 2);
    }
}
