//! How runs of a loop begin, rest and end.

use serde::{Deserialize, Serialize};

use crate::text::clip;

/// The longest text that is kept of how a run ended, in bytes.
const SAID_BYTES: usize = 400;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Why.
    pub why: RunOver,
    /// The exit code it left.
    pub code: u8,
    /// Iterations it carried out.
    pub iterations: u64,
    /// The same in a line.
    pub said: String,
}

impl RunEnd {
    /// The same, cut down to what is kept.
    #[must_use]
    pub(crate) fn bounded(mut self) -> Self {
        let kept = clip(&self.said, SAID_BYTES).len();
        self.said.truncate(kept);
        self
    }
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOver {
    /// The one iteration that was asked for is done.
    Done,
    /// Nothing is left to do, and something shows it.
    Complete,
    /// As many iterations as were allowed are done.
    IterationsUsedUp,
    /// The one iteration that was asked for had to be ended.
    CutShort,
    /// As much time as was allowed is used up.
    TimeUsedUp,
    /// The breaker is open.
    Open,
    /// The breaker is open, and there was nobody to ask.
    Paused,
    /// Protected files were lost.
    ProtectedLost,
    /// The call limit, a usage limit or a budget is reached.
    Limited,
    /// Trouble outside that waiting did not help.
    OutsideTrouble,
    /// The agent cannot be run as it was called.
    Unusable,
    /// The prompt cannot be read any more.
    PromptGone,
    /// The list of tasks cannot be read any more.
    ListGone,
    /// The command could not be started.
    NotStarted,
    /// Every task of the list is done.
    TasksDone,
    /// Tasks are left that cannot be begun.
    TasksLeft,
    /// The fleet did not let another iteration begin.
    Fleet,
    /// Another terminal asked for the end.
    Stopped,
    /// A signal asked for the end.
    Interrupted,
    /// The run itself failed, or was refused after it had begun.
    Failed,
}

impl RunOver {
    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Complete => "complete",
            Self::IterationsUsedUp => "iterations_used_up",
            Self::CutShort => "cut_short",
            Self::TimeUsedUp => "time_used_up",
            Self::Open => "open",
            Self::Paused => "paused",
            Self::ProtectedLost => "protected_lost",
            Self::Limited => "limited",
            Self::OutsideTrouble => "outside_trouble",
            Self::Unusable => "unusable",
            Self::PromptGone => "prompt_gone",
            Self::ListGone => "list_gone",
            Self::NotStarted => "not_started",
            Self::TasksDone => "tasks_done",
            Self::TasksLeft => "tasks_left",
            Self::Fleet => "fleet",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}

/// What a run that rests waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseFor {
    /// Another terminal asked for the pause, and is to end it.
    Resume,
    /// A person at the run's own terminal is asked what is to be done.
    Answer,
}

impl PauseFor {
    /// What is waited for, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Resume => "waiting for `fusebox resume`",
            Self::Answer => "waiting for an answer at its terminal",
        }
    }
}
