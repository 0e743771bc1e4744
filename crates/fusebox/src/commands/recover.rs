//! `fusebox recover`: what the next probe is to do differently.

use fusebox_core::clip;
use fusebox_core::machine;
use fusebox_core::observation::NAME_BYTES;
use fusebox_core::recovery::{self, STRATEGIES, strategies};
use fusebox_notify::{Kind, Notice};
use fusebox_view::escape;

use super::{Context, notify};
use crate::caller;
use crate::cli::Recover;
use crate::exit;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

/// The widest that a line of evidence becomes.
const WIDTH: usize = 200;

pub(super) fn run(context: &Context<'_>, args: &Recover) -> Result<u8, Failure> {
    let session = context.session()?;
    let note = clip(&args.note, NAME_BYTES).to_owned();
    let outcome = session.try_apply(|circuit, policy, now| {
        machine::recover(circuit, policy, args.strategy, note, caller::anyone(), now)
            .map_err(Failure::from)
    })?;
    let taken = outcome.circuit.core.strategies;
    let row = outcome
        .circuit
        .core
        .phase
        .opening()
        .and_then(|opening| strategies(opening.cause));
    let words = row
        .and_then(|row| row.get(taken.saturating_sub(1) as usize).copied())
        .unwrap_or_default();
    context
        .speech
        .say(&format!("strategy {taken} of 4: {words}"));
    let case = match taken >= STRATEGIES {
        true => recovery::case(&outcome.circuit),
        false => Vec::new(),
    };
    let case: Vec<String> = case
        .iter()
        .map(|row| escape::line(&format!("{}: {}", row.place, row.found), WIDTH))
        .collect();
    case.iter().for_each(|line| context.speech.add(line));
    outcome
        .telling()
        .way_out(&outcome.decision)
        .iter()
        .for_each(|line| context.speech.add(line));
    if taken >= STRATEGIES {
        call_a_person(context, &session, &outcome, &case.join("\n"));
    }
    Ok(exit::GO)
}

/// The last strategy is to ask a person, who is shown what they need for it.
fn call_a_person(context: &Context<'_>, session: &Session, outcome: &Outcome, case: &str) {
    let notice = Notice {
        body: case.to_owned(),
        reason: Some(outcome.decision.reason.clone()),
        iteration: Some(outcome.circuit.core.iterations),
        next: outcome.telling().call_for_a_person(),
        ..Notice::new(
            Kind::Paused,
            "All strategies of recovery have been taken; a person is needed",
            outcome.now.wall_ms,
        )
    };
    // What was decided is durable, whether or not anybody can be told of it.
    let lost = match notify::send(session, notice) {
        Ok(reports) => reports
            .into_iter()
            .flatten()
            .find_map(|report| report.last_failure),
        Err(failure) => Some(failure.what),
    };
    if let Some(why) = lost {
        let why = escape::line(&why, WIDTH);
        context
            .speech
            .say(&format!("the notification did not arrive: {why}"));
    }
}
