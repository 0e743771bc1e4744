//! The clock: waits and limits are worth as much as it is.

use fusebox_view::phrase;

use super::Patient;
use crate::finding::Finding;

/// Before this there was no fusebox: the first of January 2025.
const EARLIEST_MS: i64 = 1_735_689_600_000;
/// A clock may be set back by so much without a word.
const SLACK_MS: i64 = 60_000;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let now = patient.context.clock.now().wall_ms;
    let fix = "set the clock, or let the machine ask a time server";
    if now < EARLIEST_MS {
        return vec![Finding::doubtful(
            "clock",
            format!("it says {}, which is past", phrase::time(now)),
            fix,
        )];
    }
    let view = patient.session.and_then(|one| one.store.peek().ok());
    let last = view.and_then(|view| Some(view.state.0.rows.last()?.at_ms));
    match last {
        Some(last) if last > now + SLACK_MS => {
            let what = format!(
                "it says {}, but something happened at {} already",
                phrase::time(now),
                phrase::time(last)
            );
            vec![Finding::doubtful("clock", what, fix)]
        }
        _ => vec![Finding::fine("clock", phrase::time(now))],
    }
}
