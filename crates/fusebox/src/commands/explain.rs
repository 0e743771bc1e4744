//! `fusebox explain`: why things stand as they do.

use std::fmt::Write as _;

use fusebox_core::{Preset, machine};
use fusebox_seeds::seed;

use super::{Context, show};
use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let outcome = context.session()?.look(machine::status)?;
    show(context, &outcome, told);
    Ok(exit::GO)
}

/// Why, in lines for a person.
pub(crate) fn told(outcome: &Outcome) -> String {
    let mut text = outcome.telling().explanation(&outcome.decision);
    let reminders = reminders(outcome.policy.preset);
    if outcome.circuit.core.phase.opening().is_some() && !reminders.is_empty() {
        text.push_str("\nbefore you continue anyway\n");
        for line in reminders {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// Thoughts that people have at an open breaker, each with its answer.
pub(super) fn reminders(preset: Preset) -> Vec<String> {
    let pairs = seed(preset).map_or(&[][..], |seed| seed.reminders());
    let told = pairs
        .iter()
        .map(|(thought, reality)| format!("\"{thought}\": {reality}"));
    told.collect()
}
