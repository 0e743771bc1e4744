//! The flags of `phase`.

use clap::{Args, Subcommand, ValueEnum};
use fusebox_core::observation::WorkPhase;

use super::values::{standard_input, words};
use crate::amounts;

const EXAMPLES: &str = "\
Examples:
  fusebox phase start GREEN || exit
  fusebox phase end GREEN --tests-passing 3 --tests-failing 7 --error \"$(tail -n1 test.log)\"
  fusebox phase end GREEN - < answer.txt        reads the last PRP_PHASE_STATUS block in it
  fusebox phase skip --reason 'known failures, tracked elsewhere'

Exit codes, beside those of all commands: 40 where a person has skipped the phase, so that there is
nothing to do in it";

/// `phase`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PhaseCommand {
    #[command(subcommand)]
    pub(crate) action: PhaseAction,
}

/// What becomes of the phase.
#[derive(Debug, Subcommand)]
pub(crate) enum PhaseAction {
    /// Before an action: ask whether it may run; changing the phase resets the counters
    Start(PhaseStart),
    /// After an action: report what it gained; exits like the next `start`
    End(Box<PhaseEnd>),
    /// Treat the phase as complete although it is not (only a person may)
    Skip {
        /// The reason, for the history
        #[arg(long, value_name = "TEXT", value_parser = words)]
        reason: String,
    },
}

/// `phase start`
#[derive(Debug, Args)]
pub(crate) struct PhaseStart {
    /// The phase
    #[arg(value_enum, ignore_case = true)]
    pub(crate) phase: PhaseName,
    /// The task about to be worked on
    #[arg(long, value_name = "NAME", env = "FUSEBOX_TASK", value_parser = words)]
    pub(crate) task: Option<String>,
}

/// `phase end`
#[derive(Debug, Args)]
pub(crate) struct PhaseEnd {
    /// The phase
    #[arg(value_enum, ignore_case = true)]
    pub(crate) phase: PhaseName,
    /// `-` reads a report from standard input: a JSON object as for `record`, or text with a PRP_PHASE_STATUS block
    #[arg(value_name = "-", value_parser = standard_input)]
    pub(crate) input: Option<String>,
    /// Tests written so far (RED)
    #[arg(long, value_name = "N")]
    pub(crate) tests_generated: Option<u64>,
    /// Criteria that have a test (RED)
    #[arg(long, value_name = "N")]
    pub(crate) criteria_covered: Option<u64>,
    /// Tests that pass (GREEN)
    #[arg(long, value_name = "N")]
    pub(crate) tests_passing: Option<u64>,
    /// Tests that fail (GREEN)
    #[arg(long, value_name = "N")]
    pub(crate) tests_failing: Option<u64>,
    /// The total number of tests, if some are skipped (GREEN)
    #[arg(long, value_name = "N")]
    pub(crate) tests_total: Option<u64>,
    /// Patterns applied so far (REFACTOR)
    #[arg(long, value_name = "N")]
    pub(crate) patterns_applied: Option<u64>,
    /// A pattern was applied (REFACTOR)
    #[arg(long)]
    pub(crate) pattern_applied: bool,
    /// Complexity; lower is better (REFACTOR)
    #[arg(long, value_name = "SCORE", value_parser = thousandths)]
    pub(crate) complexity_score: Option<u64>,
    /// Duplication was removed (REFACTOR)
    #[arg(long)]
    pub(crate) duplication_removed: bool,
    /// Documents written so far (DOCUMENT)
    #[arg(long, value_name = "N")]
    pub(crate) docs_generated: Option<u64>,
    /// Diagrams that are valid (DOCUMENT)
    #[arg(long, value_name = "N")]
    pub(crate) diagrams_valid: Option<u64>,
    /// An error the action ran into, `Type: message`; may be given several times
    #[arg(long = "error", value_name = "TEXT", value_parser = words)]
    pub(crate) errors: Vec<String>,
    /// The action ran into no error
    #[arg(long, conflicts_with = "errors")]
    pub(crate) no_errors: bool,
    /// The worker claims that the phase is finished
    #[arg(long)]
    pub(crate) exit_signal: bool,
    /// Exit 0 whatever the decision
    #[arg(long)]
    pub(crate) exit_zero: bool,
}

/// The phases.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PhaseName {
    #[value(name = "RED")]
    Red,
    #[value(name = "GREEN")]
    Green,
    #[value(name = "REFACTOR")]
    Refactor,
    #[value(name = "DOCUMENT")]
    Document,
}

impl From<PhaseName> for WorkPhase {
    fn from(name: PhaseName) -> Self {
        match name {
            PhaseName::Red => Self::Red,
            PhaseName::Green => Self::Green,
            PhaseName::Refactor => Self::Refactor,
            PhaseName::Document => Self::Document,
        }
    }
}

fn thousandths(text: &str) -> Result<u64, String> {
    let score: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    amounts::thousandths("complexity", score)
}
