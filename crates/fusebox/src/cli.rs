//! The command line, as a contract.

mod board;
mod check;
mod config;
mod demo;
mod doctor;
mod edit;
mod eval;
mod events;
pub(crate) mod examples;
mod fleet;
mod global;
mod guard;
mod help;
mod history;
mod hook;
mod import;
mod init;
mod limit;
mod metrics;
mod misspelt;
mod mistakes;
mod notify;
mod often;
mod otlp;
mod phase;
mod presets;
mod prune;
mod record;
mod release;
mod replay;
mod report;
mod run;
mod serve;
mod shown;
mod statusline;
mod stop;
mod tasks;
mod top;
mod tune;
mod values;
mod variables;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use board::{
    Analyze, AnomalyAction, AnomalyAdd, AnomalyCommand, Resolve, Trigger, Watch,
};
pub(crate) use check::Check;
pub(crate) use config::{Config, ConfigAction};
pub(crate) use demo::Demo;
pub(crate) use doctor::Doctor;
pub(crate) use edit::{Edit, Mode, Validate};
pub(crate) use eval::Eval;
pub(crate) use events::Events;
pub(crate) use fleet::{
    Budget as FleetBudget, FleetAction, FleetCommand, FleetFlag, Pattern as FleetPattern, Simulate,
    Stop as FleetStop,
};
pub(crate) use global::{CIRCUIT, CONFIG, ColorWhen, DEFAULT_CIRCUIT, Global, STATE_DIR};
pub(crate) use guard::{GuardAction, GuardCheck, GuardCommand, GuardRun};
pub(crate) use history::{Diff, History, HistoryKind};
pub(crate) use hook::{Hook, Hooked, HooksAction, HooksCommand, Registering};
pub(crate) use import::Import;
pub(crate) use init::Init;
pub(crate) use limit::{Limit, LimitAction, Settle as LimitSettle, Take as LimitTake};
pub(crate) use metrics::Metrics;
pub(crate) use misspelt::misspelt;
pub(crate) use mistakes::{common_options, nearest};
pub(crate) use notify::{Notify, NotifyAction};
pub(crate) use otlp::{Otlp, OtlpAction, OtlpExport, OtlpReceive};
pub(crate) use phase::{PhaseAction, PhaseCommand, PhaseEnd, PhaseName, PhaseStart};
pub(crate) use presets::{Presets, PresetsAction};
pub(crate) use prune::Prune;
pub(crate) use record::{EnvironmentKind, Record};
pub(crate) use release::{Reason, Recover, Reset, Rollback};
pub(crate) use replay::Replay;
pub(crate) use report::{Report, ReportFormat, ReportScope};
pub(crate) use run::{EvidenceFlags, OnStagnation, PermissionWord, Run, Sandbox};
pub(crate) use serve::Serve;
pub(crate) use shown::shown;
pub(crate) use statusline::{Statusline, StatuslineFormat};
pub(crate) use stop::Stop;
pub(crate) use tasks::{Tasks, TasksAction};
pub(crate) use top::Top;
pub(crate) use tune::Tune;

use crate::exit;
use variables::Named;

const EXAMPLES: &str = "\
Examples:
  fusebox demo                 watch it stop a stuck loop, in under a minute
  fusebox init                 detect what this project uses, write fusebox.toml
  fusebox run --agent claude --prompt-file PROMPT.md --test 'cargo test'
  fusebox run -- ./agent.sh    supervise any command in a loop
  while fusebox check; do ./agent.sh; fusebox record --from-git; done
  fusebox explain              why is it in its current state?";

/// The circuit breaker for autonomous coding agents.
///
/// It runs outside the agent, measures what actually changed, and answers one
/// question before every step: may the next step run?
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
        if let Some(cli) = often::parse(args) {
            return Ok(cli);
        }
        let asked = help::as_option(args);
        let told = asked.as_deref().unwrap_or(args);
        let named = match told.iter().any(|word| word == "--help") {
            true => Named::Yes,
            false => Named::No,
        };
        let command = variables::honoured(Self::command(), named);
        let command = help::with_plain_switches(help::with_bare_variables(command));
        let command = help::with_negative_numbers(command);
        let mut command = help::grouped(examples::given(command));
        let matches = command
            .try_get_matches_from_mut(asked.as_deref().unwrap_or(args))
            .map_err(|error| mistakes::explained(error, &command, args))?;
        // What was registered may have its options before its name.
        if matches.subcommand_name() == Some("hook") {
            let mut command = variables::unheeded(Self::command());
            let matches = command.try_get_matches_from_mut(args)?;
            return Self::from_arg_matches(&matches).map(Self::deafened);
        }
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        mistakes::limit_of_nobody(&cli, &mut command, args).map_or(Ok(cli), Err)
    }

    /// The same, whatever the environment says.
    fn deafened(mut self) -> Self {
        self.global.deaf = true;
        self
    }
}

const VARIABLES: &str = "\
Variables:
  Every option can also be set as an environment variable: --max-time is FUSEBOX_MAX_TIME. The
  command line takes precedence. What vouches for a person, and what an iteration did, can only be
  given on the command line.";

/// The long help ends with the exit codes.
fn const_format_help() -> String {
    format!("{EXAMPLES}\n\n{VARIABLES}\n\n{}", exit::TABLE)
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Detect what this project uses, write its fusebox.toml, and offer hooks
    Init(Init),
    /// Supervise an agent, or any command, in a loop
    Run(Box<Run>),
    /// Pause a running loop after its current iteration
    Pause,
    /// Resume a paused loop
    Resume,
    /// Stop a running loop
    Stop(Stop),
    /// Watch it stop a stuck loop: a built-in agent in a throwaway repository
    Demo(Demo),
    /// Ask whether the next iteration may run; uses up one call
    Check(Check),
    /// Report what the last iteration did; exits like the next `check`
    Record(Box<Record>),
    /// Show the current state
    Status(FleetFlag),
    /// Explain the current state: signals, values, thresholds, evidence
    Explain,
    /// Show the event log, one line per event
    History(History),
    /// Show what an iteration changed in the work tree, as a patch
    Diff(Diff),
    /// Print all events as JSON lines, for other programs
    Events(Events),
    /// Write a report: what happened, why it stopped and what to do next
    Report(Report),
    /// Print metrics of all loops on this machine, in the Prometheus text format
    Metrics(Metrics),
    /// Export loops as OpenTelemetry traces, and receive what agents say they spent (OTLP)
    Otlp(Otlp),
    /// Show all loops on this machine in a browser
    Serve(Serve),
    /// Serve the current state to agents as MCP tools; they can read and report only
    Mcp,
    /// Print a short status for a shell prompt or a status bar
    Statusline(Statusline),
    /// Show all loops on this machine, full-screen
    Top(Top),
    /// Send a test notification
    Notify(Notify),
    /// Open the breaker (anyone may)
    Trip(Reason),
    /// Close the breaker and reset its counters (only a person may)
    Reset(Reset),
    /// Restore the work tree as it was after an earlier iteration
    Rollback(Rollback),
    /// Choose the next recovery strategy: what the next probe should do differently
    Recover(Recover),
    /// Search for patterns across anomalies: on a blackboard, or in this project's records
    Analyze(Analyze),
    /// Search for patterns whenever something new is recorded
    Watch(Watch),
    /// Report an anomaly, or list those reported
    Anomaly(AnomalyCommand),
    /// Halt because you see a pattern that the rules missed (anyone may)
    Trigger(Trigger),
    /// Record what was corrected, and release the halt (only a person may)
    Resolve(Resolve),
    /// Edit the state of a session workflow: failures, threshold, features (only a person may)
    Edit(Edit),
    /// Check that the state of a session workflow is consistent; changes nothing
    Validate(Validate),
    /// Record the start, end or skip of an action in a phased workflow
    Phase(PhaseCommand),
    /// Show and use the rolling limits on calls, tokens and money
    Limit(Limit),
    /// List, compare and switch presets
    Presets(Presets),
    /// Import state and settings from a project where another loop was used
    Import(Import),
    /// Show the configuration, its defaults and its schema
    Config(Config),
    /// Inspect protected files, and what a command would do to them
    Guard(GuardCommand),
    /// Manage agent hooks that ask fusebox before every tool call and at the end of a turn
    Hooks(HooksCommand),
    /// Called by agents; `hooks install` registers it
    Hook(Hook),
    /// Manage tasks: which are ready, who holds which, and whose worker is gone
    Tasks(Tasks),
    /// Coordinate workers on many machines: shared budgets, tasks and halts
    Fleet(FleetCommand),
    /// Check the setup and report problems
    Doctor(Doctor),
    /// Check the installation, by stopping a stalled test loop
    SelfCheck,
    /// Replay recorded sessions: when would it have warned or stopped, and what would that have saved?
    Replay(Replay),
    /// Score verdicts on recorded sessions against their known outcomes
    Eval(Eval),
    /// Propose thresholds that fit your own sessions; changes nothing
    Tune(Tune),
    /// Remove old parts of the log and the output of old runs, as configured
    Prune(Prune),
    /// Generate a shell completion script
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Generate man pages: the main page, or one file per command
    Man {
        /// Write the pages to this directory, which is created if needed
        #[arg(value_name = "DIR")]
        pages: Option<PathBuf>,
    },
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
