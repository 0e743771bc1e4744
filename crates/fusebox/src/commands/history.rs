//! `fusebox history`: what happened, line by line.

mod patterns;

use fusebox_core::journal::{Entry, Event};
use fusebox_core::{Policy, Preset, State};
use fusebox_store::{Facts, Query, ReadModel, Record};
use fusebox_view::{escape, phrase};
use serde::Serialize;

use super::{Context, doctor, openings};
use crate::cli::{History, HistoryKind};
use crate::exit;
use crate::failure::Failure;
use crate::memory;

/// One line as data.
#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    at: String,
    kind: &'a str,
    /// What the tools of a companion system call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'static str>,
    iteration: Option<u64>,
    task: Option<&'a str>,
    state: Option<&'a str>,
    reason: Option<&'a str>,
    files_changed: Option<u64>,
    error: Option<&'a str>,
    duration_ms: Option<u64>,
}

pub(super) fn run(context: &Context<'_>, args: &History) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    if args.patterns {
        return patterns::run(context, &session);
    }
    let Some(log) = session.store.log()? else {
        context.speech.say("nothing has happened here yet");
        return Ok(exit::GO);
    };
    if args.metrics {
        openings::show(context, &log)?;
        return Ok(exit::GO);
    }
    let mut model = ReadModel::open(&session.located.workspace_dir().join("history.db"))?;
    model.catch_up(&session.circuit, &log, &extract)?;
    let rows = model.rows(&Query {
        circuit: Some(session.circuit.as_str().to_owned()),
        last: args.last,
        task: args.task.clone(),
        kind: args.kind.map(|kind| kind.word().to_owned()),
        since_ms: None,
    })?;
    for row in &rows {
        let facts = &row.facts;
        let line = Line {
            seq: row.seq,
            at: phrase::time(i64::try_from(facts.at_ms).unwrap_or(i64::MAX)),
            kind: &facts.kind,
            event: event(&row.body),
            iteration: facts.iteration,
            task: facts.task.as_deref(),
            state: facts.state.as_deref(),
            reason: facts.reason.as_deref(),
            files_changed: facts.files_changed,
            error: facts.error.as_deref(),
            duration_ms: facts.duration_ms,
        };
        if context.speech.json {
            context.speech.json(&line);
        } else {
            context.speech.data(&line.told());
        }
    }
    if let Some(past) = log.pruned()
        && rows.len() < args.last
    {
        context.speech.say(&doctor::pruned(past.records));
    }
    Ok(exit::GO)
}

impl Line<'_> {
    fn told(&self) -> String {
        let mut parts = Vec::new();
        if let Some(iteration) = self.iteration {
            parts.push(format!("iteration {iteration}"));
        }
        if let Some(task) = self.task {
            parts.push(escape::line(task, 40));
        }
        if let Some(files) = self.files_changed {
            parts.push(format!("{} changed", phrase::count(files, "file")));
        }
        if let Some(ms) = self.duration_ms {
            parts.push(phrase::duration(ms));
        }
        parts.extend(self.error.map(|error| escape::line(error, 80)));
        parts.extend(self.event.map(str::to_owned));
        parts.extend(self.reason.map(|reason| escape::line(reason, 80)));
        let state = self.state.unwrap_or_default();
        format!(
            "{}  {:<13} {state:<9} {}\n",
            self.at,
            self.kind,
            parts.join(" · ")
        )
    }
}

/// What the index keeps of a record. One that cannot be read is passed over:
/// the log itself is verified elsewhere.
fn extract(record: &Record<'_>) -> Option<Facts> {
    let entry: Entry = memory::entry(record).ok()?;
    let row = entry.outcome.row.as_ref();
    let mut facts = Facts {
        at_ms: u64::try_from(entry.at.wall_ms).unwrap_or(0),
        kind: entry.event.word().to_owned(),
        state: Some(entry.outcome.core.phase.state().name().to_owned()),
        iteration: row.map(|row| row.iteration),
        files_changed: row.and_then(|row| row.files),
        error: row
            .and_then(|row| row.errors.first())
            .map(|error| error.shown.clone()),
        ..Facts::default()
    };
    let opened = opened(&entry);
    let opening = entry.outcome.core.phase.opening();
    facts.reason = opening
        .filter(|_| opened)
        .map(|opening| opening.reason.clone());
    match entry.event {
        Event::Granted { grant, probe } => {
            facts.iteration = Some(grant.0);
            facts.reason = probe.then(|| "probe".to_owned());
        }
        Event::Reported(report) => {
            facts.task = report.facts.task;
            facts.duration_ms = report.facts.duration_ms;
            if report.late {
                facts.reason = Some("came too late to count".into());
            }
        }
        Event::Tripped { reason, .. } | Event::Reset { reason, .. } => facts.reason = Some(reason),
        Event::Retried { note, .. } | Event::Recovering { note, .. } => facts.reason = Some(note),
        Event::PhaseEntered { phase } => facts.reason = Some(phase.name().to_owned()),
        Event::Resolved { resolution, .. } => facts.reason = Some(resolution),
        Event::TaskBlocked { task, reason, .. } => {
            facts.task = Some(task);
            facts.reason = Some(reason);
        }
        Event::TaskReopened { task, .. } => facts.task = Some(task),
        Event::PhaseSkipped { reason, .. } => facts.reason = Some(reason),
        Event::Adopted { from, what } => facts.reason = Some(format!("{from}: {what}")),
        Event::EditRefused { path, what } => facts.reason = Some(format!("{path}: {what}")),
        Event::PresetChanged { from, to, .. } => {
            let from = from.map_or("none", Preset::name);
            facts.reason = Some(format!("{from} to {to}"));
        }
        Event::Imported { file, .. } => facts.reason = Some(file.path),
        Event::Projected { files } => {
            let paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
            facts.reason = Some(paths.join(", "));
        }
        Event::RunBegan { .. }
        | Event::Completed
        | Event::Reconsidered
        | Event::Analysed { .. } => {}
        Event::ProtectedLost(losses) => {
            facts.reason = facts.reason.or_else(|| losses.found.into_iter().next());
        }
        Event::AnomalyReported { anomaly, .. } => {
            facts.reason = Some(anomaly.kind.name().to_owned());
            facts.task = Some(anomaly.task);
        }
        Event::ThresholdSet {
            threshold, reason, ..
        } => {
            facts.reason = Some(format!("{threshold}: {reason}"));
        }
        Event::FailuresForgotten { reason, .. } => facts.reason = Some(reason),
        Event::Taken { calls } => facts.reason = Some(phrase::count(u64::from(calls), "call")),
    }
    Some(facts)
}

fn opened(entry: &Entry) -> bool {
    let mut transitions = entry.outcome.transitions.iter();
    transitions.any(|transition| transition.to == State::Open)
}

/// The name of a record in the log of a companion system, where it has one.
fn event(body: &[u8]) -> Option<&'static str> {
    let entry: Entry = serde_json::from_slice(body).ok()?;
    let companion = Policy::of(entry.outcome.core.preset?).companion?;
    opened(&entry).then_some(companion.open_event)
}

impl HistoryKind {
    fn word(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Reported => "reported",
            Self::Tripped => "tripped",
            Self::Reset => "reset",
            Self::Taken => "taken",
        }
    }
}
