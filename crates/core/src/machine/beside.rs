//! Living beside another system: what its files are made to say, and what is
//! taken over from them.

use super::Step;
use super::work::{Work, plain, transition};
use crate::circuit::{Cause, Circuit, Opening, Phase, Release};
use crate::clock::Moment;
use crate::journal::{Actor, EntryOutcome, Event, ImportedFile, Projection};
use crate::observation::{PhaseMetrics, WorkPhase};
use crate::policy::Policy;
use crate::signals::Signal;
use crate::signature::Signature;

/// What a file of another system says that is stricter than what is known here.
/// Whatever is not stricter changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// The breaker is open there, and why.
    pub open: Option<String>,
    /// That is all it says: it gives no reason.
    pub placeholder: bool,
    /// When it opened there, on the wall clock. A cooldown that began there is not begun anew.
    pub opened_ms: Option<i64>,
    /// Ticks in a row without progress.
    pub no_progress: u32,
    /// A threshold that is stricter than the one in force.
    pub threshold: Option<u32>,
    /// An error, and how often in a row it was met.
    pub error: Option<(Signature, u32)>,
    /// The phase under way, where none is known here.
    pub phase: Option<WorkPhase>,
    /// The last numbers of phases.
    pub metrics: Vec<(WorkPhase, PhaseMetrics)>,
}

/// Notes what files are about to be made to say, so that whoever finds one that
/// says anything else knows that somebody edited it.
#[must_use]
pub fn project(circuit: &Circuit, policy: &Policy, files: Vec<Projection>, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    if !files.is_empty() {
        let core = work.circuit.core.clone();
        work.push(Event::Projected { files }, plain(core));
    }
    work.end_here()
}

/// Takes over what is stricter in the file `from`, which says `what` in words.
#[must_use]
pub fn adopt(
    circuit: &Circuit,
    policy: &Policy,
    adoption: &Adoption,
    (from, what): (String, String),
    now: &Moment,
) -> Step {
    let stricter = adoption
        .threshold
        .filter(|threshold| is_stricter(policy, *threshold))
        .and_then(|threshold| policy.clone().with_stagnation_threshold(threshold).ok());
    let mut work = Work::begin(circuit, stricter.as_ref().unwrap_or(policy), now);
    let mut core = work.circuit.core.clone();
    core.threshold = adoption
        .threshold
        .filter(|_| stricter.is_some())
        .or(core.threshold);
    let counters = &mut core.counters;
    counters.phase = counters.phase.or(adoption.phase);
    for (phase, metrics) in &adoption.metrics {
        counters.learn(*phase, metrics);
    }
    counters.no_progress = counters.no_progress.max(adoption.no_progress);
    if let Some((signature, streak)) = adoption.error {
        counters.errors.raise(signature, streak, policy.streaks);
    }
    let mut transitions = Vec::new();
    if core.phase.opening().is_none() {
        transitions = work.follow_counters(&mut core);
    }
    if let Some(reason) = adoption.open.clone()
        && core.phase.opening().is_none()
    {
        let release = work.release_by_request(&mut core);
        let phase = Phase::Open(Opening {
            placeholder: adoption.placeholder,
            ..work.opening_by_request(Cause::Asked, reason, release)
        });
        transitions.extend(transition(&core.phase, &phase));
        core.phase = phase;
        core.totals.trips += 1;
    }
    if !transitions.is_empty()
        && let Some(opened) = adoption.opened_ms
        && let Phase::Open(opening) = &mut core.phase
        && let Release::Cooldown(ms) = opening.release
    {
        let waited = u64::try_from(now.wall_ms.saturating_sub(opened)).unwrap_or(0);
        opening.release = Release::Cooldown(ms.saturating_sub(waited));
    }
    if core != work.circuit.core {
        let outcome = EntryOutcome {
            transitions,
            ..plain(core)
        };
        work.push(Event::Adopted { from, what }, outcome);
    }
    work.end_here()
}

/// Whether the breaker would open at fewer ticks than it does now.
fn is_stricter(policy: &Policy, threshold: u32) -> bool {
    let counted = [Signal::NoProgress, Signal::FailedSessions];
    let mut trips = counted
        .into_iter()
        .filter_map(|signal| policy.rules.get(signal)?.trip);
    trips.any(|trip| trip.number() > threshold)
}

/// Notes that the file at `path` was edited to say less than is known here, and
/// that it was not believed.
#[must_use]
pub fn refuse_edit(
    circuit: &Circuit,
    policy: &Policy,
    (path, what): (String, String),
    now: &Moment,
) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let core = work.circuit.core.clone();
    work.push(Event::EditRefused { path, what }, plain(core));
    work.end_here()
}

/// Notes that the settings in a file of the repository are heeded from now on.
/// If it may relax, the caller has made sure that a person vouches for it.
#[must_use]
pub fn import(
    circuit: &Circuit,
    policy: &Policy,
    file: ImportedFile,
    by: Actor,
    now: &Moment,
) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    if !circuit.imported.contains(&file) {
        let core = work.circuit.core.clone();
        work.push(Event::Imported { file, by }, plain(core));
    }
    work.end_here()
}
