//! How runs begin, rest and end, and what holds for whoever asks beside one. None of it moves
//! the breaker.

use super::Step;
use super::work::{Work, plain};
use crate::circuit::Circuit;
use crate::clock::Moment;
use crate::decision::{Denial, DeniedBy, Gate};
use crate::journal::{Event, PauseFor, RunEnd};
use crate::policy::Policy;

/// A run that is about to begin.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// The fingerprint of what it was asked to do.
    pub plan: String,
    /// Whether it works through a list; if so, it has looked by now at what became of the tasks.
    pub takes_tasks: bool,
    /// The supervisor's process.
    pub pid: u32,
}

/// Notes that a supervisor begins a run.
#[must_use]
pub fn begin_run(circuit: &Circuit, policy: &Policy, begins: Beginning, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let mut core = work.circuit.core.clone();
    core.plan = Some(begins.plan.clone());
    if begins.takes_tasks {
        core.unseen = None;
    }
    let event = Event::RunBegan {
        plan: begins.plan,
        pid: Some(begins.pid),
    };
    work.push(event, plain(core));
    work.end_here()
}

/// Notes that the run rests, and what it waits for.
#[must_use]
pub fn pause_run(circuit: &Circuit, policy: &Policy, waits: PauseFor, now: &Moment) -> Step {
    note(circuit, policy, Event::RunPaused { waits }, now)
}

/// Notes that the run rests no longer.
#[must_use]
pub fn go_on_with_run(circuit: &Circuit, policy: &Policy, now: &Moment) -> Step {
    note(circuit, policy, Event::RunWentOn, now)
}

/// Notes how the run ended.
#[must_use]
pub fn end_run(circuit: &Circuit, policy: &Policy, end: RunEnd, now: &Moment) -> Step {
    note(circuit, policy, Event::RunEnded(end.bounded()), now)
}

/// How things stand for whoever asks beside a run that is alive: the iterations are the run's,
/// so nothing is taken, a probe neither, and while it rests nobody else goes on in its place. What
/// already shuts the gate remains what shuts it.
#[must_use]
pub fn beside_run(circuit: &Circuit, policy: &Policy, now: &Moment) -> Step {
    let work = Work::begin(circuit, policy, now);
    let paused = circuit.run.as_ref().and_then(|run| run.paused);
    let gate = match (work.gate(), paused) {
        (Gate::Allow | Gate::AllowOnce, Some(pause)) => Gate::Deny(Denial {
            by: DeniedBy::RunPaused(pause.waits),
            retry_at_ms: None,
        }),
        (Gate::AllowOnce, None) => Gate::Deny(Denial {
            by: DeniedBy::ProbeUnderWay,
            retry_at_ms: None,
        }),
        (gate, _) => gate,
    };
    work.end(gate, None)
}

fn note(circuit: &Circuit, policy: &Policy, event: Event, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let core = work.circuit.core.clone();
    work.push(event, plain(core));
    work.end_here()
}
