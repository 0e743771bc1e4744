//! The flags of `record`.

use clap::{Args, ValueEnum};

use super::values::{standard_input, words};
use crate::moment;

/// `record`
#[derive(Debug, Args)]
#[command(after_help = RECORD_EXAMPLES)]
pub(crate) struct Record {
    /// `-` reads one JSON object from standard input
    #[arg(value_name = "-", value_parser = standard_input)]
    pub(crate) input: Option<String>,
    /// Measure what changed in the work tree since the check, or the last record
    #[arg(long)]
    pub(crate) from_git: bool,
    /// Exit 0 whatever the decision
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// The grant returned by `check`
    #[arg(long, value_name = "GRANT")]
    pub(crate) grant: Option<String>,
    /// Your own number for the iteration
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u64>,
    /// The task that was worked on
    #[arg(long, value_name = "NAME", value_parser = words)]
    pub(crate) task: Option<String>,
    /// What was tried, in a few words; use the same words whenever it is tried again
    #[arg(long, value_name = "NAME", value_parser = words)]
    pub(crate) approach: Option<String>,
    /// How many files changed
    #[arg(long, value_name = "N", conflicts_with = "from_git")]
    pub(crate) files_changed: Option<u64>,
    /// How many tasks were completed
    #[arg(long, value_name = "N")]
    pub(crate) tasks_completed: Option<u32>,
    /// An error the iteration ran into; may be given several times
    #[arg(long = "error", value_name = "TEXT", value_parser = words)]
    pub(crate) errors: Vec<String>,
    /// The iteration ran into no error
    #[arg(long, conflicts_with = "errors")]
    pub(crate) no_errors: bool,
    /// Tests that passed
    #[arg(long, value_name = "N")]
    pub(crate) tests_passed: Option<u32>,
    /// Tests that failed
    #[arg(long, value_name = "N")]
    pub(crate) tests_failed: Option<u32>,
    /// The agent's exit code; 124 means that a time limit was reached, as with `timeout`
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    pub(crate) exit_code: Option<i32>,
    /// How long the iteration took
    #[arg(long, value_name = "MS")]
    pub(crate) duration_ms: Option<u64>,
    /// External trouble that was not the agent's fault; the iteration then counts neither way
    #[arg(long, value_name = "KIND")]
    pub(crate) environment: Option<EnvironmentKind>,
    /// When that trouble is expected to be over, such as 2026-01-31T12:00:00Z; checks are denied until then
    #[arg(long, value_name = "TIME", requires = "environment", value_parser = retry_at)]
    pub(crate) retry_at: Option<i64>,
}

const RECORD_EXAMPLES: &str = "\
Examples:
  fusebox record --files-changed 3
  fusebox record --from-git --error \"$(tail -n1 test.log)\"
  echo '{\"files_changed\": 0, \"errors\": [{\"type\": \"TypeError\", \"message\": \"x is undefined\"}]}' | fusebox record -

The object, of which every field may be missing:
  {\"iteration\": 7, \"task\": \"T-12\", \"files_changed\": [\"src/a.rs\"], \"tasks_completed\": 0,
   \"tests\": {\"passed\": 3, \"failed\": 7, \"skipped\": 0}, \"checks_failed\": 0,
   \"build_errors\": 0,
   \"errors\": [{\"type\": \"TypeError\", \"message\": \"…\", \"file\": \"src/a.js\", \"line\": 42,
     \"test\": \"adds one\"}],
   \"output_lines\": 120, \"permission_denials\": 0, \"exit_code\": 0, \"duration_ms\": 91000,
   \"usage\": {\"calls\": 4, \"input_tokens\": 1200, \"output_tokens\": 800, \"cost_usd\": 0.12},
   \"claimed\": {\"complete\": false, \"exit_signal\": false, \"files_modified\": 1}}
`files_changed` may also be a number.";

/// Trouble outside the agent.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EnvironmentKind {
    Limit,
    Overload,
    Auth,
    Network,
    Disk,
}

fn retry_at(text: &str) -> Result<i64, String> {
    moment::parse(text).ok_or_else(|| "not a time like 2026-01-31T12:00:00Z".into())
}
