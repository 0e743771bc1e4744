//! The state machine: `Closed → Watching → Open → Probing → Closed`.
//!
//! Each function takes the circuit, the policy and the time, and gives back the
//! entries to remember and the decision to announce. Nothing changes until the
//! entries are folded, so whoever calls must make them durable first and speak
//! second.

mod analysis;
mod beside;
mod edits;
mod gate;
mod lost;
mod phases;
mod release;
mod runs;
mod spending;
mod standing;
mod tasks;
mod tick;
mod words;
mod work;

pub use analysis::{analysed, resolve};
pub use beside::{Adoption, adopt, import, project, refuse_edit};
pub use edits::{forget_failures, report_anomaly, set_threshold};
pub use lost::lost;
pub use phases::{change_preset, enter_phase, skip_phase};
pub use release::{
    Refused, Reset, Retry, recover, redirect, refusal, reset, reset_after_damage, retry,
};
pub use runs::{Beginning, begin_run, beside_run, end_run, go_on_with_run, pause_run};
pub use spending::reserve_more;
pub use tasks::{block_task, reopen_task};

use crate::circuit::{Cause, Circuit, GrantId, Opening, Phase};
use crate::clock::Moment;
use crate::decision::{Decision, Denial, DeniedBy, Gate};
use crate::journal::{Actor, Entry, EntryOutcome, Event, Granted};
use crate::observation::Observation;
use crate::policy::Policy;

use gate::unless_scarce;
use work::{Settle, Work, plain};

/// What to remember and what to announce.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The circuit with the entries folded in.
    pub circuit: Circuit,
    /// The entries to make durable before the decision is announced.
    pub entries: Vec<Entry>,
    /// The decision.
    pub decision: Decision,
}

/// May the next iteration run? Takes a call from the limit, and the probe if it
/// comes to that.
///
/// An iteration that was granted earlier and never reported is settled first:
/// nothing is known of it, so it gained nothing. While a supervisor has an
/// iteration under way nothing is granted beside it: its grant covers what
/// happens inside.
#[must_use]
pub fn check(circuit: &Circuit, policy: &Policy, start: Start, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    work.settle(Settle::IfOverdue);
    if work.supervised() {
        return work.end_here();
    }
    work.follow_lowered_thresholds();
    let gate = match work.gate() {
        Gate::Allow if work.begins_a_task(&start) => {
            unless_scarce(&work.circuit, policy, now, Gate::Allow)
        }
        gate => gate,
    };
    let grant = match gate {
        Gate::Allow => Some(work.grant(false, start)),
        Gate::AllowOnce => Some(work.grant(true, start)),
        Gate::Deny(_) => None,
    };
    work.end(gate, grant)
}

/// The same question, without taking anything.
#[must_use]
pub fn peek(circuit: &Circuit, policy: &Policy, now: &Moment) -> Decision {
    let mut work = Work::begin(circuit, policy, now);
    work.settle(Settle::IfOverdue);
    if !work.supervised() {
        work.follow_lowered_thresholds();
    }
    work.end_here().decision
}

/// How things stand, with nothing settled that is still under way.
#[must_use]
pub fn status(circuit: &Circuit, policy: &Policy, now: &Moment) -> Decision {
    Work::begin(circuit, policy, now).end_here().decision
}

/// What is known of an iteration before it starts.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The work tree it starts from, where the caller measured it.
    pub tree: Option<String>,
    /// The features that pass already, each by [`crate::circuit::name_id`], where the caller
    /// looked.
    pub passing: Option<Vec<u64>>,
    /// The supervisor's secret, where there is a supervisor.
    pub secret: Option<u64>,
    /// Where the supervisor sees processes from, where there is one and that can be told.
    pub standpoint: Option<String>,
    /// The task it is for, where the caller knows.
    pub task: Option<String>,
    /// The fingerprint of how the tasks stand, where a list is worked through.
    pub standing: Option<String>,
}

/// Which iteration a report is about, and by what right.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claim {
    /// The grant that is answered, where the caller names one.
    pub grant: Option<GrantId>,
    /// The supervisor's secret.
    pub secret: Option<u64>,
}

/// What the last iteration did. The decision is what the next [`check`] would
/// answer.
///
/// A report that names a grant which is no longer waiting came too late: it is
/// remembered and moves nothing. So is any report while the breaker is open. A
/// report in a supervisor's place opens the breaker, unless it names an earlier
/// iteration: then it is late, and in nobody's place.
#[must_use]
pub fn record(
    circuit: &Circuit,
    policy: &Policy,
    facts: Observation,
    claim: Claim,
    now: &Moment,
) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    work.report(facts.bounded(), claim);
    work.end_here()
}

/// Settles an iteration whose supervisor is known to be dead.
#[must_use]
pub fn abandon(circuit: &Circuit, policy: &Policy, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    work.settle(Settle::Always);
    work.end_here()
}

/// Takes a grant back of which the supervisor itself knows that nothing was begun. It counts as
/// any that was never reported.
#[must_use]
pub fn withdraw(circuit: &Circuit, policy: &Policy, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    work.settle(Settle::Withdrawn);
    work.end_here()
}

/// Nothing is left to do. An open breaker outranks that, and where there is no
/// such state nothing comes of it.
#[must_use]
pub fn complete(circuit: &Circuit, policy: &Policy, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let known = policy.labels.complete.is_some();
    if known && work.circuit.core.phase.opening().is_none() {
        let core = work.circuit.core.clone();
        work.move_to(core, Phase::Complete, Event::Completed);
    }
    work.end_here()
}

/// There is something to do again: what was complete is so no longer. Nothing else changes.
#[must_use]
pub fn take_up(circuit: &Circuit, policy: &Policy, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    if work.circuit.core.phase == Phase::Complete {
        let core = work.circuit.core.clone();
        work.move_to(core, Phase::Closed, Event::Reconsidered);
    }
    work.end_here()
}

/// A request to open the breaker.
#[derive(Clone, Debug)]
pub struct Trip {
    /// Why.
    pub reason: String,
    /// Who asked.
    pub by: Actor,
    /// Whether a person or the supervisor saw the need.
    pub cause: Cause,
}

/// Opens the breaker. Anyone may; only a person closes it again, where the
/// policy leaves that to persons.
#[must_use]
pub fn trip(circuit: &Circuit, policy: &Policy, request: Trip, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let mut core = work.circuit.core.clone();
    let release = work.release_by_request(&mut core);
    let opening = match core.phase.opening() {
        Some(opening) if opening.placeholder => {
            work.opening_by_request(request.cause, request.reason.clone(), release)
        }
        // What opened it first stays the reason.
        Some(opening) => Opening {
            since: *now,
            release,
            advisory: false,
            ..opening.clone()
        },
        None => {
            core.totals.trips += 1;
            work.opening_by_request(request.cause, request.reason.clone(), release)
        }
    };
    let event = Event::Tripped {
        reason: request.reason,
        by: request.by,
    };
    work.move_to(core, Phase::Open(opening), event);
    work.end_here()
}

/// Takes calls from the limit without starting an iteration: for other people's
/// loops. Says no if the limit would be exceeded.
#[must_use]
pub fn take(circuit: &Circuit, policy: &Policy, calls: u32, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let wait = work.circuit.calls.wait_for(calls, &policy.calls, now);
    let gate = if wait == Some(0) {
        let core = work.circuit.core.clone();
        let granted = Granted {
            calls,
            rule: policy.calls,
        };
        work.push(
            Event::Taken { calls },
            EntryOutcome {
                granted: Some(granted),
                ..plain(core)
            },
        );
        Gate::Allow
    } else {
        let retry_at_ms = wait.map(|ms| now.wall_after(ms));
        Gate::Deny(Denial {
            by: DeniedBy::CallLimit,
            retry_at_ms,
        })
    };
    work.end(gate, None)
}
