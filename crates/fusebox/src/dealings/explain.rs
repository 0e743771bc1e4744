//! Why things stand as they do.

use std::fmt::Write as _;

use fusebox_core::Preset;
use fusebox_seeds::seed;

use crate::session::Outcome;

/// Why, in lines for a person; `live` is whether a supervisor is at work.
pub(crate) fn explain(outcome: &Outcome, live: bool) -> String {
    let mut text = outcome.telling().explanation(&outcome.decision);
    if let Some(run) = outcome.last_run(live) {
        let _ = writeln!(text, "\nlast run\n  {}", run.line());
    }
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
pub(crate) fn reminders(preset: Preset) -> Vec<String> {
    let pairs = seed(preset).map_or(&[][..], |seed| seed.reminders());
    let told = pairs
        .iter()
        .map(|(thought, reality)| format!("\"{thought}\": {reality}"));
    told.collect()
}
