//! `fusebox recover`: what the next probe is to do differently.

use fusebox_core::clip;
use fusebox_core::machine;
use fusebox_core::observation::NAME_BYTES;
use fusebox_core::recovery::strategies;

use super::Context;
use crate::authority;
use crate::cli::Recover;
use crate::exit;
use crate::failure::Failure;

pub(super) fn run(context: &Context<'_>, args: &Recover) -> Result<u8, Failure> {
    let session = context.session()?;
    let note = clip(&args.note, NAME_BYTES).to_owned();
    let outcome = session.try_apply(|circuit, policy, now| {
        machine::recover(
            circuit,
            policy,
            args.strategy,
            note,
            authority::anyone(),
            now,
        )
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
    outcome
        .telling()
        .way_out(&outcome.decision)
        .iter()
        .for_each(|line| context.speech.add(line));
    Ok(exit::GO)
}
