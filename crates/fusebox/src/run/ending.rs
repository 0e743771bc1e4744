//! Why a run is over. A stop is never reported as success.

use crate::exit;
use crate::session::Outcome;

/// Why a run is over.
pub(crate) enum Ending {
    /// The one iteration that was asked for is done.
    Done,
    /// As many iterations as were allowed are done.
    IterationsUsedUp(u64),
    /// The breaker is open, and somebody chose to stop.
    Opened(Box<Outcome>),
    /// The breaker is open and there is nobody to ask.
    NobodyToAsk(Box<Outcome>),
    /// The call limit or a budget is reached.
    Limited(Box<Outcome>),
    /// The command could not be started.
    NotStarted {
        command: String,
        why: String,
        /// It is not there, rather than not allowed.
        missing: bool,
    },
    /// A signal asked for the end.
    Signal(i32),
}

impl Ending {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Done => exit::GO,
            Self::IterationsUsedUp(_) => exit::BUDGET,
            Self::Opened(outcome) => outcome.policy.exits.open,
            Self::NobodyToAsk(outcome) => outcome.policy.exits.paused,
            Self::Limited(outcome) => exit::of(&outcome.decision, &outcome.policy),
            Self::NotStarted { missing: true, .. } => exit::MISSING,
            Self::NotStarted { missing: false, .. } => exit::AGENT,
            Self::Signal(signal) if *signal == rustix::process::Signal::INT.as_raw() => {
                exit::INTERRUPTED
            }
            Self::Signal(_) => exit::TERMINATED,
        }
    }

    /// The word that names it in data.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::IterationsUsedUp(_) => "iterations_used_up",
            Self::Opened(_) => "open",
            Self::NobodyToAsk(_) => "paused",
            Self::Limited(_) => "limited",
            Self::NotStarted { .. } => "not_started",
            Self::Signal(_) => "interrupted",
        }
    }

    /// What the last decision was, where one ended the run.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Opened(outcome) | Self::NobodyToAsk(outcome) | Self::Limited(outcome) => {
                Some(outcome)
            }
            Self::Done | Self::IterationsUsedUp(_) | Self::NotStarted { .. } | Self::Signal(_) => {
                None
            }
        }
    }

    /// The ending in one line.
    pub(crate) fn headline(&self) -> String {
        match self {
            Self::Done => "done · one iteration, as asked".into(),
            Self::IterationsUsedUp(count) => {
                let done = fusebox_view::phrase::count(*count, "iteration");
                format!("stopped · {done} done, as many as were allowed")
            }
            Self::Opened(_) => "stopped · the breaker is open".into(),
            Self::NobodyToAsk(_) => {
                "paused · the breaker is open, and there is no terminal to ask a person on".into()
            }
            Self::Limited(_) if self.code() == exit::BUDGET => {
                "stopped · a budget is used up".into()
            }
            Self::Limited(_) => "stopped · the call limit is reached".into(),
            Self::NotStarted { command, why, .. } => {
                format!(
                    "stopped · `{}` could not be started: {why}",
                    fusebox_view::escape::line(command, 80)
                )
            }
            Self::Signal(_) if self.code() == exit::INTERRUPTED => {
                "stopped · interrupted; everything is saved".into()
            }
            Self::Signal(_) => "stopped · asked to terminate; everything is saved".into(),
        }
    }
}
