//! What either protocol may ask, answered as the commands answer it.

use fusebox_core::machine;
use fusebox_core::patterns::Anomaly;
use fusebox_store::Query;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::refusal::Refusal;
use super::rpc::result;
use crate::answer::Answer;
use crate::cli::{Check, Global, HistoryKind};
use crate::clock::Clock;
use crate::dealings;
use crate::exit;
use crate::failure::Failure;
use crate::intake::Intake;
use crate::look::history;
use crate::session::{Outcome, Session};

/// The most lines of history at once.
const MOST_LINES: usize = 1_000;

/// Answers about one circuit. Each question opens it anew, so that a conversation of hours sees
/// what others did meanwhile, and holds no lock between two questions.
pub(super) struct Desk {
    global: Global,
    clock: Clock,
    /// Where the fuzzer has the heads, which leaves the user's own alone.
    #[cfg(feature = "fuzzing")]
    pub(super) heads: Option<std::path::PathBuf>,
}

/// An answer, with the code that the command would have ended with.
#[derive(Serialize)]
struct Coded<'a> {
    exit_code: u8,
    #[serde(flatten)]
    answer: Answer<'a>,
}

/// What `record` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordParams {
    /// The object that `fusebox record -` reads.
    #[serde(default)]
    report: Option<Box<RawValue>>,
    /// Measure the work tree, against what it was at `check`.
    #[serde(default)]
    from_git: bool,
}

/// What `history` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct HistoryParams {
    last: usize,
    task: Option<String>,
    kind: Option<HistoryKind>,
}

impl Default for HistoryParams {
    fn default() -> Self {
        Self {
            last: 20,
            task: None,
            kind: None,
        }
    }
}

/// No parameters at all.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// What `explain` answers.
#[derive(Serialize)]
pub(super) struct Explained {
    pub(super) text: String,
}

/// What `history` answers.
#[derive(Serialize)]
struct Past<'a> {
    lines: Vec<history::Line<'a>>,
}

impl Desk {
    pub(super) fn new(global: &Global, clock: Clock) -> Self {
        Self {
            global: global.clone(),
            clock,
            #[cfg(feature = "fuzzing")]
            heads: None,
        }
    }

    fn session(&self) -> Result<Session, Failure> {
        #[cfg(feature = "fuzzing")]
        if self.heads.is_some() {
            return self.made_up();
        }
        Session::open(&self.global, self.clock)
    }

    /// The same, whatever somebody wrote into a configuration.
    fn session_despite_config(&self) -> Result<Session, Failure> {
        #[cfg(feature = "fuzzing")]
        if self.heads.is_some() {
            return self.made_up();
        }
        Session::open_despite_config(&self.global, self.clock)
    }

    /// The fuzzer's own.
    #[cfg(feature = "fuzzing")]
    pub(super) fn made_up(&self) -> Result<Session, Failure> {
        Session::open_in(&self.global, self.clock, self.heads.as_deref())
    }

    pub(super) fn status(&self) -> Result<Box<RawValue>, Refusal> {
        coded(&self.session()?.look(machine::status)?)
    }

    pub(super) fn explain(&self) -> Result<Explained, Refusal> {
        let session = self.session()?;
        let (outcome, live) = session.with_life(|| session.look(machine::status));
        let text = dealings::explain(&outcome?, live);
        // Nobody at the other end sees colours.
        let text = anstream::adapter::strip_str(&text).to_string();
        Ok(Explained { text })
    }

    pub(super) fn check(&self, params: &Check) -> Result<Box<RawValue>, Refusal> {
        coded(&dealings::check(&self.session()?, params)?)
    }

    pub(super) fn record(&self, params: &RecordParams) -> Result<Box<RawValue>, Refusal> {
        let intake = match &params.report {
            Some(report) => Intake::from_json(report.get().as_bytes())?,
            None => Intake::default(),
        };
        coded(&dealings::record(&self.session()?, intake, params.from_git)?.outcome)
    }

    pub(super) fn history(&self, params: HistoryParams) -> Result<Box<RawValue>, Refusal> {
        let session = self.session_despite_config()?;
        let log = session.store.log().map_err(Failure::from)?;
        let query = Query {
            last: params.last.min(MOST_LINES),
            task: params.task,
            ..Query::default()
        };
        let query = match params.kind {
            Some(kind) => kind.narrow(query),
            None => query,
        };
        let dir = session.located.workspace_dir();
        let rows = match &log {
            Some(log) => history::search(&dir, &session.circuit, log, query),
            None => Ok(Vec::new()),
        };
        let rows = rows.map_err(Failure::from)?;
        result(&Past {
            lines: rows.iter().map(history::Line::of).collect(),
        })
    }

    pub(super) fn report_anomaly(&self, params: dealings::Report) -> Result<Anomaly, Refusal> {
        let session = self.session_despite_config()?;
        let (anomaly, _) = dealings::report_anomaly(&session, params)?;
        Ok(anomaly)
    }
}

fn coded(outcome: &Outcome) -> Result<Box<RawValue>, Refusal> {
    result(&Coded {
        exit_code: exit::of(&outcome.decision, &outcome.policy),
        answer: Answer::of(outcome),
    })
}
