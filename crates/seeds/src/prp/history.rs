//! What has just happened, as events of the file's history.

use fusebox_core::Policy;
use fusebox_core::circuit::State;
use fusebox_core::decision::Transition;
use fusebox_core::journal::{Entry, Event, Report};
use fusebox_core::observation::ErrorReport;
use fusebox_core::signals::Progress;
use fusebox_core::signature::Signature;
use fusebox_edit::splice::quoted;
use sha2::{Digest, Sha256};

use super::STATE_FILE;
use super::log::{Cause, label};
use super::state::rank;
use crate::Scene;
use crate::time;

/// The events, as JSON, oldest first.
pub(super) fn events(scene: &Scene<'_>) -> Vec<String> {
    scene
        .entries
        .iter()
        .flat_map(|entry| of(entry, scene))
        .collect()
}

fn of(entry: &Entry, scene: &Scene<'_>) -> Vec<String> {
    let mut events = Vec::new();
    let mut now = entry
        .outcome
        .transitions
        .first()
        .map_or(entry.outcome.core.phase.state(), |first| first.from);
    let mut note = |event: &str, from: State, to: State, reason: &str| {
        events.push(format!(
            "{{\n      \"timestamp\": {},\n      \"event\": {},\n      \"from_state\": {},\n      \
             \"to_state\": {},\n      \"reason\": {}\n    }}",
            quoted(&time::written(entry.at.wall_ms)),
            quoted(event),
            quoted(label(scene, from)),
            quoted(label(scene, to)),
            quoted(reason),
        ));
    };
    if let Event::Reported(report) = &entry.event {
        if let Some(error) = leading(entry, report, scene.policy) {
            note("error", now, now, &told(error));
        }
        let row = entry.outcome.row.as_ref();
        if row.is_some_and(|row| row.progress == Progress::Made) {
            note("progress", now, now, "Progress detected");
        }
    }
    let known = known_there(entry, scene);
    for Transition { from, to } in &entry.outcome.transitions {
        now = *to;
        if known.is_some_and(|known| rank(*to) <= rank(known)) {
            continue;
        }
        let reason = Cause::of(entry, *from, now).reason(entry);
        note("state_change", *from, now, &reason);
    }
    if let Event::EditRefused { path, what } = &entry.event {
        let reason = format!("{path} was edited from outside ({what}) and written anew");
        note("error", now, now, &reason);
    }
    events
}

/// Where the breaker stood by the file itself, when its state was taken over at first sight: the
/// way there is for its own history to tell, and it was not gone just now.
fn known_there(entry: &Entry, scene: &Scene<'_>) -> Option<State> {
    let Event::Adopted { what, .. } = &entry.event else {
        return None;
    };
    let known = &scene.circuit.projections;
    if known.iter().any(|known| known.path == STATE_FILE) {
        return None;
    }
    what.split(", ").find_map(|word| match word {
        "OPEN" => Some(State::Open),
        "HALF_OPEN" => Some(State::Watching),
        _ => None,
    })
}

/// The hash of the error that was met last, if one was met just now.
pub(super) fn last_error_hash(scene: &Scene<'_>) -> Option<String> {
    let mut entries = scene.entries.iter().rev();
    let error = entries.find_map(|entry| match &entry.event {
        Event::Reported(report) => leading(entry, report, scene.policy),
        _ => None,
    });
    error.map(hash)
}

/// Of the errors of an action the one that is counted: the file has room for one.
fn leading<'a>(entry: &Entry, report: &'a Report, policy: &Policy) -> Option<&'a ErrorReport> {
    let errors = report.facts.errors.seen()?;
    let counted = entry.outcome.core.counters.errors.leading();
    let is_counted = |error: &&ErrorReport| Signature::of(error, policy.errors) == counted;
    errors.iter().find(is_counted).or_else(|| errors.first())
}

/// SHA-256 of the message followed by the type.
pub(super) fn hash(error: &ErrorReport) -> String {
    let mut hash = Sha256::new();
    hash.update(&error.message);
    hash.update(error.kind.as_deref().unwrap_or_default());
    base16ct::lower::encode_string(&hash.finalize())
}

fn told(error: &ErrorReport) -> String {
    fusebox_core::signature::summary(error)
}
