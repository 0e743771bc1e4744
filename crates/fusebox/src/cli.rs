//! The command line, as a contract.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use fusebox_core::policy::{MOST_CALLS, Preset, THRESHOLD_RANGE};
use fusebox_workspace::SnapshotId;
use serde::{Deserialize, Serialize};

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

/// The long help ends with the exit codes.
fn const_format_help() -> String {
    format!("{EXAMPLES}\n\n{}", exit::TABLE)
}

/// Options that every command takes.
#[derive(Debug, Args)]
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
    Stop {
        /// Only when its iteration has ended
        #[arg(long)]
        after_iteration: bool,
    },
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
    /// Open the breaker. Anyone may
    Trip(Reason),
    /// Close the breaker and count anew. Only a person may
    Reset(Reason),
    /// Make the work tree what it was after an earlier iteration
    Rollback(Rollback),
    /// Take the next strategy of recovery: what the next probe is to do differently
    Recover(Recover),
    /// The rolling limits on calls, tokens and money
    Limit(Limit),
    /// The ways of working, and how two of them differ
    Presets(Presets),
    /// What is configured, where, and what could be
    Config(Config),
    /// Verify everything that is remembered, and say what is wrong
    Doctor,
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

/// `run`
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct Run {
    /// Stop after N iterations (exit code 45)
    #[arg(long, value_name = "N", env = "FUSEBOX_MAX_ITERATIONS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_iterations: Option<u64>,
    /// The most tokens in any rolling window, a day unless configured (exit code 45)
    #[arg(long, value_name = "N", env = "FUSEBOX_MAX_TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// The most US dollars in any rolling window, a day unless configured (exit code 45)
    #[arg(long, value_name = "AMOUNT", env = "FUSEBOX_MAX_USD", value_parser = dollars)]
    pub(crate) max_usd: Option<u64>,
    /// Trip after N iterations in a row without progress [default: 3]
    #[arg(long, value_name = "N", env = "FUSEBOX_STAGNATION_THRESHOLD", value_parser = threshold())]
    pub(crate) stagnation_threshold: Option<u32>,
    /// What to do when the breaker trips [default: pause]
    #[arg(long, value_name = "ACTION", env = "FUSEBOX_ON_STAGNATION")]
    pub(crate) on_stagnation: Option<OnStagnation>,
    /// Wait for the cooldown or the next free call instead of stopping
    #[arg(long, env = "FUSEBOX_WAIT")]
    pub(crate) wait: bool,
    /// Stop at once even in a preset that waits by itself
    #[arg(long, conflicts_with = "wait")]
    pub(crate) no_wait: bool,
    /// The longest to wait at a stretch; what takes longer ends the run [default: 6h]
    #[arg(long, value_name = "TIME", env = "FUSEBOX_LONGEST_WAIT", value_parser = duration::parse)]
    pub(crate) longest_wait: Option<Duration>,
    /// Stop after this time (exit code 45)
    #[arg(long, value_name = "TIME", env = "FUSEBOX_MAX_TIME", value_parser = duration::parse)]
    pub(crate) max_time: Option<Duration>,
    /// Run one iteration only
    #[arg(long, conflicts_with = "max_iterations")]
    pub(crate) once: bool,
    /// Only observe: decide and write down everything, deny nothing
    #[arg(long)]
    pub(crate) observe: bool,
    /// Say what would be run and within which limits, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Go on with what the last run here was doing
    #[arg(long, conflicts_with_all = ["command", "agent", "prompt", "prompt_file"])]
    pub(crate) resume: bool,
    /// Do not look at the agent, the disk and the tests before the first iteration
    #[arg(long, env = "FUSEBOX_SKIP_PREFLIGHT")]
    pub(crate) skip_preflight: bool,
    /// Answer the pause menu with this key instead of asking; may be given several times
    #[arg(
        long,
        value_name = "KEY",
        env = "FUSEBOX_ANSWER",
        value_delimiter = ','
    )]
    pub(crate) answer: Vec<char>,
    /// Plain lines, without the live view at the bottom of the terminal
    #[arg(long, env = "FUSEBOX_PLAIN")]
    pub(crate) plain: bool,
    /// Send notifications to this address as well: Slack, Discord, ntfy or any other
    #[arg(long, value_name = "URL", env = "FUSEBOX_WEBHOOK")]
    pub(crate) webhook: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) evidence: EvidenceFlags,
    /// What is being worked on, for the history and the pause screen
    #[arg(long, value_name = "ID", env = "FUSEBOX_TASK")]
    pub(crate) task: Option<String>,
    /// Its title
    #[arg(long, value_name = "TEXT", requires = "task")]
    pub(crate) task_title: Option<String>,
    /// The longest an iteration may take, such as 90s, 30m or 2h [default: 30m]
    #[arg(long, value_name = "TIME", env = "FUSEBOX_TIMEOUT", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// The longest an iteration may stand idle: no output, processor time or files written [default: 10m]
    #[arg(long, value_name = "TIME", env = "FUSEBOX_IDLE_TIMEOUT", value_parser = duration::parse)]
    pub(crate) idle_timeout: Option<Duration>,
    /// The command and its arguments
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

impl Run {
    /// What an earlier run was asked to do, except for what is asked anew.
    pub(crate) fn after(&self, earlier: Self) -> Self {
        fn either<T: Clone>(new: &Option<T>, old: Option<T>) -> Option<T> {
            new.clone().or(old)
        }
        Self {
            max_iterations: either(&self.max_iterations, earlier.max_iterations),
            max_tokens: either(&self.max_tokens, earlier.max_tokens),
            max_usd: either(&self.max_usd, earlier.max_usd),
            stagnation_threshold: either(&self.stagnation_threshold, earlier.stagnation_threshold),
            on_stagnation: either(&self.on_stagnation, earlier.on_stagnation),
            wait: (self.wait || earlier.wait) && !self.no_wait,
            no_wait: (self.no_wait || earlier.no_wait) && !self.wait,
            longest_wait: either(&self.longest_wait, earlier.longest_wait),
            max_time: either(&self.max_time, earlier.max_time),
            once: self.once,
            observe: self.observe || earlier.observe,
            dry_run: self.dry_run,
            resume: true,
            skip_preflight: self.skip_preflight,
            plain: self.plain,
            webhook: either(&self.webhook, earlier.webhook),
            answer: self.answer.clone(),
            timeout: either(&self.timeout, earlier.timeout),
            idle_timeout: either(&self.idle_timeout, earlier.idle_timeout),
            task: either(&self.task, earlier.task),
            task_title: either(&self.task_title, earlier.task_title),
            agent: AgentFlags {
                model: if self.agent.model.is_empty() {
                    earlier.agent.model
                } else {
                    self.agent.model.clone()
                },
                permissions: either(&self.agent.permissions, earlier.agent.permissions),
                ..earlier.agent
            },
            evidence: earlier.evidence,
            command: earlier.command,
        }
    }
}

/// The agent that `run` starts.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[command(next_help_heading = "The agent")]
pub(crate) struct AgentFlags {
    /// Start this agent: claude, codex, gemini, opencode, copilot or aider
    #[arg(
        long,
        value_name = "AGENT",
        env = "FUSEBOX_AGENT",
        conflicts_with = "command"
    )]
    pub(crate) agent: Option<String>,
    /// What it is to do, the same in each iteration
    #[arg(long, value_name = "TEXT", conflicts_with = "command")]
    pub(crate) prompt: Option<String>,
    /// What it is to do, read anew from this file each time; a plain command gets it on its standard input
    #[arg(
        long,
        value_name = "FILE",
        env = "FUSEBOX_PROMPT_FILE",
        conflicts_with = "prompt"
    )]
    pub(crate) prompt_file: Option<PathBuf>,
    /// The ladder of models, the cheapest first, such as haiku,sonnet,opus
    #[arg(
        long,
        value_name = "MODEL",
        env = "FUSEBOX_MODEL",
        value_delimiter = ','
    )]
    pub(crate) model: Vec<String>,
    /// What it may do by itself
    #[arg(long, value_name = "WHAT", env = "FUSEBOX_PERMISSIONS")]
    pub(crate) permissions: Option<PermissionWord>,
    /// Go on with the agent's own session instead of a fresh one in each iteration
    #[arg(long, env = "FUSEBOX_CONTINUE_SESSION")]
    pub(crate) continue_session: bool,
}

/// What an agent may do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum PermissionWord {
    /// What its own settings say
    Ask,
    /// Edit files
    Edits,
    /// Everything
    Everything,
    /// Only look
    ReadOnly,
}

/// What shows that the work is done.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Evidence")]
pub(crate) struct EvidenceFlags {
    /// The command that tests the work after each iteration, run with `sh -c`
    #[arg(long, value_name = "CMD", env = "FUSEBOX_TEST")]
    pub(crate) test: Option<String>,
    /// The command that builds it, run before the tests
    #[arg(long, value_name = "CMD", env = "FUSEBOX_BUILD")]
    pub(crate) build: Option<String>,
    /// A file without which the work is not complete; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) require: Vec<PathBuf>,
    /// A Markdown file whose open boxes `- [ ]` are criteria not yet met
    #[arg(long, value_name = "FILE")]
    pub(crate) criteria: Option<PathBuf>,
}

const RUN_EXAMPLES: &str = "\
Examples:
  fusebox run -- ./agent.sh
  fusebox run --agent claude --prompt-file PROMPT.md --test 'cargo test'
  fusebox run --agent codex --prompt 'do the next task in TODO.md' --wait --max-time 8h
  fusebox run --max-iterations 20 --prompt-file PROMPT.md -- claude -p";

/// What `run` does when the breaker trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum OnStagnation {
    /// Send a notification and go on
    Alert,
    /// Go on with the next model, and pause after the last
    Escalate,
    /// Ask on the terminal; without one, stop with exit code 43
    Pause,
    /// Stop with exit code 42
    Abort,
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

/// `record`
#[derive(Debug, Args)]
#[command(after_help = RECORD_EXAMPLES)]
pub(crate) struct Record {
    /// `-` reads one JSON object from standard input
    #[arg(value_name = "-", value_parser = ["-"])]
    pub(crate) input: Option<String>,
    /// Measure what changed in the work tree since the check, or the last record
    #[arg(long)]
    pub(crate) from_git: bool,
    /// Exit 0 whatever the decision
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// The grant that `check` answered with
    #[arg(long, value_name = "GRANT")]
    pub(crate) grant: Option<String>,
    /// Your own number for the iteration
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u64>,
    /// The task that was worked on
    #[arg(long, value_name = "NAME")]
    pub(crate) task: Option<String>,
    /// How many files changed
    #[arg(long, value_name = "N", conflicts_with = "from_git")]
    pub(crate) files_changed: Option<u64>,
    /// How many tasks were completed
    #[arg(long, value_name = "N")]
    pub(crate) tasks_completed: Option<u32>,
    /// An error the iteration ran into; may be given several times
    #[arg(long = "error", value_name = "TEXT")]
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
    /// The agent's exit code
    #[arg(long, value_name = "CODE", allow_negative_numbers = true)]
    pub(crate) exit_code: Option<i32>,
    /// How long the iteration took
    #[arg(long, value_name = "MS")]
    pub(crate) duration_ms: Option<u64>,
    /// Trouble that was not the agent's doing; the iteration then counts neither way
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
  echo '{\"files_changed\": 0, \"errors\": [{\"type\": \"TypeError\", \"message\": \"x is undefined\"}]}' | fusebox record -";

/// Trouble outside the agent.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EnvironmentKind {
    Limit,
    Overload,
    Auth,
    Network,
    Disk,
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

/// `trip` and `reset`
#[derive(Debug, Args)]
pub(crate) struct Reason {
    /// Why, for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
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

/// `presets`
#[derive(Debug, Args)]
pub(crate) struct Presets {
    #[command(subcommand)]
    pub(crate) action: Option<PresetsAction>,
}

/// What to show of the presets.
#[derive(Debug, Subcommand)]
pub(crate) enum PresetsAction {
    /// Only what differs between two of them
    Diff {
        /// The one
        one: Preset,
        /// The other
        other: Preset,
    },
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

fn retry_at(text: &str) -> Result<i64, String> {
    crate::intake::moment(text).ok_or_else(|| "not a time like 2026-01-31T12:00:00Z".into())
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
