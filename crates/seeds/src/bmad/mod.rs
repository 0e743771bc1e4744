//! bmad: sessions that must let a feature pass, and an exit code that means one
//! thing.
//!
//! Two files are shared with the workflow: `claude-progress.txt`, whose first lines
//! hold the breaker's numbers, and `feature_list.json`, which says what passes. The
//! breaker writes the first, a report, and nothing else; marking a feature as
//! blocked is a person's doing.

pub mod app_spec;
pub mod features;
pub mod progress;
pub mod report;
mod seed;
pub mod validate;
pub mod words;

pub use seed::Bmad;

/// The file with the breaker's numbers, below the root of the work tree.
pub const PROGRESS: &str = "claude-progress.txt";
/// The file with the features.
pub const FEATURES: &str = "feature_list.json";
/// The files that may hold the specification, the first that is there counting.
pub const APP_SPECS: [&str; 2] = ["app_spec.txt", "app_spec.xml"];
/// The report of a trigger.
pub const REPORT: &str = "autonomous_summary_report.md";
/// Larger files are not read.
pub const MOST_BYTES: u64 = 8 << 20;
