//! Patterns across the anomalies of a sprint: looking for them, reporting them,
//! and ending what they brought about.

use std::time::Duration;

use clap::{Args, Subcommand};
use fusebox_core::patterns::{AnomalyKind, Pattern, Severity};

use crate::duration;

use super::values::words;

const ANALYZE_EXAMPLES: &str = "\
Examples:
  fusebox --preset liza analyze          read .liza/state.yaml; exit code 48 if there is a pattern
  fusebox analyze --json                 the same over what was recorded here, as data";

/// `analyze`
#[derive(Debug, Args)]
#[command(after_help = ANALYZE_EXAMPLES)]
pub(crate) struct Analyze {}

const WATCH_EXAMPLES: &str = "\
Examples:
  fusebox --preset liza watch                          until Ctrl-C
  fusebox --preset liza watch --interval 2s --until-triggered";

/// `watch`
#[derive(Debug, Args)]
#[command(after_help = WATCH_EXAMPLES)]
pub(crate) struct Watch {
    /// How often to check
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration::parse)]
    pub(crate) interval: Duration,
    /// Exit, with the code of an open breaker, when a pattern is found
    #[arg(long)]
    pub(crate) until_triggered: bool,
}

const TRIGGER_EXAMPLES: &str = "\
Examples:
  fusebox trigger --pattern retry_cluster --severity ARCHITECTURE_FLAW --reason \"2 exact, 1 alike\"
  fusebox trigger --severity VISION_FLAW --reason \"nobody wants this\"";

/// `trigger`
#[derive(Debug, Args)]
#[command(after_help = TRIGGER_EXAMPLES)]
pub(crate) struct Trigger {
    /// The pattern that you see
    #[arg(long, value_name = "NAME", value_parser = pattern)]
    pub(crate) pattern: Option<Pattern>,
    /// How far upstream the problem is
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub(crate) severity: Severity,
    /// What you see, for readers of the report
    #[arg(long, value_name = "TEXT", default_value = "Triggered by a person", value_parser = words)]
    pub(crate) reason: String,
}

const RESOLVE_EXAMPLES: &str = "\
Examples:
  fusebox resolve --resolution \"ADR-003 created, specs updated\"";

/// `resolve`
#[derive(Debug, Args)]
#[command(after_help = RESOLVE_EXAMPLES)]
pub(crate) struct Resolve {
    /// What was corrected; should name the ADR or the spec
    #[arg(long, value_name = "TEXT", value_parser = words)]
    pub(crate) resolution: String,
}

const ANOMALY_EXAMPLES: &str = "\
Examples:
  fusebox anomaly add --type retry_loop --task T-3 --detail count=3 --detail error_pattern=\"no nesting\"
  fusebox anomaly list --json";

/// `anomaly`
#[derive(Debug, Args)]
#[command(after_help = ANOMALY_EXAMPLES)]
pub(crate) struct AnomalyCommand {
    #[command(subcommand)]
    pub(crate) action: AnomalyAction,
}

/// What to do with anomalies.
#[derive(Debug, Subcommand)]
pub(crate) enum AnomalyAction {
    /// Report an anomaly; with a blackboard, also print the lines to add to it
    Add(AnomalyAdd),
    /// List the anomalies reported here
    List,
}

/// `anomaly add`
#[derive(Debug, Args)]
pub(crate) struct AnomalyAdd {
    /// What kind it is, such as retry_loop, trade_off or external_blocker
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    pub(crate) kind: AnomalyKind,
    /// The task in which it occurred
    #[arg(long, value_name = "NAME", env = "FUSEBOX_TASK", value_parser = words)]
    pub(crate) task: String,
    /// Who reports it [default: you]
    #[arg(long, value_name = "NAME", value_parser = words)]
    pub(crate) reporter: Option<String>,
    /// A detail, such as error_pattern="no nesting"; may be given several times
    #[arg(long = "detail", value_name = "KEY=VALUE")]
    pub(crate) details: Vec<String>,
}

fn pattern(name: &str) -> Result<Pattern, String> {
    named(name, &Pattern::ALL, Pattern::name)
}

fn severity(name: &str) -> Result<Severity, String> {
    named(name, &Severity::ALL, Severity::name)
}

fn kind(name: &str) -> Result<AnomalyKind, String> {
    named(name, &AnomalyKind::ALL, AnomalyKind::name)
}

fn named<T: Copy>(text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let names = || {
        all.iter()
            .map(|one| name(*one))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut all_of_it = all.iter().copied();
    all_of_it
        .find(|one| name(*one).eq_ignore_ascii_case(text))
        .ok_or_else(|| format!("unknown; one of {}", names()))
}
