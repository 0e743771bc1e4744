//! The block that a person sees when the breaker is open.

use std::fmt::Write as _;

use fusebox_core::observation::WorkPhase;
use fusebox_core::quiet_line as line;

use crate::{Choice, Menu, Scene};

pub(super) const CHOICES: [(char, Choice); 4] = [
    ('r', Choice::Reset),
    ('s', Choice::SkipPhase),
    ('a', Choice::Abort),
    ('m', Choice::Guide),
];

pub(super) fn of(scene: &Scene<'_>) -> Option<Menu> {
    let core = &scene.circuit.core;
    let opening = core.phase.opening()?;
    let phase = core.counters.phase.unwrap_or(WorkPhase::Red).name();
    let mut text = String::from("---CIRCUIT_BREAKER_OPEN---\n");
    let _ = writeln!(text, "PHASE: {phase}");
    let _ = writeln!(text, "REASON: {}", line(&opening.reason));
    let _ = writeln!(text, "ITERATIONS: {}", core.iterations);
    let _ = writeln!(text, "TESTS_PASSING: {}", tests(scene));
    let _ = writeln!(text, "LAST_ERROR: {}", last_error(scene));
    let _ = write!(
        text,
        "\nOPTIONS:\n\
         1. [R]eset and retry with current approach\n\
         2. [S]kip {phase} phase (mark tests as known failures)\n\
         3. [A]bort execution\n\
         4. [M]odify approach (provide new guidance)\n\
         \n\
         Enter choice:\n\
         ---END_CIRCUIT_BREAKER_OPEN---\n"
    );
    Some(Menu {
        text,
        choices: CHOICES.into(),
    })
}

fn tests(scene: &Scene<'_>) -> String {
    let counters = &scene.circuit.core.counters;
    let last = counters.last_metrics(WorkPhase::Green);
    let change = change(scene);
    match (last.tests_passing, last.tests_total) {
        (Some(passing), Some(total)) => format!("{passing}/{total}{change}"),
        (Some(passing), None) => format!("{passing}{change}"),
        (None, _) => "unknown".to_owned(),
    }
}

/// How the number of passing tests compares with the one before the actions that gained
/// nothing, where both are known.
fn change(scene: &Scene<'_>) -> String {
    let rows = scene.circuit.counted_rows();
    let idle = scene.circuit.core.counters.no_progress as usize;
    let first = rows.len().saturating_sub(idle.saturating_add(1));
    let mut passed = rows[first..]
        .iter()
        .filter_map(|row| Some(row.tests?.passed));
    match (passed.next(), passed.next_back()) {
        (Some(before), Some(now)) if now == before => " (no change)".to_owned(),
        (Some(before), Some(_)) => format!(" ({before} before)"),
        _ => String::new(),
    }
}

fn last_error(scene: &Scene<'_>) -> String {
    let mut rows = scene.circuit.rows.iter().rev();
    let error = rows.find_map(|row| row.errors.first());
    error.map_or_else(|| "none".to_owned(), |error| line(&error.shown))
}
