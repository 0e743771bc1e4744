//! What is worked on: giving a task up, taking it up again.
//! None of it moves the breaker.

use super::Step;
use super::work::{Work, plain};
use crate::circuit::Circuit;
use crate::clock::Moment;
use crate::journal::{Actor, Event};
use crate::policy::Policy;

/// Notes that `task` is given up until somebody takes it up again.
#[must_use]
pub fn block_task(
    circuit: &Circuit,
    policy: &Policy,
    task: String,
    reason: String,
    by: Actor,
    now: &Moment,
) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let mut core = work.circuit.core.clone();
    core.block(&task);
    work.push(Event::TaskBlocked { task, reason, by }, plain(core));
    work.end_here()
}

/// Notes that `task` is taken up again, if it had been given up.
#[must_use]
pub fn reopen_task(
    circuit: &Circuit,
    policy: &Policy,
    task: String,
    by: Actor,
    now: &Moment,
) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let mut core = work.circuit.core.clone();
    if core.blocked.contains(&task) {
        core.unblock(&task);
        work.push(Event::TaskReopened { task, by }, plain(core));
    }
    work.end_here()
}
