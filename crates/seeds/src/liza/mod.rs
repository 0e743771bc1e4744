//! liza: an observer of a blackboard that executes nothing.
//!
//! Whoever works on a task writes anomalies onto a blackboard; the observer looks
//! for patterns among them, and when there is one it puts up a checkpoint, writes
//! a report and waits for a person. On the blackboard it changes its own section
//! and not a byte beside it.

mod anomaly;
mod board;
mod import;
mod moment;
mod report;
mod section;
#[cfg(test)]
mod tests;

pub use anomaly::entry;
pub use board::{Board, BoardStatus, Passed, Past};
pub use import::Liza;
pub use moment::{read as read_moment, written as written_moment};
pub use report::{Finding, report};
pub use section::{Check, Section, Trigger};

/// The directory of the blackboard, below the root of the work tree.
pub const DIRECTORY: &str = ".liza";
/// The blackboard.
pub const STATE: &str = ".liza/state.yaml";
/// Our section of it, as the log calls it.
pub const SECTION: &str = ".liza/state.yaml#circuit_breaker";
/// Its lock, which all that write to it take.
pub const LOCK: &str = ".liza/state.yaml.lock";
/// The file that halts everybody as long as it is there.
pub const CHECKPOINT: &str = ".liza/CHECKPOINT";
/// The report of a trigger.
pub const REPORT: &str = ".liza/circuit_breaker_report.md";
/// Larger blackboards are not read.
pub const MOST_BYTES: u64 = 32 << 20;

/// The name that a pattern goes by in files; a person who triggers by hand need
/// not name one.
#[must_use]
pub fn pattern_name(pattern: Option<fusebox_core::patterns::Pattern>) -> &'static str {
    pattern.map_or("manual", fusebox_core::patterns::Pattern::name)
}
