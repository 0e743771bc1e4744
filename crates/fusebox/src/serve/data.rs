//! What programs get to read.

use fusebox_core::circuit::RowError;
use fusebox_core::decision::Evidence;
use fusebox_core::observation::TestCounts;
use fusebox_core::patterns::Anomaly;
use fusebox_view::phrase;
use serde::Serialize;

use super::collect::TaskList;
use crate::answer::Answer;
use crate::look::files::{self, Artifact, End};
use crate::look::history::{self, Line};
use crate::look::incidents::{Closing, Incident};
use crate::look::iterations::{Iteration, Page};
use crate::look::machine::{LoopId, Place, Standing};
use crate::tasks::table::Rows;

/// The most of an iteration's output, and of its changes.
pub(super) const FILE_BYTES: u64 = 256 * 1024;

/// A loop, and how it stands.
#[derive(Serialize)]
pub(super) struct LoopData<'a> {
    id: &'a LoopId,
    workspace: String,
    circuit: &'a str,
    running: bool,
    /// Whether its memory can be read and believed; if not, it counts as open.
    readable: bool,
    /// What is wrong with it, if something is.
    trouble: Option<&'a str>,
    /// As `fusebox status --json` says it.
    status: Option<Answer<'a>>,
    scores: Vec<Option<i32>>,
}

impl<'a> LoopData<'a> {
    pub(super) fn of(place: &'a Place, standing: &'a Standing) -> Self {
        let (status, trouble) = match standing {
            Standing::Known(outcome) => (Some(outcome), None),
            Standing::Busy => (None, Some("busy")),
            Standing::Unreadable(why) => (None, Some(why.as_str())),
        };
        let rows = status.map_or(&[][..], |outcome| &outcome.circuit.rows);
        let live = place.is_live();
        Self {
            id: &place.id,
            workspace: workspace(place),
            circuit: place.id.circuit.as_str(),
            running: live,
            readable: !matches!(standing, Standing::Unreadable(_)),
            trouble,
            scores: rows.iter().map(|row| row.score).collect(),
            status: status.map(|outcome| Answer::of(outcome).running(outcome, live)),
        }
    }
}

/// Some iterations, oldest first.
#[derive(Serialize)]
pub(super) struct IterationsData<'a> {
    iterations: Vec<IterationData<'a>>,
    /// Ask with `before` for the page before; absent on the first.
    earlier: Option<u64>,
}

impl<'a> IterationsData<'a> {
    pub(super) fn of(page: &'a Page) -> Self {
        Self {
            iterations: page.iterations.iter().map(IterationData::of).collect(),
            earlier: page.earlier,
        }
    }
}

/// One iteration.
#[derive(Serialize)]
pub(super) struct IterationData<'a> {
    record: u64,
    iteration: u64,
    time: String,
    state: &'static str,
    opened: Option<&'a str>,
    task: Option<&'a str>,
    score: Option<i32>,
    files_changed: Option<u64>,
    paths: &'a [String],
    tests: Option<TestCounts>,
    error_count: Option<u32>,
    errors: &'a [RowError],
    duration_ms: Option<u64>,
    tokens: Option<u64>,
    cost_micro_usd: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

impl<'a> IterationData<'a> {
    fn of(one: &'a Iteration) -> Self {
        let (row, facts) = (&one.row, &one.facts);
        Self {
            record: one.record,
            iteration: row.iteration,
            time: phrase::time(one.at_ms),
            state: one.state.name(),
            opened: one.opened.as_ref().map(|opening| opening.reason.as_str()),
            task: facts.task.as_deref(),
            score: row.score,
            files_changed: row.files,
            paths: facts.files.seen().map_or(&[], |files| &files.paths),
            tests: row.tests,
            error_count: row.error_count,
            errors: &row.errors,
            duration_ms: facts.duration_ms,
            tokens: facts.usage.tokens(),
            cost_micro_usd: facts.usage.micro_usd,
            changes: None,
            output: None,
        }
    }

    /// With what it left behind.
    pub(super) fn whole(place: &Place, one: &'a Iteration) -> Self {
        Self {
            changes: left_behind(place, one, Artifact::Changes),
            output: left_behind(place, one, Artifact::Output),
            ..Self::of(one)
        }
    }
}

/// What an iteration left behind, from the end that says more.
pub(super) fn left_behind(place: &Place, one: &Iteration, artifact: Artifact) -> Option<String> {
    let iteration = files::Iteration {
        circuit: place.id.circuit.as_str(),
        number: one.row.iteration,
        reported_ms: one.at_ms,
    };
    let end = match artifact {
        Artifact::Output => End::Last(FILE_BYTES),
        Artifact::Changes | Artifact::Calls => End::First(FILE_BYTES),
    };
    files::read(&place.workspace_dir(), &iteration, artifact, end)
}

/// One time that a breaker was open.
#[derive(Serialize)]
pub(super) struct IncidentData {
    #[serde(rename = "loop")]
    id: LoopId,
    workspace: String,
    record: u64,
    after_iteration: u64,
    opened: String,
    reason: String,
    rule: String,
    evidence: Vec<Evidence>,
    failed_probes: u32,
    closed: Option<Closing>,
}

impl IncidentData {
    pub(super) fn of(place: &Place, incident: Incident) -> Self {
        let opening = incident.opening;
        Self {
            id: place.id.clone(),
            workspace: workspace(place),
            record: incident.seq,
            after_iteration: incident.iteration,
            opened: phrase::time(opening.since.wall_ms),
            reason: opening.reason,
            rule: opening.rule.to_string(),
            evidence: opening.evidence,
            failed_probes: incident.failed_probes,
            closed: incident.closed,
        }
    }
}

/// Something odd that was reported or found.
#[derive(Serialize)]
pub(super) struct AnomalyData {
    #[serde(rename = "loop")]
    id: LoopId,
    workspace: String,
    time: String,
    anomaly: Anomaly,
}

impl AnomalyData {
    pub(super) fn of(place: &Place, anomaly: Anomaly) -> Self {
        Self {
            id: place.id.clone(),
            workspace: workspace(place),
            time: phrase::time(anomaly.at_ms),
            anomaly,
        }
    }
}

/// The tasks of a workspace.
#[derive(Serialize)]
pub(super) struct TasksData<'a> {
    workspace: String,
    list: &'a str,
    trouble: Option<&'a str>,
    tasks: Rows<'a>,
}

impl<'a> TasksData<'a> {
    pub(super) fn of(list: &'a TaskList) -> Self {
        Self {
            workspace: list.root.to_string_lossy().into_owned(),
            list: &list.name,
            trouble: list.trouble.as_deref(),
            tasks: Rows {
                items: &list.items,
                now: &list.now,
            },
        }
    }
}

/// A line of history, and whose it is.
#[derive(Serialize)]
pub(super) struct HistoryData<'a> {
    #[serde(rename = "loop")]
    id: &'a LoopId,
    workspace: String,
    #[serde(flatten)]
    line: Line<'a>,
}

impl<'a> HistoryData<'a> {
    pub(super) fn of(place: &'a Place, row: &'a history::Row) -> Self {
        Self {
            id: &place.id,
            workspace: workspace(place),
            line: Line::of(row),
        }
    }
}

/// What is served here.
#[derive(Serialize)]
pub(super) struct About {
    version: &'static str,
    /// Whether anything may be asked for.
    actions: bool,
}

impl About {
    pub(super) fn new(actions: bool) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            actions,
        }
    }
}

fn workspace(place: &Place) -> String {
    place.root.to_string_lossy().into_owned()
}
