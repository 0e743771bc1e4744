//! The fall of the output: an agent that has given up says less and less.

use super::{found, last};
use crate::circuit::Row;
use crate::decision::Evidence;

/// Iterations that are compared.
const WINDOW: usize = 3;

/// By how many percent the last iteration's output lies below the larger of the
/// two before it, if that had at least `floor` lines. Iterations whose output nobody counted
/// are passed over.
pub(super) fn value(rows: &[Row], floor: u64) -> u32 {
    let lines: Vec<u64> = rows.iter().filter_map(|row| row.output_lines).collect();
    let compared = last(&lines, WINDOW);
    let [before @ .., now] = compared else {
        return 0;
    };
    let most = before.iter().copied().max().unwrap_or(0);
    if compared.len() < WINDOW || most < floor || *now >= most {
        return 0;
    }
    u32::try_from(u128::from(most - now) * 100 / u128::from(most)).unwrap_or(100)
}

pub(super) fn evidence(rows: &[Row]) -> Vec<Evidence> {
    let counted: Vec<Evidence> = rows
        .iter()
        .filter_map(|row| Some(found(row, format!("{} lines of output", row.output_lines?))))
        .collect();
    last(&counted, WINDOW).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_004_019_to_020_the_last_of_three_is_compared_with_the_larger_of_the_two_before() {
        for (lines, decline) in [
            (&[100, 100, 30][..], 70),
            (&[100, 100, 31], 69),
            (&[100, 50, 30], 70),
            (&[50, 100, 30], 70),
            (&[100, 10, 100], 0),
            (&[100, 30], 0),
            (&[19, 19, 0], 0),
            (&[20, 0, 0], 100),
            (&[1000, 100, 100, 100], 0),
        ] {
            let rows: Vec<Row> = lines
                .iter()
                .map(|lines| Row {
                    output_lines: Some(*lines),
                    ..Row::blank(1)
                })
                .collect();
            assert_eq!(value(&rows, 20), decline, "{lines:?}");
        }
    }

    #[test]
    fn req_004_020_an_iteration_whose_output_nobody_counted_is_no_gap_in_the_comparison() {
        for (lines, decline) in [
            (&[None, Some(99), None][..], 0),
            (&[Some(100), Some(100), None, Some(30)], 70),
            (&[Some(100), None, Some(50), None, None, Some(30)], 70),
            (&[Some(1000), Some(100), Some(100), None, Some(100)], 0),
            (&[Some(100), None, Some(30)], 0),
            // What nobody counted is no fresh reason either, and takes none away.
            (&[Some(100), Some(100), Some(30), None], 70),
        ] {
            let rows: Vec<Row> = lines
                .iter()
                .map(|lines| Row {
                    output_lines: *lines,
                    ..Row::blank(1)
                })
                .collect();
            assert_eq!(value(&rows, 20), decline, "{lines:?}");
        }
    }
}
