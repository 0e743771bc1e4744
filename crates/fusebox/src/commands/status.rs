//! `fusebox status`: how things stand.

use fusebox_core::machine;
use fusebox_seeds::seed;

use super::{Context, show};
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let mut outcome = session.look(machine::status)?;
    outcome.notes.extend(session.orphans());
    show(context, &outcome, |outcome| {
        let root = shown(&session.located.root);
        let place = format!(
            "{:<15} {root}\n{:<15} {}\n",
            "workspace", "circuit", session.circuit
        );
        let mut preset = format!("{:<15} {}\n", "preset", outcome.policy.preset);
        let display =
            seed(outcome.policy.preset).and_then(|seed| seed.display(outcome.decision.state));
        if let Some(display) = display {
            preset.push_str(&format!("{:<15} {display}\n", "breaker"));
        }
        format!(
            "{place}{preset}{}",
            outcome.telling().status(&outcome.decision)
        )
    });
    Ok(exit::GO)
}
