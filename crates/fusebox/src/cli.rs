//! The command line, as a contract.

mod board;
mod doctor;
mod edit;
mod eval;
mod events;
mod guard;
mod hook;
mod import;
mod metrics;
mod often;
mod phase;
mod presets;
mod record;
mod replay;
mod report;
mod run;
mod serve;
mod statusline;
mod stop;
mod tasks;
mod top;
mod tune;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use fusebox_core::policy::{MOST_CALLS, Preset, THRESHOLD_RANGE};
use fusebox_workspace::SnapshotId;

pub(crate) use board::{
    Analyze, AnomalyAction, AnomalyAdd, AnomalyCommand, Resolve, Trigger, Watch,
};
pub(crate) use doctor::Doctor;
pub(crate) use edit::{Edit, Mode, Validate};
pub(crate) use eval::Eval;
pub(crate) use events::Events;
pub(crate) use guard::{GuardAction, GuardCheck, GuardCommand, GuardRun};
pub(crate) use hook::{Hook, Hooked, HooksAction, HooksCommand, Registering};
pub(crate) use import::Import;
pub(crate) use metrics::Metrics;
pub(crate) use phase::{PhaseAction, PhaseCommand, PhaseEnd, PhaseStart};
pub(crate) use presets::{Presets, PresetsAction};
pub(crate) use record::{EnvironmentKind, Record};
pub(crate) use replay::Replay;
pub(crate) use report::{Report, ReportFormat, ReportScope};
pub(crate) use run::{EvidenceFlags, OnStagnation, PermissionWord, Run, Sandbox};
pub(crate) use serve::Serve;
pub(crate) use statusline::{Statusline, StatuslineFormat};
pub(crate) use stop::Stop;
pub(crate) use tasks::{Tasks, TasksAction};
pub(crate) use top::Top;
pub(crate) use tune::Tune;

use crate::config;
use crate::duration;
use crate::exit;

const EXAMPLES: &str = "\
Examples:
  fusebox demo                                  see it stop a stuck loop, in under a minute
  fusebox run -- ./agent.sh                     supervise any command in a loop
  fusebox run --prompt-file PROMPT.md -- claude -p
  while fusebox check; do ./agent.sh; fusebox record --from-git; done
  fusebox explain                               why does it stand as it does?";

/// The circuit breaker for autonomous coding agents.
///
/// It stands outside the agent, measures what really changed, and answers one
/// question again and again: may the next step run?
#[derive(Debug, Parser)]
#[command(name = "fusebox", version, after_help = EXAMPLES, after_long_help = const_format_help())]
#[command(max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// What these arguments ask for.
    pub(crate) fn read(args: &[OsString]) -> Result<Self, clap::Error> {
        match often::parse(args) {
            Some(cli) => Ok(cli),
            None => Self::try_parse_from(args),
        }
    }
}

/// The long help ends with the exit codes.
fn const_format_help() -> String {
    format!("{EXAMPLES}\n\n{}", exit::TABLE)
}

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Act as if started in DIR
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// The circuit to use; each has a memory of its own
    #[arg(
        long,
        value_name = "NAME",
        default_value = "default",
        env = "FUSEBOX_CIRCUIT",
        global = true
    )]
    pub(crate) circuit: String,
    /// The way of working: native, cub, prp, liza, bmad or superkit [default: native]
    #[arg(long, value_name = "PRESET", env = "FUSEBOX_PRESET", global = true)]
    pub(crate) preset: Option<Preset>,
    /// Where to keep the memory [default: $XDG_STATE_HOME/fusebox]
    #[arg(long, value_name = "DIR", env = "FUSEBOX_STATE_DIR", global = true)]
    pub(crate) state_dir: Option<PathBuf>,
    /// The user's configuration file [default: $XDG_CONFIG_HOME/fusebox/config.toml]
    #[arg(long, value_name = "FILE", env = "FUSEBOX_CONFIG", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Print data as JSON
    #[arg(long, env = "FUSEBOX_JSON", global = true)]
    pub(crate) json: bool,
    /// When to use colour
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        env = "FUSEBOX_COLOR",
        global = true
    )]
    pub(crate) color: ColorWhen,
    /// Say nothing but what was asked for, and errors
    #[arg(short, long, env = "FUSEBOX_QUIET", global = true)]
    pub(crate) quiet: bool,
}

impl Global {
    /// The same, as if started in `directory`.
    pub(crate) fn in_directory(&self, directory: PathBuf) -> Self {
        Self {
            directory: Some(directory),
            ..self.clone()
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Supervise an agent, or any command, in a loop
    Run(Box<Run>),
    /// Ask a running loop to wait when its iteration has ended
    Pause,
    /// Ask a paused loop to go on
    Resume,
    /// Ask a running loop to end
    Stop(Stop),
    /// See it stop a stuck loop: a built-in agent in a throw-away repository
    Demo(Demo),
    /// May the next iteration run? Takes a call from the limit
    Check(Check),
    /// What the last iteration did; exits as the next check would
    Record(Box<Record>),
    /// How things stand
    Status,
    /// Why they stand so: signals, values, thresholds, evidence
    Explain,
    /// What happened, line by line
    History(History),
    /// Everything that happened, a JSON object a line, for other programs
    Events(Events),
    /// What happened, why it stopped and what to do next, as a page
    Report(Report),
    /// All loops of this machine as numbers, in the text format of Prometheus
    Metrics(Metrics),
    /// All loops of this machine in a browser
    Serve(Serve),
    /// How things stand in a few characters, for a prompt or a status bar
    Statusline(Statusline),
    /// All loops of this machine on one screen
    Top(Top),
    /// Open the breaker. Anyone may
    Trip(Reason),
    /// Close the breaker and count anew. Only a person may
    Reset(Reset),
    /// Make the work tree what it was after an earlier iteration
    Rollback(Rollback),
    /// Take the next strategy of recovery: what the next probe is to do differently
    Recover(Recover),
    /// Look for patterns across anomalies: on a blackboard, or in what was recorded here
    Analyze(Analyze),
    /// Do so whenever something new was written down
    Watch(Watch),
    /// Report an anomaly, or list those that were
    Anomaly(AnomalyCommand),
    /// Halt because you see a pattern that the rules do not. Anyone may
    Trigger(Trigger),
    /// Say what was corrected, and go on. Only a person may
    Resolve(Resolve),
    /// Change what a workflow of sessions keeps: failures, threshold, features. Only a person may
    Edit(Edit),
    /// See whether what it keeps is consistent; changes nothing
    Validate(Validate),
    /// Around each action of a workflow in phases: start, end, skip
    Phase(PhaseCommand),
    /// The rolling limits on calls, tokens and money
    Limit(Limit),
    /// The ways of working, and how two of them differ
    Presets(Presets),
    /// Take over the state and the settings of a project that another loop was used in
    Import(Import),
    /// What is configured, where, and what could be
    Config(Config),
    /// What is protected from being lost, and what a command would do to it
    Guard(GuardCommand),
    /// Have agents ask fusebox from inside: before every tool, and when a turn has ended
    Hooks(HooksCommand),
    /// What an agent calls; `hooks install` registers it
    Hook(Hook),
    /// Tasks: what can be begun, who has what, and who is gone
    Tasks(Tasks),
    /// Look at everything that must be well, and say what is not
    Doctor(Doctor),
    /// Judge recorded sessions: when would it have warned, stopped, and saved what?
    Replay(Replay),
    /// Hold verdicts on recorded sessions against how they went
    Eval(Eval),
    /// Propose thresholds that fit your own sessions; changes nothing
    Tune(Tune),
    /// Remove old parts of the log and the output of old runs, as configured
    Prune(Prune),
    /// A script that lets a shell complete what you type
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The manual: its first page, or a file for every command
    Man {
        /// Write the pages here instead; created if need be
        #[arg(value_name = "DIR")]
        pages: Option<PathBuf>,
    },
}

/// `demo`
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Do not pause between the acts
    #[arg(long)]
    pub(crate) fast: bool,
}

/// `check`
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Only look: take no call, start no probe
    #[arg(long)]
    pub(crate) peek: bool,
    /// Measure the work tree now, so that `record --from-git` compares with it
    #[arg(long, conflicts_with = "peek")]
    pub(crate) from_git: bool,
    /// The task that is to be worked on; none that is new begins when calls or budgets run short
    #[arg(long, value_name = "NAME", env = "FUSEBOX_TASK")]
    pub(crate) task: Option<String>,
}

/// `history`
#[derive(Debug, Args)]
pub(crate) struct History {
    /// How many lines, the latest
    #[arg(short = 'n', long = "last", value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
    /// Only lines about this task
    #[arg(long, value_name = "NAME")]
    pub(crate) task: Option<String>,
    /// Only lines of this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<HistoryKind>,
    /// Instead: how work on each kind of task goes, the most troubled kind first
    #[arg(long, conflicts_with_all = ["last", "task", "kind"])]
    pub(crate) patterns: bool,
    /// Instead: triggers, failures, thresholds and time to resolution over all of it
    #[arg(long, conflicts_with_all = ["task", "kind"])]
    pub(crate) metrics: bool,
}

/// The kinds of lines in the history.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum HistoryKind {
    Granted,
    Reported,
    Tripped,
    Reset,
    Taken,
}

/// `trip`
#[derive(Debug, Args)]
pub(crate) struct Reason {
    /// Why, for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

/// `reset`
#[derive(Debug, Args)]
pub(crate) struct Reset {
    /// Why, for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// What is to be done differently from now on; the agent is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) guidance: Option<String>,
}

/// `recover`
#[derive(Debug, Args)]
pub(crate) struct Recover {
    /// Take this strategy instead of the next one, 1 to 4
    #[arg(long, value_name = "N")]
    pub(crate) strategy: Option<u32>,
    /// What is to be done differently
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: String,
}

/// `prune`
#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Remove what is older [default: as configured, 90d]
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) older_than: Option<Duration>,
    /// Keep no more than this of the log, and of the output [default: as configured, 256MB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) keep_bytes: Option<u64>,
    /// Only say what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `rollback`
#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// The iteration; 0 is before the first
    #[arg(value_name = "N")]
    pub(crate) iteration: Option<u64>,
    /// A snapshot by its name, as an earlier rollback told it
    #[arg(long, value_name = "SNAPSHOT", conflicts_with = "iteration", value_parser = snapshot)]
    pub(crate) to: Option<SnapshotId>,
}

/// `config`
#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) action: ConfigAction,
}

/// What to show of the configuration.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Every value in force here, and where it comes from
    Show,
    /// The commented file with every key and its default
    Default,
    /// The JSON Schema of the file, for editors
    Schema,
}

/// `limit`
#[derive(Debug, Args)]
pub(crate) struct Limit {
    #[command(subcommand)]
    pub(crate) action: Option<LimitAction>,
}

/// What to do with the limit.
#[derive(Debug, Subcommand)]
pub(crate) enum LimitAction {
    /// What is used and left
    Status,
    /// Take calls without starting an iteration; exit code 44 when none are left
    Take {
        /// How many
        #[arg(value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CALLS)))]
        calls: u32,
    },
}

fn snapshot(text: &str) -> Result<SnapshotId, String> {
    text.parse()
        .map_err(|_| "not the name of a snapshot".into())
}

/// Reads a size in bytes.
fn size(text: &str) -> Result<u64, String> {
    config::bytes(text).ok_or_else(|| format!("`{text}` is not a size such as 64MB or 1GB"))
}

/// Reads an amount of US dollars as millionths.
fn dollars(text: &str) -> Result<u64, String> {
    config::micro_usd(text)
        .ok_or_else(|| format!("`{text}` is not an amount of US dollars such as 5 or 2.50"))
}

fn threshold() -> clap::builder::RangedU64ValueParser<u32> {
    let range = u64::from(*THRESHOLD_RANGE.start())..=u64::from(*THRESHOLD_RANGE.end());
    clap::builder::RangedU64ValueParser::new().range(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
