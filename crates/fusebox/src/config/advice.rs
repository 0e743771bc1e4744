//! What is worth saying of values that are allowed and unwise.
//!
//! Only of values that somebody set: a preset's own are what its document says.

use super::cells::{Cell, Cells};
use super::key::Key;

/// What is recommended for a number of ticks.
const RECOMMENDED: std::ops::RangeInclusive<u64> = 3..=10;

/// One line for each key that sets a count outside of what is recommended.
pub(super) fn on_thresholds(own: &Cells, now: &Cells) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (own, now) in own.iter().zip(now.iter()) {
        lines.extend(on_threshold(own, now).filter(|line| !lines.contains(line)));
    }
    lines
}

fn on_threshold(own: &Cell, now: &Cell) -> Option<String> {
    let (Key::SignalTrip(signal), Some(count)) = (now.key, now.amount) else {
        return None;
    };
    if !signal.counts_iterations() || own.amount == now.amount || RECOMMENDED.contains(&count) {
        return None;
    }
    let key = now.origin.written?.path();
    let place = &now.origin.place;
    let why = if count < *RECOMMENDED.start() {
        "very sensitive, trips quickly"
    } else {
        "NOT RECOMMENDED: too high, defeats the purpose. The breaker is a symptom; \
         look for the cause before you raise it"
    };
    Some(format!(
        "{place}: {key} is {count}, outside the recommended 3 to 10 ({why})"
    ))
}
