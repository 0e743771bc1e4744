//! Ways out of an open breaker, as far as the policy leaves them open.

use super::Step;
use super::work::{Work, closed, plain, transition};
use crate::circuit::{Cause, Circuit, Core, Opening, Phase, Release};
use crate::clock::Moment;
use crate::journal::{Actor, AuthorityProof, EntryOutcome, Event};
use crate::patterns::Marked;
use crate::policy::{Policy, ThresholdEdits};
use crate::recovery::STRATEGIES;
use crate::signals::{Level, Sight, Signal};

/// Why a release was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// This way of working leaves it to the cooldown alone.
    OnlyTheCooldown,
    /// This way of working leaves it to the correction of its own files.
    OnlyACorrection,
    /// This way of working knows no correction; it has other ways out.
    NotByCorrection,
    /// There is nothing to release.
    NotOpen,
    /// There is no such strategy, or no further one.
    NoSuchStrategy,
    /// The ladder of models has no further rung.
    TopOfTheLadder,
    /// What opened it is a person's to look at, so that nobody else goes on with another
    /// model either.
    OnlyAPerson,
    /// This way of working knows no phases, or none is under way.
    NoPhase,
    /// The breaker is open, and thresholds and ways out must not change under it.
    StillOpen,
}

/// Why `policy` leaves no release to persons, if it does not.
#[must_use]
pub fn refusal(policy: &Policy) -> Option<Refused> {
    match (policy.release.person, policy.release.cooldown) {
        (true, _) => None,
        (false, true) => Some(Refused::OnlyTheCooldown),
        (false, false) => Some(Refused::OnlyACorrection),
    }
}

/// Closes the breaker and starts counting anew. The caller has made sure that a
/// person asked.
///
/// # Errors
/// [`Refused`] where the policy does not leave that to persons.
pub fn reset(
    circuit: &Circuit,
    policy: &Policy,
    reason: String,
    by: Actor,
    now: &Moment,
) -> Result<Step, Refused> {
    let wish = Reset {
        reason,
        by,
        guidance: None,
    };
    redirect(circuit, policy, wish, now)
}

/// A person's wish to close the breaker.
#[derive(Clone, Debug)]
pub struct Reset {
    /// Why.
    pub reason: String,
    /// Who asked.
    pub by: Actor,
    /// What is to be done differently from now on, if anything.
    pub guidance: Option<String>,
}

/// The same as [`reset`], with a word on what is to be done differently.
///
/// # Errors
/// [`Refused`] where the policy does not leave that to persons.
pub fn redirect(
    circuit: &Circuit,
    policy: &Policy,
    wish: Reset,
    now: &Moment,
) -> Result<Step, Refused> {
    if let Some(refused) = refusal(policy) {
        return Err(refused);
    }
    let Reset {
        reason,
        by,
        guidance,
    } = wish;
    let event = Event::Reset {
        reason,
        by,
        after_damage: None,
        guidance,
    };
    Ok(close(circuit, policy, event, now))
}

/// Starts anew after the memory was found damaged. There is no other way out of
/// that, so every policy allows it.
#[must_use]
pub fn reset_after_damage(
    policy: &Policy,
    reason: String,
    by: Actor,
    damage: String,
    now: &Moment,
) -> Step {
    let event = Event::Reset {
        reason,
        by,
        after_damage: Some(damage),
        guidance: None,
    };
    close(&Circuit::default(), policy, event, now)
}

fn close(circuit: &Circuit, policy: &Policy, event: Event, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    let mut core = closed(&work.circuit.core);
    if let Event::Reset { guidance, .. } = &event {
        core.guidance.clone_from(guidance);
    }
    let cited = circuit.anomalies.cited();
    let outcome = EntryOutcome {
        transitions: transition(&circuit.core.phase, &core.phase)
            .into_iter()
            .collect(),
        // Otherwise the next analysis would open it for what a person has just
        // looked at.
        anomalies: (!cited.is_empty()).then(|| Marked::Acknowledged(cited.to_vec())),
        ..plain(core)
    };
    work.push(event, outcome);
    work.end_here()
}

/// A wish to let one probe run at once: a person's, or that of a loop which was told
/// beforehand to go on with the next model.
#[derive(Clone, Debug)]
pub struct Retry {
    /// Why, and with what.
    pub note: String,
    /// Who asked.
    pub by: Actor,
    /// Whether to go one step up the ladder of models.
    pub escalate: bool,
    /// How many rungs the ladder has.
    pub rungs: u32,
}

/// Lets one probe run at once.
///
/// # Errors
/// [`Refused`] where the policy knows no such thing, nothing is open, the ladder has no
/// further rung, or nobody but a person may and none asks.
pub fn retry(
    circuit: &Circuit,
    policy: &Policy,
    wish: Retry,
    now: &Moment,
) -> Result<Step, Refused> {
    if !policy.release.retry {
        return Err(Refused::OnlyTheCooldown);
    }
    let Phase::Open(opening) = &circuit.core.phase else {
        return Err(Refused::NotOpen);
    };
    if wish.by.proof == AuthorityProof::NotNeeded && !leaves_the_next_model(policy, opening) {
        return Err(Refused::OnlyAPerson);
    }
    let rung = circuit.core.rung + u32::from(wish.escalate);
    if wish.escalate && rung >= wish.rungs {
        return Err(Refused::TopOfTheLadder);
    }
    let mut work = Work::begin(circuit, policy, now);
    let mut core = work.circuit.core.clone();
    core.rung = rung;
    let opening = Opening {
        release: Release::Cooldown(0),
        since: *now,
        ..opening.clone()
    };
    work.move_to(
        core,
        Phase::Open(opening),
        Event::Retried {
            note: wish.note,
            by: wish.by,
            rung,
        },
    );
    Ok(work.end_here())
}

/// Whether another model may be tried on an opening without a person: where the work stood
/// still, and nothing has made it a person's since, as relapses and failed probes do.
fn leaves_the_next_model(policy: &Policy, opening: &Opening) -> bool {
    let by_work = matches!(opening.cause, Cause::Signal(signal) if signal != Signal::ProtectedLost);
    let as_always = !policy.release.cooldown || opening.release != Release::Person;
    by_work && as_always
}

/// Takes a strategy of recovery: the next one, or the one that is named. It
/// changes what the next probe is told, not when it may run.
///
/// # Errors
/// [`Refused`] if nothing is open or there is no such strategy.
pub fn recover(
    circuit: &Circuit,
    policy: &Policy,
    strategy: Option<u32>,
    note: String,
    by: Actor,
    now: &Moment,
) -> Result<Step, Refused> {
    let Phase::Open(opening) = &circuit.core.phase else {
        return Err(Refused::NotOpen);
    };
    let strategy = strategy.unwrap_or(circuit.core.strategies + 1);
    if !(1..=STRATEGIES).contains(&strategy) || crate::recovery::strategies(opening.cause).is_none()
    {
        return Err(Refused::NoSuchStrategy);
    }
    let mut work = Work::begin(circuit, policy, now);
    let mut core = work.circuit.core.clone();
    core.strategies = strategy;
    core.guidance = Some(note.clone());
    let phase = core.phase.clone();
    work.move_to(core, phase, Event::Recovering { strategy, note, by });
    Ok(work.end_here())
}

impl Work<'_> {
    /// Opens where a threshold was lowered to what is counted already, if the policy lets the
    /// state follow. One that was raised is no release, unless a person sets it.
    pub(super) fn follow_lowered_thresholds(&mut self) {
        let mut core = self.circuit.core.clone();
        if core.phase.opening().is_none()
            && let Some(phase) = reconsidered(self, &mut core)
        {
            self.move_to(core, phase, Event::Reconsidered);
        }
    }
}

/// Where the counters of `core` belong under the policy at hand, if that is
/// elsewhere and the policy lets the state follow.
pub(super) fn reconsidered(work: &Work<'_>, core: &mut Core) -> Option<Phase> {
    if work.policy.edits != ThresholdEdits::Reevaluate {
        return None;
    }
    let sight = Sight {
        counters: &core.counters,
        rows: work.circuit.counted_rows(),
    };
    let worst = sight.worst(work.policy);
    let tripped = worst.filter(|reading| reading.level == Level::Trip);
    match (&core.phase, tripped) {
        (Phase::Closed | Phase::Watching | Phase::Complete, Some(reading)) => {
            core.totals.trips += 1;
            Some(Phase::Open(work.opening(&reading, core)))
        }
        (Phase::Open(opening), None) if matches!(opening.cause, Cause::Signal(_)) => {
            Some(Phase::Closed)
        }
        _ => None,
    }
}
