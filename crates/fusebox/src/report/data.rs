//! A report as data: the same past, for programs.

use fusebox_core::circuit::Row;
use fusebox_core::decision::Evidence;
use fusebox_view::phrase;
use serde::Serialize;

use super::past::{Past, Sums};
use super::{About, Subject};
use crate::answer::Answer;
use crate::look::incidents::{Closing, Incident};
use crate::look::iterations::Iteration;
use crate::session::Outcome;

/// The version of this shape. Fields are only ever added to it.
const SCHEMA: u32 = 1;

/// What happened, and how things stand now.
#[derive(Serialize)]
pub(crate) struct ReportData<'a> {
    schema: u32,
    about: &'static str,
    workspace: String,
    circuit: &'a str,
    /// As `status --json` tells it.
    now: Answer<'a>,
    sums: SumsData,
    /// Iterations that were too many to be listed.
    left_out: u64,
    iterations: Vec<IterationData<'a>>,
    incidents: Vec<IncidentData<'a>>,
    /// What to do next, in words.
    next: Vec<String>,
}

#[derive(Serialize)]
struct SumsData {
    iterations: u64,
    unreported: u64,
    with_progress: u64,
    duration_ms: u64,
    tokens: u64,
    cost_micro_usd: u64,
}

#[derive(Serialize)]
struct IterationData<'a> {
    record: u64,
    time: String,
    state: &'static str,
    #[serde(flatten)]
    row: &'a Row,
    duration_ms: Option<u64>,
    tokens: Option<u64>,
    cost_micro_usd: Option<u64>,
    /// Why it opened the breaker, if it did.
    opened: Option<&'a str>,
}

#[derive(Serialize)]
struct IncidentData<'a> {
    record: u64,
    after_iteration: u64,
    opened: String,
    reason: &'a str,
    rule: String,
    evidence: &'a [Evidence],
    failed_probes: u32,
    closed: Option<&'a Closing>,
}

impl<'a> ReportData<'a> {
    pub(crate) fn of(
        subject: &Subject<'a>,
        outcome: &'a Outcome,
        about: About,
        past: &'a Past,
    ) -> Self {
        Self {
            schema: SCHEMA,
            about: match about {
                About::Run => "run",
                About::Span { .. } => "day",
                About::Incident => "incident",
                About::Latest { .. } => "latest",
            },
            workspace: subject.root.to_string_lossy().into_owned(),
            circuit: subject.circuit,
            now: Answer::of(outcome).running(outcome, subject.live),
            sums: past.sums().into(),
            left_out: past.left_out,
            iterations: past.iterations.iter().map(IterationData::of).collect(),
            incidents: past.incidents.iter().map(IncidentData::of).collect(),
            next: outcome.telling().way_out(&outcome.decision),
        }
    }
}

impl From<Sums> for SumsData {
    fn from(sums: Sums) -> Self {
        Self {
            iterations: sums.iterations,
            unreported: sums.unreported,
            with_progress: sums.progress,
            duration_ms: sums.duration_ms,
            tokens: sums.tokens,
            cost_micro_usd: sums.micro_usd,
        }
    }
}

impl<'a> IterationData<'a> {
    fn of(one: &'a Iteration) -> Self {
        let usage = &one.facts.usage;
        Self {
            record: one.record,
            time: phrase::time(one.at_ms),
            state: one.state.name(),
            row: &one.row,
            duration_ms: one.facts.duration_ms,
            tokens: usage.tokens(),
            cost_micro_usd: usage.micro_usd,
            opened: one.opened.as_ref().map(|opening| opening.reason.as_str()),
        }
    }
}

impl<'a> IncidentData<'a> {
    fn of(incident: &'a Incident) -> Self {
        let opening = &incident.opening;
        Self {
            record: incident.seq,
            after_iteration: incident.iteration,
            opened: phrase::time(opening.since.wall_ms),
            reason: &opening.reason,
            rule: opening.rule.to_string(),
            evidence: &opening.evidence,
            failed_probes: incident.failed_probes,
            closed: incident.closed.as_ref(),
        }
    }
}
