//! Returns to an earlier work tree: edits that were undone again.

use super::{found, last};
use crate::circuit::Row;
use crate::decision::Evidence;

/// Iterations that are looked at.
const WINDOW: usize = 6;

/// How many of the last iterations ended in a work tree that had been left
/// before.
pub(super) fn value(rows: &[Row]) -> u32 {
    let returns = last(rows, WINDOW)
        .iter()
        .filter(|row| row.returned_to.is_some())
        .count();
    u32::try_from(returns).unwrap_or(u32::MAX)
}

pub(super) fn evidence(rows: &[Row]) -> Vec<Evidence> {
    last(rows, WINDOW)
        .iter()
        .filter_map(|row| {
            let earlier = row.returned_to?;
            let what = if row.sources_alone {
                "all sources and tests are those"
            } else {
                "the work tree is that"
            };
            Some(found(row, format!("{what} of iteration {earlier} again")))
        })
        .collect()
}
