//! The flags of `run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::values::{dollars, key, one_or_more, threshold, words};
use super::{FleetFlag, Mode};
use crate::duration;

/// `run`
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct Run {
    /// Stop after N iterations (exit code 45)
    #[arg(long, value_name = "N", env = "FUSEBOX_MAX_ITERATIONS", value_parser = one_or_more)]
    pub(crate) max_iterations: Option<u64>,
    /// Token budget per rolling window, one day unless configured (exit code 45)
    #[arg(long, value_name = "N", env = "FUSEBOX_MAX_TOKENS", value_parser = one_or_more)]
    pub(crate) max_tokens: Option<u64>,
    /// Budget in US dollars per rolling window, one day unless configured (exit code 45)
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
    /// Stop at once, even if the preset would wait
    #[arg(long, conflicts_with = "wait")]
    pub(crate) no_wait: bool,
    /// The longest single wait; anything longer ends the run [default: 6h]
    #[arg(long, value_name = "TIME", env = "FUSEBOX_LONGEST_WAIT", value_parser = duration::parse)]
    pub(crate) longest_wait: Option<Duration>,
    /// Stop after this time (exit code 45): the agent is asked to exit up to 10s earlier, and
    /// killed when the time is over
    #[arg(long, value_name = "TIME", env = "FUSEBOX_MAX_TIME", value_parser = duration::parse)]
    pub(crate) max_time: Option<Duration>,
    /// Mode of a session workflow; `create`, the default, checks its prerequisites first
    #[arg(long, value_name = "MODE")]
    #[serde(default)]
    pub(crate) mode: Option<Mode>,
    /// Run one iteration only
    #[arg(long, conflicts_with = "max_iterations")]
    pub(crate) once: bool,
    /// Sandbox the agent away from protected files and fusebox's state, where supported
    #[arg(
        long,
        value_name = "HOW",
        env = "FUSEBOX_SANDBOX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "try"
    )]
    #[serde(default)]
    pub(crate) sandbox: Option<Sandbox>,
    /// Only observe: decide and record everything, deny nothing
    #[arg(long)]
    pub(crate) observe: bool,
    /// Show what would run and within which limits, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Resume the last run in this workspace
    #[arg(long, conflicts_with_all = ["command", "agent", "prompt", "prompt_file"])]
    pub(crate) resume: bool,
    /// Skip the checks of agent, disk and tests before the first iteration
    #[arg(long, env = "FUSEBOX_SKIP_PREFLIGHT")]
    pub(crate) skip_preflight: bool,
    /// Answer the pause menu with this key instead of asking; may be given several times
    #[arg(
        long,
        value_name = "KEY",
        env = "FUSEBOX_ANSWER",
        value_delimiter = ',',
        value_parser = key
    )]
    pub(crate) answer: Vec<char>,
    /// Guidance text, for an answer that needs one
    #[arg(long, value_name = "TEXT", requires = "answer", value_parser = words)]
    pub(crate) guidance: Option<String>,
    /// Plain output, without the live view at the bottom of the terminal
    #[arg(long, env = "FUSEBOX_PLAIN")]
    pub(crate) plain: bool,
    /// Send notifications to this address as well: Slack, Discord, ntfy or any other
    #[arg(long, value_name = "URL", env = "FUSEBOX_WEBHOOK", value_parser = words)]
    pub(crate) webhook: Option<String>,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) fleet: FleetFlag,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    #[command(flatten)]
    pub(crate) evidence: EvidenceFlags,
    /// The current task, for the history and the pause screen
    #[arg(long, value_name = "ID", env = "FUSEBOX_TASK", value_parser = words)]
    pub(crate) task: Option<String>,
    /// Take tasks from the list, one after another: see `fusebox tasks`
    #[arg(long, env = "FUSEBOX_TASKS", conflicts_with = "task")]
    #[serde(default)]
    pub(crate) tasks: bool,
    /// Title of the task
    #[arg(long, value_name = "TEXT", requires = "task", value_parser = words)]
    pub(crate) task_title: Option<String>,
    /// The longest an iteration may take, such as 90s, 30m or 2h [default: 30m]
    #[arg(long, value_name = "TIME", env = "FUSEBOX_TIMEOUT", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// The longest an iteration may be idle: no output, processor time or files written [default: 10m]
    #[arg(long, value_name = "TIME", env = "FUSEBOX_IDLE_TIMEOUT", value_parser = duration::parse)]
    pub(crate) idle_timeout: Option<Duration>,
    /// The command and its arguments
    #[arg(
        trailing_var_arg = true,
        value_name = "CMD",
        help_heading = "Arguments"
    )]
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
            mode: either(&self.mode, earlier.mode),
            once: self.once,
            sandbox: either(&self.sandbox, earlier.sandbox),
            observe: self.observe || earlier.observe,
            dry_run: self.dry_run,
            resume: true,
            skip_preflight: self.skip_preflight,
            plain: self.plain,
            webhook: either(&self.webhook, earlier.webhook),
            fleet: self.fleet.clone(),
            answer: self.answer.clone(),
            guidance: self.guidance.clone(),
            timeout: either(&self.timeout, earlier.timeout),
            idle_timeout: either(&self.idle_timeout, earlier.idle_timeout),
            task: either(&self.task, earlier.task),
            tasks: self.tasks || earlier.tasks,
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
    /// The prompt, the same in each iteration
    #[arg(long, value_name = "TEXT", conflicts_with = "command", value_parser = words)]
    pub(crate) prompt: Option<String>,
    /// Read the prompt from this file in each iteration; a plain command gets it on its standard input
    #[arg(
        long,
        value_name = "FILE",
        env = "FUSEBOX_PROMPT_FILE",
        conflicts_with = "prompt"
    )]
    pub(crate) prompt_file: Option<PathBuf>,
    /// The model, or a ladder of models, cheapest first, such as haiku,sonnet,opus; a single
    /// model that is on the usual ladder starts that ladder there
    /// [default: the agent's own; with `--on-stagnation escalate` a ladder of its vendor's]
    #[arg(
        long,
        value_name = "MODEL",
        env = "FUSEBOX_MODEL",
        value_delimiter = ',',
        value_parser = words
    )]
    pub(crate) model: Vec<String>,
    /// What the agent may do without asking
    #[arg(long, value_name = "WHAT", env = "FUSEBOX_PERMISSIONS")]
    pub(crate) permissions: Option<PermissionWord>,
    /// Continue the agent's session instead of starting a fresh one in each iteration
    #[arg(long, env = "FUSEBOX_CONTINUE_SESSION")]
    pub(crate) continue_session: bool,
}

/// What an agent may do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum PermissionWord {
    /// Whatever the agent's own settings allow
    Ask,
    /// Edit files
    Edits,
    /// Everything
    Everything,
    /// Read only
    ReadOnly,
}

/// What shows that the work is done.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Evidence")]
pub(crate) struct EvidenceFlags {
    /// The command that tests the work after each iteration, run with `sh -c`
    #[arg(long, value_name = "CMD", env = "FUSEBOX_TEST", value_parser = words)]
    pub(crate) test: Option<String>,
    /// The command that builds the work, run before the tests
    #[arg(long, value_name = "CMD", env = "FUSEBOX_BUILD", value_parser = words)]
    pub(crate) build: Option<String>,
    /// A file without which the work is not complete; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) require: Vec<PathBuf>,
    /// A Markdown file whose unchecked boxes `- [ ]` are criteria not yet met
    #[arg(long, value_name = "FILE")]
    pub(crate) criteria: Option<PathBuf>,
}

const RUN_EXAMPLES: &str = "\
Examples:
  fusebox run -- ./agent.sh
  fusebox run --agent claude --prompt-file PROMPT.md --test 'cargo test' --permissions edits
  fusebox run --agent codex --prompt 'do the next task in TODO.md' --permissions edits --wait --max-time 8h
  fusebox run --tasks --agent claude --test 'cargo test' --permissions edits
  fusebox run --prompt-file PROMPT.md -- claude -p --output-format stream-json --verbose";

/// What to do where there can be no sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Sandbox {
    /// Say so and proceed; lost files are restored
    Try,
    /// Run nothing (exit code 6)
    Require,
}

/// What `run` does when the breaker trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum OnStagnation {
    /// Send a notification and continue
    Alert,
    /// Continue with the next model, and pause after the last
    Escalate,
    /// Ask on the terminal; without one, stop with exit code 43
    Pause,
    /// Stop with exit code 42
    Abort,
}
