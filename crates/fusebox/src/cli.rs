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
pub(crate) use history::{History, HistoryKind};
pub(crate) use hook::{Hook, Hooked, HooksAction, HooksCommand, Registering};
pub(crate) use import::Import;
pub(crate) use init::Init;
pub(crate) use limit::{Limit, LimitAction, Settle as LimitSettle, Take as LimitTake};
pub(crate) use metrics::Metrics;
pub(crate) use mistakes::{common_options, nearest};
pub(crate) use notify::{Notify, NotifyAction};
pub(crate) use otlp::{Otlp, OtlpAction, OtlpExport, OtlpReceive};
pub(crate) use phase::{PhaseAction, PhaseCommand, PhaseEnd, PhaseStart};
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
  fusebox demo                 see it stop a stuck loop, in under a minute
  fusebox init                 what fits this project, and a file for it
  fusebox run --agent claude --prompt-file PROMPT.md --test 'cargo test'
  fusebox run -- ./agent.sh    supervise any command in a loop
  while fusebox check; do ./agent.sh; fusebox record --from-git; done
  fusebox explain              why does it stand as it does?";

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
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }

    /// The same, whatever the environment says.
    fn deafened(mut self) -> Self {
        self.global.deaf = true;
        self
    }
}

const VARIABLES: &str = "\
Variables:
  Every option can be a variable of the environment: --max-time is FUSEBOX_MAX_TIME. What is
  typed wins. What vouches for a person, and what an iteration did, is typed each time.";

/// The long help ends with the exit codes.
fn const_format_help() -> String {
    format!("{EXAMPLES}\n\n{VARIABLES}\n\n{}", exit::TABLE)
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at this project, write its fusebox.toml, and offer hooks
    Init(Init),
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
    Status(FleetFlag),
    /// Why things stand as they do: signals, values, thresholds, evidence
    Explain,
    /// What happened, line by line
    History(History),
    /// Everything that happened, a JSON object a line, for other programs
    Events(Events),
    /// What happened, why it stopped and what to do next, as a page
    Report(Report),
    /// All loops of this machine as numbers, in the text format of Prometheus
    Metrics(Metrics),
    /// What loops did as traces, and what agents say they spent, in the protocol of OpenTelemetry
    Otlp(Otlp),
    /// All loops of this machine in a browser
    Serve(Serve),
    /// For agents: how things stand, as tools of the Model Context Protocol. Reads and reports only
    Mcp,
    /// How things stand in a few characters, for a prompt or a status bar
    Statusline(Statusline),
    /// All loops of this machine on one screen
    Top(Top),
    /// Try whether notifications arrive
    Notify(Notify),
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
    /// Look for patterns whenever something new was written down
    Watch(Watch),
    /// Report an anomaly, or list those that were
    Anomaly(AnomalyCommand),
    /// Halt because you see a pattern that the rules do not. Anyone may
    Trigger(Trigger),
    /// Say what was corrected, and go on. Only a person may
    Resolve(Resolve),
    /// Change what a workflow of sessions keeps: failures, threshold, features. Only a person may
    Edit(Edit),
    /// See whether what a workflow of sessions keeps is consistent; changes nothing
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
    /// Many workers on many machines: shared budgets, tasks and halts
    Fleet(FleetCommand),
    /// Look at everything that must be well, and say what is not
    Doctor(Doctor),
    /// Is this installation sound? Stops a loop that stands still, to see that it can
    SelfCheck,
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
