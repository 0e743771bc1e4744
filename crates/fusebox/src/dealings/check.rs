//! May the next iteration run?

use std::path::Path;

use fusebox_core::circuit::GrantId;
use fusebox_core::decision::Gate;
use fusebox_core::machine::{self, Start, Step};
use fusebox_core::{Circuit, Moment, Policy, State};
use fusebox_seeds::bmad::features::FeatureList;

use super::looking_after;
use crate::cli::Check;
use crate::exit;
use crate::failure::Failure;
use crate::features;
use crate::session::measure::Measure;
use crate::session::{Outcome, Session};
use crate::storable;

/// Whether it may, whoever asks.
pub(crate) fn decide(session: &Session, args: &Check) -> Result<Outcome, Failure> {
    let root = &session.located.root;
    let beside = session.is_beside_a_run();
    if args.peek {
        let outcome = session.try_look(|circuit, policy, now| {
            if beside {
                return Ok(machine::beside_run(circuit, policy, now).decision);
            }
            let list = list(root, circuit, policy)?;
            Ok(match completed(circuit, policy, list.as_ref(), now) {
                Some(step) => step.decision,
                None => {
                    let begun = begun_again(circuit, policy, list.as_ref(), now);
                    machine::peek(
                        begun.as_ref().map_or(circuit, |step| &step.circuit),
                        policy,
                        now,
                    )
                }
            })
        })?;
        // A yes that could not be written down would be none.
        let refused = match outcome.decision.gate {
            Gate::Deny(_) => None,
            Gate::Allow | Gate::AllowOnce => storable::refused(session),
        };
        return refused.map_or(Ok(outcome), Err);
    }
    if beside {
        only_for_the_run(session)?;
    }
    let lost = looking_after::before(session)?;
    let mut unmeasured = None;
    let mut tree = None;
    if args.from_git {
        match Measure::open(session)?.baseline() {
            Ok(measured) => tree = Some(measured.to_string()),
            Err(why) => unmeasured = Some(format!("the work tree could not be measured: {why}")),
        }
    }
    let mut silent = None;
    let mut outcome = session.try_apply(|circuit, policy, now| {
        // What it grants would be an iteration of the run's that nobody ever reports.
        if beside {
            return Ok(machine::beside_run(circuit, policy, now));
        }
        let list = list(root, circuit, policy)?;
        if let Some(step) = completed(circuit, policy, list.as_ref(), now) {
            return Ok(step);
        }
        let start = Start {
            tree,
            passing: features::passing(list.as_ref(), policy),
            task: args.task.clone(),
            ..Start::default()
        };
        let begun = begun_again(circuit, policy, list.as_ref(), now);
        let pending = circuit.core.pending.as_ref();
        let unsealed = pending.filter(|pending| pending.seal.is_none());
        let step = after(begun, circuit, |circuit| {
            machine::check(circuit, policy, start, now)
        });
        silent = unsealed
            .map(|pending| pending.id)
            .filter(|id| step.circuit.core.pending.as_ref().map(|pending| pending.id) != Some(*id));
        Ok(step)
    })?;
    outcome.notes.extend(silent.map(|GrantId(number)| {
        format!("iteration {number} was never reported, and counts as one without progress")
    }));
    outcome.notes.extend(lost);
    outcome.notes.extend(unmeasured);
    Ok(outcome)
}

/// Beside a run, only what runs in it is told to go on. To anybody else that would be a yes that
/// nobody counts: in another loop, in an agent of its own, or beside a run that died.
pub(crate) fn only_for_the_run(session: &Session) -> Result<(), Failure> {
    let outcome =
        session.look(|circuit, policy, now| machine::beside_run(circuit, policy, now).decision)?;
    // Why it is denied is told by the answer.
    let denied = matches!(outcome.decision.gate, Gate::Deny(_));
    if denied || session.is_inside_its_run(&outcome.circuit) {
        return Ok(());
    }
    let what = "a run of this circuit is alive, or its lock cannot be read: its iterations are its own, and none is granted here";
    Err(Failure::new(exit::REFUSED, what).hint(
        "look with `fusebox status`; a loop of your own beside it needs a circuit of its own: `--circuit NAME`",
    ))
}

/// The features, where they are counted by. That they cannot be read is no news where the
/// breaker is open anyway.
fn list(root: &Path, circuit: &Circuit, policy: &Policy) -> Result<Option<FeatureList>, Failure> {
    match features::read(root, policy) {
        Err(_) if circuit.core.phase.opening().is_some() => Ok(None),
        read => read,
    }
}

/// The step to the end, where sessions are counted by features and none is left to try. An open
/// breaker outranks that, and what has ended does not end again.
pub(super) fn completed(
    circuit: &Circuit,
    policy: &Policy,
    list: Option<&FeatureList>,
    now: &Moment,
) -> Option<Step> {
    features::nothing_left(list)?;
    let ended = circuit.core.phase.state() == State::Complete;
    let step = machine::complete(circuit, policy, now);
    (!ended && step.decision.state == State::Complete).then_some(step)
}

/// The step back from the end, where features wait again.
pub(super) fn begun_again(
    circuit: &Circuit,
    policy: &Policy,
    list: Option<&FeatureList>,
    now: &Moment,
) -> Option<Step> {
    let ended = circuit.core.phase.state() == State::Complete;
    let again = ended && list.is_some_and(FeatureList::has_work);
    again.then(|| machine::take_up(circuit, policy, now))
}

/// One step after another, if there was one.
pub(super) fn after(
    first: Option<Step>,
    circuit: &Circuit,
    then: impl FnOnce(&Circuit) -> Step,
) -> Step {
    let Some(first) = first else {
        return then(circuit);
    };
    let mut step = then(&first.circuit);
    step.entries.splice(0..0, first.entries);
    step
}
