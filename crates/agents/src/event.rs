//! What happens in a run, in words that all agents share.

use std::time::Duration;

use crate::class::EndClass;
use crate::excerpt::Excerpt;
use crate::usage::Usage;

/// Milliseconds since 1970, UTC.
pub type EpochMs = i64;

/// Something the agent said, did or met.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEvent {
    /// A session began or was resumed. One process may say so several times.
    SessionStarted(SessionStarted),
    /// The model begins to answer.
    TurnStarted,
    /// A tool is called.
    ToolCall(ToolCall),
    /// A tool has answered.
    ToolResult(ToolResult),
    /// Something was not permitted. For a tool call that was answered, its
    /// [`ToolResult`] says so too; this one says which rule to change.
    Denied {
        /// The call, where one was made; otherwise empty.
        call: String,
        /// The tool.
        tool: String,
        /// As the agent explains it; may be empty.
        why: String,
    },
    /// Somebody spoke to the agent while it ran: a hook that sends it back to work, or
    /// whoever drives it.
    Prompted(Excerpt),
    /// The agent's own program made the model go on, for a reason that has nothing to do
    /// with how it works: a task in the background has ended, an answer was cut off.
    Woken,
    /// The agent wrote to its user.
    Said(Excerpt),
    /// The model thought; what it thought is not kept.
    Thought,
    /// A request failed and will be tried again after a while, during which
    /// the agent may be silent.
    Retrying(Retrying),
    /// The state of a usage window of the vendor, also long before it is full.
    Limit(Limit),
    /// This was newly spent. The sum over a run is the run's usage.
    Spent(Usage),
    /// The conversation was compacted to make room.
    Compacted,
    /// A result. A process may go on after it and deliver another.
    Finished {
        /// How the agent says it went; the end of the run may say otherwise.
        class: EndClass,
    },
    /// A remark that ends nothing.
    Warning(String),
    /// An event of a kind that this release does not know.
    Unknown {
        /// Its kind.
        kind: String,
    },
    /// A line that is no event where events were expected.
    Unreadable {
        /// How long it was.
        bytes: u64,
    },
}

/// What a session says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionStarted {
    /// What resumes it.
    pub session: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The agent's version.
    pub version: Option<String>,
    /// Where it works.
    pub cwd: Option<String>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// What its result refers to.
    pub id: String,
    /// The tool's name, as the agent spells it.
    pub tool: String,
    /// JSON as the agent wrote it.
    pub arguments: Excerpt,
    /// The call that started the sub-agent this one comes from.
    pub parent: Option<String>,
}

/// An answer of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The [`ToolCall::id`] it answers.
    pub call: String,
    /// How it went.
    pub outcome: ToolOutcome,
    /// The exit code, where the tool was a command and the agent tells.
    pub exit_code: Option<i64>,
    /// What it printed.
    pub text: Excerpt,
}

/// How a tool call went, as far as the agent tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It ran. Gemini says so of commands that failed, too.
    Succeeded,
    /// It ran and failed, or could not run.
    Failed,
    /// It was not permitted, or is not offered.
    Denied,
}

/// A request that will be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrying {
    /// What made it fail.
    pub trouble: EndClass,
    /// Which attempt comes next.
    pub attempt: Option<u64>,
    /// Of how many.
    pub of: Option<u64>,
    /// After which wait.
    pub delay: Option<Duration>,
}

/// A usage window of the vendor.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Which one.
    pub window: Window,
    /// Whether more is possible.
    pub status: LimitStatus,
    /// The share used, `1.0` being all.
    pub used: Option<f64>,
    /// When it begins anew.
    pub resets_at: Option<EpochMs>,
}

/// Whether a usage window still lets requests through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitStatus {
    /// It does.
    Allowed,
    /// It does, and not for long.
    Warning,
    /// It does not.
    Rejected,
}

/// The kinds of usage windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// A few hours; five with most vendors.
    Hours,
    /// A day.
    Day,
    /// A week.
    Week,
    /// Another length, or not told.
    Other,
}

impl Window {
    /// The longest that its reset can lie ahead; a time further away was
    /// misread.
    #[must_use]
    pub fn longest(self) -> Duration {
        const HOUR: u64 = 3600;
        Duration::from_secs(match self {
            Self::Hours => 6 * HOUR,
            Self::Day => 25 * HOUR,
            Self::Week => 8 * 24 * HOUR,
            Self::Other => 32 * 24 * HOUR,
        })
    }
}
