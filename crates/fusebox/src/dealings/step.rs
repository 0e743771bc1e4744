//! The two things that move a circuit from iteration to iteration: being asked for the next one,
//! and being told of the last. Each is one step under the lock, and the same for whoever takes it.
//!
//! Beside a run that is alive the iterations are the run's. Whether there is one is looked at here,
//! with the state that the step is decided from, because one may begin at any moment before.

use fusebox_core::circuit::GrantId;
use fusebox_core::decision::Gate;
use fusebox_core::machine::{self, Claim, Start, Step};
use fusebox_core::{Circuit, Moment, Observation, Policy, State};
use fusebox_seeds::bmad::features::FeatureList;

use crate::exit;
use crate::failure::Failure;
use crate::features;
use crate::session::Session;

/// What came of being told.
pub(crate) struct Told {
    pub(crate) step: Step,
    /// Why the features could not be read. The iteration counts as one in which none came to pass;
    /// the next question would end with this.
    pub(crate) unreadable: Option<Failure>,
}

/// May the next iteration run?
pub(crate) fn ask(
    session: &Session,
    circuit: &Circuit,
    policy: &Policy,
    start: Start,
    now: &Moment,
) -> Result<Step, Failure> {
    if session.is_beside_the_run_of(circuit) {
        // What it grants would be an iteration of the run's that nobody ever reports.
        return beside(session, circuit, policy, now);
    }
    let list = list(session, circuit, policy)?;
    if let Some(step) = completed(circuit, policy, list.as_ref(), now) {
        return Ok(step);
    }
    let start = Start {
        passing: features::passing(list.as_ref(), policy),
        ..start
    };
    let begun = begun_again(circuit, policy, list.as_ref(), now);
    Ok(after(begun, circuit, |circuit| {
        machine::check(circuit, policy, start, now)
    }))
}

/// The same question, without taking anything.
pub(super) fn ask_idly(
    session: &Session,
    circuit: &Circuit,
    policy: &Policy,
    now: &Moment,
) -> Result<Step, Failure> {
    if session.is_beside_the_run_of(circuit) {
        return Ok(machine::beside_run(circuit, policy, now));
    }
    let list = list(session, circuit, policy)?;
    Ok(match completed(circuit, policy, list.as_ref(), now) {
        Some(step) => step,
        None => {
            let begun = begun_again(circuit, policy, list.as_ref(), now);
            after(begun, circuit, |circuit| Step {
                circuit: circuit.clone(),
                entries: Vec::new(),
                decision: machine::peek(circuit, policy, now),
            })
        }
    })
}

/// What the last iteration did.
pub(crate) fn tell(
    session: &Session,
    circuit: &Circuit,
    policy: &Policy,
    (mut facts, claim): (Observation, Claim),
    now: &Moment,
) -> Result<Told, Failure> {
    if session.is_beside_the_run_of(circuit) {
        refuse_beside(circuit, claim)?;
        // What has become of the features, the supervisor sees for itself.
        return Ok(Told {
            step: machine::record(circuit, policy, facts, claim, now),
            unreadable: None,
        });
    }
    // A list that cannot be read any more shows nothing passing.
    let (list, unreadable) = match features::read(&session.located.root, policy) {
        Ok(list) => (list, None),
        Err(failure) => (None, Some(failure)),
    };
    features::tell_reported(list.as_ref(), &circuit.core, &mut facts);
    let begun = begun_again(circuit, policy, list.as_ref(), now);
    let step = after(begun, circuit, |circuit| {
        machine::record(circuit, policy, facts, claim, now)
    });
    let step = match completed(&step.circuit, policy, list.as_ref(), now) {
        Some(end) => joined(step, end),
        None => step,
    };
    let is_news = !matches!(step.decision.gate, Gate::Deny(_));
    Ok(Told {
        step,
        unreadable: unreadable.filter(|_| is_news),
    })
}

/// What an iteration did that nobody asked for before it began: its grant and its report as one
/// step. Where there is a grant already, and no supervisor to report it, this is its report.
pub(crate) fn tell_unasked(
    session: &Session,
    circuit: &Circuit,
    policy: &Policy,
    (start, facts): (Start, Observation),
    now: &Moment,
) -> Result<Told, Failure> {
    let quietly = |step| Told {
        step,
        unreadable: None,
    };
    if session.is_beside_the_run_of(circuit) {
        return Ok(quietly(machine::beside_run(circuit, policy, now)));
    }
    let claim = |grant| Claim {
        grant: Some(grant),
        secret: None,
    };
    let pending = circuit.core.pending.as_ref();
    if let Some(pending) = pending.filter(|grant| grant.seal.is_none()) {
        return tell(session, circuit, policy, (facts, claim(pending.id)), now);
    }
    // That it cannot be read is told with the report.
    let list = features::read(&session.located.root, policy).unwrap_or(None);
    let begun = begun_again(circuit, policy, list.as_ref(), now);
    let granted = after(begun, circuit, |circuit| {
        machine::check(circuit, policy, start, now)
    });
    let Some(grant) = granted.decision.grant else {
        return Ok(quietly(granted));
    };
    let told = tell(
        session,
        &granted.circuit,
        policy,
        (facts, claim(grant)),
        now,
    )?;
    Ok(Told {
        step: joined(granted, told.step),
        ..told
    })
}

/// Refuses what [`ask`] would, before anything is measured for it.
pub(super) fn refuse_to_ask(session: &Session) -> Result<(), Failure> {
    beforehand(session, |circuit, policy, now| {
        beside(session, circuit, policy, now).map(|_| ())
    })
}

/// Refuses what [`tell`] would, before anything is measured for it.
pub(super) fn refuse_to_tell(session: &Session, claim: Claim) -> Result<(), Failure> {
    beforehand(session, |circuit, _, _| refuse_beside(circuit, claim))
}

fn beforehand(
    session: &Session,
    refuse: impl FnOnce(&Circuit, &Policy, &Moment) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !session.has_live_run() {
        return Ok(());
    }
    let looked = session.try_look(|circuit, policy, now| {
        if session.is_beside_the_run_of(circuit) {
            refuse(circuit, policy, now)?;
        }
        Ok(machine::status(circuit, policy, now))
    });
    looked.map(|_| ())
}

/// How things stand beside a run. Only what runs in it is told to go on: to anybody else that
/// would be a yes that nobody counts, in another loop, in an agent of its own, or beside a run
/// that died.
fn beside(
    session: &Session,
    circuit: &Circuit,
    policy: &Policy,
    now: &Moment,
) -> Result<Step, Failure> {
    let step = machine::beside_run(circuit, policy, now);
    // Why it is denied is told by the answer.
    let denied = matches!(step.decision.gate, Gate::Deny(_));
    if denied || session.is_inside_its_run(circuit) {
        return Ok(step);
    }
    let what = "a run of this circuit is alive, or its lock cannot be read: its iterations are its own, and none is granted here";
    Err(Failure::new(exit::REFUSED, what).hint(ANOTHER_CIRCUIT))
}

const ANOTHER_CIRCUIT: &str = "look with `fusebox status`; a loop of your own beside it needs a circuit of its own: `--circuit NAME`";

/// Between two iterations of a run nobody waits for a report, so one that nobody asked for would
/// be taken for a measurement. While an iteration is under way the engine knows whose it is, and
/// what names another one comes too late to move anything.
fn refuse_beside(circuit: &Circuit, claim: Claim) -> Result<(), Failure> {
    let pending = circuit.core.pending.as_ref();
    let is_the_runs = pending.is_some_and(|grant| grant.seal.is_some());
    let waiting = pending.map(|grant| grant.id);
    if is_the_runs || claim.grant.is_some_and(|named| Some(named) != waiting) {
        return Ok(());
    }
    let what = "a run of this circuit is alive, or its lock cannot be read: only what its supervisor measures counts, so nothing was recorded";
    Err(Failure::new(exit::REFUSED, what).hint(ANOTHER_CIRCUIT))
}

/// The grant that a step has settled because nobody ever reported it.
pub(super) fn settled_unreported(before: &Circuit, step: &Step) -> Option<GrantId> {
    let pending = before.core.pending.as_ref();
    let unsealed = pending.filter(|grant| grant.seal.is_none())?.id;
    let waiting = step.circuit.core.pending.as_ref().map(|grant| grant.id);
    (waiting != Some(unsealed)).then_some(unsealed)
}

/// The features, where they are counted by. That they cannot be read is no news where the
/// breaker is open anyway.
fn list(
    session: &Session,
    circuit: &Circuit,
    policy: &Policy,
) -> Result<Option<FeatureList>, Failure> {
    match features::read(&session.located.root, policy) {
        Err(_) if circuit.core.phase.opening().is_some() => Ok(None),
        read => read,
    }
}

/// The step to the end, where sessions are counted by features and none is left to try. An open
/// breaker outranks that, and what has ended does not end again.
fn completed(
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
fn begun_again(
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
fn after(first: Option<Step>, circuit: &Circuit, then: impl FnOnce(&Circuit) -> Step) -> Step {
    match first {
        None => then(circuit),
        Some(first) => {
            let second = then(&first.circuit);
            joined(first, second)
        }
    }
}

/// Two steps as one.
fn joined(first: Step, mut second: Step) -> Step {
    second.entries.splice(0..0, first.entries);
    second
}
