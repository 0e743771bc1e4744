//! The breaker's numbers kept in the workflow's files.

use fusebox_core::circuit::{Cause, State};
use fusebox_core::journal::Event;
use fusebox_core::machine::Adoption;
use fusebox_core::signals::{Progress as Gain, Signal};
use fusebox_core::{Entry, Policy, Preset};

use super::features::FeatureList;
use super::progress::{self, Ledger, Progress, Status};
use super::report::{Material, report};
use super::{FEATURES, MOST_BYTES, PROGRESS, REPORT, words};
use crate::existing::{Existing, Understood};
use crate::json::{Placed, Wrong};
use crate::seed::{Content, Edit, ProjectedFile, Scene, Seed};
use crate::time;

/// The workflow.
pub struct Bmad;

const fn file(path: &'static str) -> ProjectedFile {
    ProjectedFile {
        path,
        most_bytes: MOST_BYTES,
    }
}

impl Seed for Bmad {
    fn projections(&self) -> &'static [ProjectedFile] {
        const { &[file(PROGRESS), file(REPORT)] }
    }

    fn reads(&self) -> &'static [ProjectedFile] {
        // The report tells of sessions that only the log in the other file knows.
        const { &[file(FEATURES), file(PROGRESS)] }
    }

    fn edit(&self, path: &str, text: &str, scene: &Scene<'_>) -> Result<Edit, Wrong> {
        if path != PROGRESS {
            return Ok(Edit::default());
        }
        let said = read(text)?;
        let ours = ledger(scene);
        let (written, imported) = (&scene.circuit.projections, &scene.circuit.imported);
        let is_known = written.iter().any(|known| known.path == PROGRESS)
            || imported.iter().any(|known| known.path == PROGRESS);
        if !is_known {
            confirmed(text, &said, &ours)?;
        }
        Ok(Edit {
            tightens: tightens(&said, &ours),
            relaxes: relaxes(&said, &ours),
        })
    }

    fn project(
        &self,
        path: &str,
        found: Option<&str>,
        scene: &Scene<'_>,
    ) -> Result<Content, Wrong> {
        if path == PROGRESS {
            // Whoever only looks leaves no file behind.
            if found.is_none() && scene.entries.is_empty() {
                return Ok(Content::AsFound);
            }
            let now = time::written(scene.now_ms);
            let text = progress::written(found, &ledger(scene), &now);
            return text.map(Content::Text).map_err(|double| {
                placed(found.unwrap_or_default(), double.line, double.to_string())
            });
        }
        let is_open = scene.circuit.core.phase.opening().is_some();
        if is_open && (found.is_none() || opened(scene.entries)) {
            return Ok(Content::Text(told(scene)));
        }
        Ok(Content::AsFound)
    }

    fn log(&self, scene: &Scene<'_>) -> Vec<String> {
        let ledger = ledger(scene);
        let is_next = ledger.session == Some(false)
            && ledger.status != Status::Triggered
            && ledger.failures.saturating_add(1) == ledger.threshold;
        is_next
            .then(|| words::NEXT_TRIGGERS.to_owned())
            .into_iter()
            .collect()
    }

    fn status_block(&self, scene: &Scene<'_>) -> Option<String> {
        let ledger = ledger(scene);
        match ledger.status {
            Status::Triggered if opened(scene.entries) => {
                Some(words::banner(ledger.failures, ledger.threshold))
            }
            Status::Triggered if scene.entries.is_empty() || scene.entries.iter().any(already) => {
                Some(words::ALREADY.join("\n") + "\n")
            }
            _ => None,
        }
    }

    fn display(&self, state: State) -> Option<&'static str> {
        Some(status(state).display())
    }
}

impl Existing for Bmad {
    fn place(&self) -> &'static str {
        PROGRESS
    }

    fn preset(&self) -> Preset {
        Preset::Bmad
    }

    fn files(&self) -> &'static [ProjectedFile] {
        const { &[file(PROGRESS)] }
    }

    fn understand(&self, _path: &str, text: &str) -> Result<Understood, Wrong> {
        let said = read(text)?;
        let failures = said.failures.this().unwrap_or(0);
        let mut taken = vec![format!("{failures} failed sessions in a row")];
        let mut left = Vec::new();
        let mut adoption = Adoption {
            no_progress: failures,
            ..Adoption::default()
        };
        if said.status.this() == Some(Status::Triggered) {
            taken.push("TRIGGERED".into());
            adoption.open = Some(format!("{PROGRESS} says TRIGGERED"));
        }
        let usual = threshold(&Policy::of(Preset::Bmad));
        match said.threshold.this() {
            Some(threshold) if (1..usual).contains(&threshold) => {
                taken.push(format!("threshold {threshold}"));
                adoption.threshold = Some(threshold);
            }
            Some(threshold) if threshold > usual => {
                left.push(format!("threshold {threshold}, which is less strict than {usual}: a person sets it with `fusebox edit`"));
            }
            _ => {}
        }
        if let Some(sessions) = said.sessions.this() {
            left.push(format!("{sessions} sessions of the past"));
        }
        Ok(Understood {
            taken,
            left,
            adoption,
            ..Understood::default()
        })
    }
}

fn read(text: &str) -> Result<Progress, Wrong> {
    let said =
        Progress::read(text).map_err(|double| placed(text, double.line, double.to_string()))?;
    match said.unclear(text) {
        Some(unclear) => Err(placed(text, unclear.line, unclear.what)),
        None => Ok(said),
    }
}

/// At first sight, a threshold less strict than the one in force may be what a person set with
/// the workflow's own EDIT mode, or what an agent wrote. Neither triggering nor overwriting it
/// would be right, so a person has to say.
fn confirmed(text: &str, said: &Progress, ours: &Ledger) -> Result<(), Wrong> {
    let Some(looser) = said.threshold.this().filter(|said| *said > ours.threshold) else {
        return Ok(());
    };
    let what = format!(
        "its threshold of {looser} is less strict than {0}; a person confirms it with `fusebox edit`, [C] and [T], and `fusebox import` goes on with {0}",
        ours.threshold
    );
    Err(placed(text, Progress::threshold_line(text), what))
}

/// A complaint about a line.
fn placed(text: &str, line: usize, what: String) -> Wrong {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = before.map(str::len).sum();
    let length = text[start..].lines().next().map_or(0, str::len);
    Placed {
        what,
        span: start..start + length,
    }
}

/// What the memory says, in the terms of the file.
fn ledger(scene: &Scene<'_>) -> Ledger {
    let core = &scene.circuit.core;
    let session =
        scene
            .entries
            .iter()
            .rev()
            .find_map(|entry| match (&entry.event, &entry.outcome.row) {
                (Event::Reported(report), Some(row))
                    if !report.late && row.progress != Gain::Exempt =>
                {
                    Some(row.progress == Gain::Made)
                }
                _ => None,
            });
    let under_way = session.is_some() || core.pending.is_some();
    let status = status(core.phase.state());
    let counted = || listed(scene).map(|list| list.counts());
    // It is complete by what the list says now, and that can be more than the last session left.
    let features = match status {
        Status::Complete => counted().or(core.features),
        Status::Healthy | Status::Triggered => core.features.or_else(counted),
    };
    Ledger {
        session,
        past: core.iterations.saturating_sub(under_way.into()),
        failures: core.counters.no_progress,
        threshold: set(scene).unwrap_or_else(|| in_force(scene)),
        status,
        features,
    }
}

fn listed(scene: &Scene<'_>) -> Option<FeatureList> {
    FeatureList::read(scene.read(FEATURES)?).ok()
}

/// The threshold that was set just now; the rules at hand are those from before.
fn set(scene: &Scene<'_>) -> Option<u32> {
    let sets = |entry: &Entry| {
        matches!(
            entry.event,
            Event::ThresholdSet { .. } | Event::Adopted { .. }
        )
    };
    let just_now = scene.entries.iter().any(sets);
    scene.circuit.core.threshold.filter(|_| just_now)
}

/// The threshold that holds. One that was raised since it opened the breaker is no release, and
/// until there is one the file has the numbers that opened it: failures are not counted on
/// meanwhile.
fn in_force(scene: &Scene<'_>) -> u32 {
    let core = &scene.circuit.core;
    let threshold = threshold(scene.policy);
    match core.phase.opening().map(|opening| opening.cause) {
        Some(Cause::Signal(Signal::FailedSessions)) => threshold.min(core.counters.no_progress),
        _ => threshold,
    }
}

fn threshold(policy: &Policy) -> u32 {
    let rule = policy.rules.get(Signal::FailedSessions);
    rule.and_then(|rule| rule.trip)
        .map_or(5, fusebox_core::policy::Bound::number)
}

fn status(state: State) -> Status {
    match state {
        State::Open | State::Probing => Status::Triggered,
        State::Complete => Status::Complete,
        State::Closed | State::Watching => Status::Healthy,
    }
}

fn opens(entry: &Entry) -> bool {
    let mut transitions = entry.outcome.transitions.iter();
    transitions.any(|transition| transition.to == State::Open)
}

/// Whether the breaker has opened just now.
fn opened(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| opens(entry) && !already(entry))
}

/// Whether it opened because a file said that it had done so before.
fn already(entry: &Entry) -> bool {
    let Event::Adopted { what, .. } = &entry.event else {
        return false;
    };
    opens(entry) && what.contains(Status::Triggered.word())
}

fn tightens(said: &Progress, ours: &Ledger) -> Option<(Adoption, String)> {
    let mut adoption = Adoption::default();
    let mut what = Vec::new();
    if let Some(failures) = said
        .failures
        .this()
        .filter(|failures| *failures > ours.failures)
    {
        adoption.no_progress = failures;
        what.push(format!("consecutive_failures={failures}"));
    }
    if let Some(threshold) = said
        .threshold
        .this()
        .filter(|threshold| (1..ours.threshold).contains(threshold))
    {
        adoption.threshold = Some(threshold);
        what.push(format!("circuit_breaker_threshold={threshold}"));
    }
    if said.status.this() == Some(Status::Triggered) && ours.status != Status::Triggered {
        adoption.open = Some(format!("{PROGRESS} says TRIGGERED"));
        what.push("circuit_breaker_status=TRIGGERED".to_owned());
    }
    (!what.is_empty()).then(|| (adoption, what.join(", ")))
}

fn relaxes(said: &Progress, ours: &Ledger) -> Option<String> {
    let mut what = Vec::new();
    if said.failures.this().unwrap_or(0) < ours.failures {
        what.push(format!(
            "fewer failures than the {} there were",
            ours.failures
        ));
    }
    let looser = |threshold| threshold == 0 || threshold > ours.threshold;
    if said.threshold.this().is_some_and(looser) {
        what.push(format!("another threshold than {}", ours.threshold));
    }
    if ours.status == Status::Triggered && said.status.this() != Some(Status::Triggered) {
        what.push("that it is not TRIGGERED".to_owned());
    }
    (!what.is_empty()).then(|| what.join(", "))
}

/// The report of the opening at hand.
fn told(scene: &Scene<'_>) -> String {
    let ledger = ledger(scene);
    let features = listed(scene);
    let found = scene.read(PROGRESS).unwrap_or_default();
    let count = read(found).map_or(ledger.past, |said| progress::sessions(&said, &ledger));
    let ours = ledger.past + u64::from(ledger.session.is_some());
    let opening = scene.circuit.core.phase.opening();
    let since = opening.map_or(scene.now_ms, |opening| opening.since.wall_ms);
    report(&Material {
        triggered: &time::written(since),
        reason: opening.map_or("The circuit breaker triggered", |opening| &opening.reason),
        failures: ledger.failures,
        threshold: ledger.threshold,
        sessions: &scene.circuit.rows,
        before: count.saturating_sub(ours),
        logged: &progress::logged(found).collect::<Vec<_>>(),
        features: features.as_ref(),
        moment: time::written,
    })
}

#[cfg(test)]
#[path = "seed_tests.rs"]
mod tests;
