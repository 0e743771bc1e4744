//! `fusebox reset`: close the breaker. Only a person may.

use fusebox_core::Circuit;
use fusebox_core::clip;
use fusebox_core::journal::Actor;
use fusebox_core::machine;
use fusebox_core::observation::NAME_BYTES;
use fusebox_store::Error as StoreError;
use fusebox_view::{answer::label, escape};

use super::{Context, announce};
use crate::authority;
use crate::cli::Reset;
use crate::dealings;
use crate::exit;
use crate::failure::Failure;
use crate::memory::draft;
use crate::projection::{Beside, Said, Writing};
use crate::session::{Outcome, Session};
use crate::speech::shown;
use crate::tasks;

pub(super) fn run(context: &Context<'_>, args: &Reset) -> Result<u8, Failure> {
    let session = context.session()?;
    let reason = clip(&args.reason, NAME_BYTES).to_owned();
    let (found, damage) = match session.store.peek() {
        Ok(_) => {
            // One thing at a time: what was looked at is what begins anew. But a reset that
            // succeeds leaves no open breaker behind.
            let claims = tasks::damage(&session)?;
            if let Some(damage) = &claims {
                forget_claims(context, &session, damage)?;
            }
            let circuit = session.store.peek()?.state.0;
            if claims.is_some() && circuit.core.phase.opening().is_none() {
                return Ok(exit::GO);
            }
            (standing(&session, &circuit)?, None)
        }
        Err(StoreError::Tampered(tamper)) => {
            let what = tamper.to_string();
            (
                format!("The memory of this circuit was damaged: {what}"),
                Some(what),
            )
        }
        Err(other) => return Err(other.into()),
    };
    let actor = authority::person(&session, &found)?;
    session.forgive_edits();
    let outcome = match damage {
        None => session.try_apply(|circuit, policy, now| {
            let guidance = args.guidance.as_deref();
            let wish = machine::Reset {
                reason,
                by: actor,
                guidance: guidance.map(|words| clip(words, NAME_BYTES).to_owned()),
            };
            machine::redirect(circuit, policy, wish, now).map_err(Failure::from)
        })?,
        Some(damage) => start_afresh(&session, reason, actor, damage)?,
    };
    announce(context, &outcome);
    Ok(exit::GO)
}

/// The record of claims, doubts included, begins anew; the breaker stays as it is.
fn forget_claims(context: &Context<'_>, session: &Session, damage: &str) -> Result<(), Failure> {
    let found = escape::line(damage, 400);
    authority::person(session, &found)?;
    tasks::journal(session)?.start_afresh(session.stamp_ms())?;
    let place = shown(&tasks::directory(session));
    context.speech.say(&format!(
        "the claims begin anew, and what was doubted of tasks is forgotten with them: see that the list still has them all; \
         what was there is kept in {place}, and the breaker is as it was"
    ));
    Ok(())
}

/// What the person is about to release.
fn standing(session: &Session, circuit: &Circuit) -> Result<String, Failure> {
    let policy = session.policy(circuit)?;
    // Whoever may not release is told so before they are asked to confirm.
    if let Some(refused) = machine::refusal(&policy) {
        let told = dealings::reminders(policy.preset).into_iter();
        return Err(told.fold(refused.into(), Failure::hint));
    }
    let state = label(&policy.labels, circuit.state());
    let why = circuit
        .core
        .phase
        .opening()
        .map_or_else(String::new, |opening| {
            format!(": {}", escape::line(&opening.reason, 120))
        });
    let root = shown(&session.located.root);
    Ok(format!(
        "{root} · circuit {} · {state}{why}",
        session.circuit
    ))
}

/// Damaged files are set aside and a new log begins with this reset.
fn start_afresh(
    session: &Session,
    reason: String,
    by: Actor,
    damage: String,
) -> Result<Outcome, Failure> {
    let now = session.clock.now();
    let policy = session.policy(&Circuit::default())?;
    let step = machine::reset_after_damage(&policy, reason, by, damage, &now);
    let decision = step.decision.clone();
    let place = (session.located.root.as_path(), session.circuit.as_str());
    // What stands in the files of another system goes with the damaged memory.
    let (entries, writing) = match Beside::look(place, &step.circuit, &policy, &now)? {
        Some(beside) => beside.follow(Some(step))?,
        None => (step.entries, Writing::default()),
    };
    let drafts: Vec<_> = entries.iter().map(draft).collect();
    let view = session.store.restart(session.stamp(), &drafts)?;
    session.located.restore()?;
    let mut notes = writing.carry_out()?;
    let kept = format!(
        "the damaged files are kept in {}",
        shown(&session.store.location().dir.join("quarantine"))
    );
    notes.push(kept);
    Ok(Outcome {
        decision,
        policy,
        circuit: view.state.0,
        now,
        notes,
        said: Said::default(),
        shared: Vec::new(),
    })
}
