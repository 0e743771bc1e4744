//! What there is to show.

use fusebox_core::circuit::{Opening, Row};
use fusebox_core::{Circuit, Decision, Policy, State};

/// One loop of the overview.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its name among all of this machine; never shown.
    pub id: String,
    /// The directory of the workspace.
    pub root: String,
    /// The circuit.
    pub circuit: String,
    /// Whether a supervisor is at work.
    pub live: bool,
    /// How its last run stands, in a line, where it is worth one: that it rests, or how it ended.
    pub run: Option<String>,
    /// Whether its run rests.
    pub paused: bool,
    /// How it stands.
    pub standing: Standing,
}

/// How a loop stands.
#[derive(Clone, Debug)]
pub enum Standing {
    /// As its memory says.
    Known(Box<Known>),
    /// Its memory is being written just now.
    Busy,
    /// Its memory cannot be read or believed, which means open.
    Unreadable(String),
}

/// What a loop's memory says.
#[derive(Clone, Debug)]
pub struct Known {
    /// The rules it is under.
    pub policy: Policy,
    /// Its state.
    pub circuit: Circuit,
    /// What would be decided now.
    pub decision: Decision,
    /// The wall clock at that moment.
    pub now_ms: i64,
}

/// A fleet that this machine takes part in, as it was last heard of.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// Where it is.
    pub address: String,
    /// Why nothing is heard of it, where nothing is.
    pub trouble: Option<String>,
    /// What is halted, the gravest first: a sentence each.
    pub halts: Vec<String>,
    /// How many of its workers are there just now.
    pub present: u64,
    /// Who takes part, the latest sign of life first.
    pub workers: Vec<Worker>,
    /// Everything else: a name and a line.
    pub rest: Vec<(&'static str, String)>,
}

/// A worker of a fleet, here or on another machine.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The machine.
    pub host: String,
    /// What it works on.
    pub repository: String,
    /// With which agent, if that is known.
    pub agent: Option<String>,
    /// When it gave its last sign of life, by the clock of this machine.
    pub seen_ms: i64,
    /// The tasks that it has.
    pub tasks: Vec<String>,
}

/// The page of one loop, beside what the overview knows of it.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    /// Its latest iterations, oldest first.
    pub iterations: Vec<Iteration>,
}

/// One iteration.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// When it was reported.
    pub at_ms: i64,
    /// What came of it.
    pub row: Row,
    /// The task it was for.
    pub task: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// What it cost, in millionths of a US dollar.
    pub micro_usd: Option<u64>,
    /// The state it left behind.
    pub state: State,
    /// What it opened the breaker with, if it did.
    pub opened: Option<Opening>,
}

impl Loop {
    /// The name that people know it by: the directory's, and the circuit's where
    /// it is not the usual one.
    #[must_use]
    pub fn name(&self) -> String {
        let directory = self.root.rsplit('/').find(|part| !part.is_empty());
        let directory = directory.unwrap_or("/");
        match self.circuit.as_str() {
            "default" => directory.to_owned(),
            circuit => format!("{directory}:{circuit}"),
        }
    }

    /// The state that counts for whoever asks whether it may go on.
    #[must_use]
    pub fn state(&self) -> Option<State> {
        match &self.standing {
            Standing::Known(known) => Some(known.decision.state),
            Standing::Busy => None,
            Standing::Unreadable(_) => Some(State::Open),
        }
    }
}
