//! Why a run is over. A stop is never reported as success.

use std::borrow::Cow;

use fusebox_core::journal::RunOver;
use fusebox_core::observation::Environment;
use fusebox_view::{escape, phrase};

use crate::cli::nearest;
use crate::exit;
use crate::session::Outcome;

/// Why a run is over.
pub(crate) enum Ending {
    /// The one iteration that was asked for is done.
    Done,
    /// The agent says that the work is complete, and the evidence agrees.
    Complete(String),
    /// Nothing is left to do, and this shows it.
    Finished(String),
    /// As many iterations as were allowed are done.
    IterationsUsedUp(u64),
    /// The one iteration that was asked for had to be ended.
    CutShort,
    /// As much time as was allowed is used up.
    TimeUsedUp,
    /// The breaker is open, and somebody chose to stop.
    Opened(Box<Outcome>),
    /// The breaker is open and there is nobody to ask.
    NobodyToAsk(Box<Outcome>),
    /// Protected files were lost.
    ProtectedLost(Box<Outcome>),
    /// The call limit, a usage limit or a budget is reached.
    Limited(Box<Outcome>),
    /// Trouble outside that waiting did not help.
    Outside { kind: Environment, said: String },
    /// The agent is there and says that it cannot be run as it was called, in these words.
    Unusable(String),
    /// The prompt cannot be read any more, for this reason.
    PromptGone(String),
    /// The list of tasks cannot be read any more, for this reason.
    ListGone(String),
    /// The command could not be started.
    NotStarted {
        command: String,
        why: String,
        /// It is not there, rather than not allowed.
        missing: bool,
    },
    /// The fleet does not let another iteration begin.
    Fleet {
        code: u8,
        word: &'static str,
        said: String,
    },
    /// The list holds nothing more to begin with.
    TasksOver {
        /// Tasks that this run has completed.
        done: u64,
        /// Tasks that are still to be done: given up, waiting, or somebody else's.
        left: u64,
        /// The first of them.
        which: String,
        /// How many of them the list does not ask for, and nothing shows why.
        unshown: u64,
        /// How many of those are gone from it.
        gone: u64,
    },
    /// Another terminal asked for the end.
    Asked,
    /// A signal asked for the end.
    Signal(i32),
}

impl Ending {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Done
            | Self::Complete(_)
            | Self::Finished(_)
            | Self::TasksOver { left: 0, .. } => exit::GO,
            Self::TasksOver { .. } => exit::PAUSED,
            Self::Fleet { code, .. } => *code,
            Self::IterationsUsedUp(_) | Self::TimeUsedUp | Self::CutShort => exit::BUDGET,
            Self::Opened(outcome) => outcome.policy.exits.open,
            Self::NobodyToAsk(outcome) => outcome.policy.exits.paused,
            Self::ProtectedLost(_) => exit::PROTECTED,
            Self::Limited(outcome) => exit::of(&outcome.decision, &outcome.policy),
            Self::NotStarted { missing: true, .. } | Self::PromptGone(_) | Self::ListGone(_) => {
                exit::MISSING
            }
            Self::NotStarted { missing: false, .. } | Self::Unusable(_) | Self::Outside { .. } => {
                exit::AGENT
            }
            Self::Signal(signal) if *signal == rustix::process::Signal::INT.as_raw() => {
                exit::INTERRUPTED
            }
            Self::Signal(_) | Self::Asked => exit::TERMINATED,
        }
    }

    /// The word that names it in data.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Fleet { word, .. } => word,
            _ => self.why().name(),
        }
    }

    /// What is written down of it.
    pub(super) fn why(&self) -> RunOver {
        match self {
            Self::Done => RunOver::Done,
            Self::Complete(_) | Self::Finished(_) => RunOver::Complete,
            Self::IterationsUsedUp(_) => RunOver::IterationsUsedUp,
            Self::CutShort => RunOver::CutShort,
            Self::TimeUsedUp => RunOver::TimeUsedUp,
            Self::Opened(_) => RunOver::Open,
            Self::NobodyToAsk(_) => RunOver::Paused,
            Self::ProtectedLost(_) => RunOver::ProtectedLost,
            Self::Limited(_) => RunOver::Limited,
            Self::Outside { .. } => RunOver::OutsideTrouble,
            Self::Unusable(_) => RunOver::Unusable,
            Self::PromptGone(_) => RunOver::PromptGone,
            Self::ListGone(_) => RunOver::ListGone,
            Self::NotStarted { .. } => RunOver::NotStarted,
            Self::TasksOver { left: 0, .. } => RunOver::TasksDone,
            Self::TasksOver { .. } => RunOver::TasksLeft,
            Self::Fleet { .. } => RunOver::Fleet,
            Self::Asked => RunOver::Stopped,
            Self::Signal(_) => RunOver::Interrupted,
        }
    }

    /// What the last decision was, where one ended the run.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Opened(outcome)
            | Self::NobodyToAsk(outcome)
            | Self::ProtectedLost(outcome)
            | Self::Limited(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// What a person can do about it, where no decision says so already.
    pub(crate) fn advice(&self) -> Option<Cow<'static, str>> {
        let advice = match self {
            Self::NotStarted {
                command,
                missing: true,
                ..
            } => return Some(perhaps(command)),
            Self::Outside {
                kind: Environment::Auth,
                ..
            } => Some("sign the agent in, check its plan or credit, then `fusebox run --resume`"),
            Self::Outside {
                kind: Environment::Disk,
                ..
            } => Some("make room on the disk, then `fusebox run --resume`"),
            Self::Outside { .. } => Some("`fusebox run --resume` once the service has recovered"),
            Self::Unusable(_) => {
                Some("check that the installed version supports its flags, model and session")
            }
            Self::PromptGone(_) => Some("put it back, then `fusebox run --resume`"),
            Self::ListGone(_) => Some("see that it can be read again, then `fusebox run --resume`"),
            Self::Opened(outcome) | Self::NobodyToAsk(outcome)
                if outcome.policy.resumes_by_person() =>
            {
                Some("or a person allows one trial iteration: `fusebox run --resume`")
            }
            Self::Asked | Self::Signal(_) | Self::TimeUsedUp | Self::IterationsUsedUp(_) => {
                Some("`fusebox run --resume` continues")
            }
            Self::Limited(_) => {
                Some("`fusebox run --resume` continues then; with `--wait` it waits for that")
            }
            Self::Fleet { .. } => Some("`fusebox fleet status` shows the state of the fleet"),
            Self::TasksOver {
                left: 1..,
                gone: 1..,
                ..
            } => Some(
                "put back into the list what is still to be done: the next run goes by what it says then; \
                 `fusebox tasks settle ID --reason TEXT` says that it was meant to go",
            ),
            Self::TasksOver {
                left: 1..,
                unshown: 1..,
                ..
            } => Some(
                "`fusebox tasks reopen` takes up again what is still to be done; `fusebox tasks settle ID \
                 --reason TEXT` says that it was meant to be closed or put off",
            ),
            Self::TasksOver { left: 1.., .. } => Some(
                "`fusebox tasks list` says what each waits for; `fusebox tasks reopen` takes one up again",
            ),
            _ => None,
        };
        advice.map(Cow::Borrowed)
    }

    /// The ending in one line.
    pub(crate) fn headline(&self) -> String {
        match self {
            Self::Done => "done · one iteration, as asked".into(),
            Self::Complete(evidence) => {
                format!("complete · the agent says so, and {evidence}")
            }
            Self::Finished(evidence) => format!("complete · {evidence}"),
            Self::IterationsUsedUp(count) => {
                let done = phrase::count(*count, "iteration");
                format!("stopped · {done} done, the iteration limit is reached")
            }
            Self::TasksOver { done, left: 0, .. } => {
                format!("complete · every task is done, {done} of them in this run")
            }
            Self::TasksOver {
                done, left, which, ..
            } => {
                format!(
                    "stopped · {} in this run; {left} left that cannot be started: {}",
                    phrase::count(*done, "task"),
                    escape::line(which, 200)
                )
            }
            Self::Fleet { said, .. } => format!("stopped · {said}"),
            Self::CutShort => "stopped · the only iteration was killed".into(),
            Self::TimeUsedUp => "stopped · the time for this run is used up".into(),
            Self::Opened(_) => "stopped · the breaker is open".into(),
            Self::NobodyToAsk(_) => {
                "paused · the breaker is open, and there is no terminal to prompt on".into()
            }
            Self::ProtectedLost(_) => "stopped · protected files were lost".into(),
            Self::Limited(_) if self.code() == exit::BUDGET => {
                "stopped · a budget is used up".into()
            }
            Self::Limited(_) => "stopped · a limit is reached".into(),
            Self::Outside { kind, said } => {
                let said = escape::line(said, 120);
                let colon = if said.is_empty() { "" } else { ": " };
                format!("stopped · {}{colon}{said}", outside(*kind))
            }
            Self::Unusable(said) => {
                let said = escape::line(said, 120);
                let colon = if said.is_empty() { "" } else { ": " };
                format!("stopped · the agent cannot be run like this{colon}{said}")
            }
            Self::PromptGone(why) | Self::ListGone(why) => {
                format!("stopped · {}", escape::line(why, 200))
            }
            Self::NotStarted { command, why, .. } => {
                format!(
                    "stopped · `{}` could not be started: {why}",
                    escape::line(command, 80)
                )
            }
            Self::Asked => "stopped · by request from another terminal; state saved".into(),
            Self::Signal(_) if self.code() == exit::INTERRUPTED => {
                "stopped · interrupted; state saved".into()
            }
            Self::Signal(_) => "stopped · asked to terminate; state saved".into(),
        }
    }
}

/// What somebody who named a command that is not there may have meant.
pub(super) fn perhaps(command: &str) -> Cow<'static, str> {
    if command.trim().contains(char::is_whitespace) {
        let line = escape::line(command, 80).replace('\'', r"'\''");
        return format!("that is one word; a command line needs a shell: `-- sh -c '{line}'`")
            .into();
    }
    if command.contains('/') {
        return "there is no such file, or what its first line names is not there".into();
    }
    let agents = fusebox_agents::AGENTS.iter();
    let programs = agents.flat_map(|agent| agent.programs()).copied();
    match nearest(command, programs) {
        // What is shown may be an agent's name, which is not its program's.
        Some(meant) if !meant.eq_ignore_ascii_case(command) => {
            format!("did you mean `{meant}`?").into()
        }
        _ => "check that it is installed and on PATH; `fusebox doctor` lists the agents it finds"
            .into(),
    }
}

fn outside(kind: Environment) -> &'static str {
    match kind {
        Environment::Auth => "the agent is not signed in or not paid for",
        Environment::Overload => "the agent's service stays overloaded",
        Environment::Network => "the agent's service stays out of reach",
        Environment::Limit => "the agent's service keeps turning it away",
        Environment::Disk => "the disk is full",
    }
}
