//! What a stop leaves in `memory/`: the pattern, so that it can be avoided, and
//! the event, so that it can be counted. Both files only ever grow.

use std::fmt::Write as _;

use fusebox_core::circuit::{Cause, Core, Opening, State};
use fusebox_core::decision::Transition;
use fusebox_core::is_hostile;
use fusebox_core::journal::Entry;
use fusebox_core::recovery::strategies;

use crate::time;
use crate::{Appendix, Scene};

const PATTERNS: &str = "memory/learned-patterns.md";
const METRICS: &str = "memory/improvement-log.md";

/// What has just happened and is worth remembering.
pub(super) fn learned(scene: &Scene<'_>) -> Vec<Appendix> {
    let mut learned = Vec::new();
    for entry in scene.entries {
        for Transition { from, to } in &entry.outcome.transitions {
            match (from, to) {
                (State::Probing, State::Open) => learned.push(metrics(entry, "FAILED PROBE")),
                (_, State::Open) => {
                    learned.extend(
                        entry
                            .outcome
                            .core
                            .phase
                            .opening()
                            .map(|why| pattern(entry, why)),
                    );
                    learned.push(metrics(entry, "STAGNATION"));
                }
                (State::Probing, State::Closed) => learned.push(metrics(entry, "RECOVERY")),
                _ => {}
            }
        }
    }
    learned
}

/// What was seen, and what to try instead.
fn pattern(entry: &Entry, opening: &Opening) -> Appendix {
    let core = &entry.outcome.core;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\n## Stagnation: {} ({})\n",
        kind(opening.cause),
        time::written(entry.at.wall_ms)
    );
    let _ = writeln!(text, "- What was seen: {}", line(&opening.reason));
    let _ = writeln!(text, "- Rule: {}", opening.rule);
    for evidence in &opening.evidence {
        let _ = writeln!(
            text,
            "- Evidence: {}: {}",
            line(&evidence.place.to_string()),
            line(&evidence.found)
        );
    }
    if let Some(row) = strategies(opening.cause) {
        let next = row.get(core.strategies as usize).or(row.last());
        let _ = writeln!(
            text,
            "- Next time, before it comes to that: {}",
            next.unwrap_or(&row[0])
        );
    }
    Appendix {
        path: PATTERNS,
        header: "# Learned patterns\n".to_owned(),
        text,
    }
}

/// The event and the numbers so far, under an id of its own.
fn metrics(entry: &Entry, what: &str) -> Appendix {
    let core = &entry.outcome.core;
    let day = time::written(entry.at.wall_ms);
    let id = format!(
        "ERR-{}-{}{}-{:03}",
        &day[..4],
        &day[5..7],
        &day[8..10],
        // Both only grow, and each event adds to one of them at least.
        core.totals.trips.saturating_add(core.totals.probes) % 1_000
    );
    let severity = if what == "RECOVERY" {
        "Cosmetic"
    } else {
        "Major"
    };
    let why = core.phase.opening().map_or_else(
        || "The circuit closed after a successful probe".to_owned(),
        |opening| line(&opening.reason),
    );
    let mut text = String::new();
    let _ = writeln!(text, "\n### {id} {what} ({day})\n");
    let _ = writeln!(text, "- Severity: {severity}");
    let _ = writeln!(text, "- Category: {}", category(core));
    let _ = writeln!(text, "- What happened: {why}");
    let totals = &core.totals;
    let _ = writeln!(
        text,
        "- Session metrics: iterations {}, with progress {}, trips {}, failed probes {}, \
         strategies taken {} of 4",
        totals.reported, totals.progress, totals.trips, core.failed_probes, core.strategies
    );
    Appendix {
        path: METRICS,
        header: "# Improvement log\n".to_owned(),
        text,
    }
}

fn category(core: &Core) -> &'static str {
    core.phase
        .opening()
        .map_or("recovery", |opening| kind(opening.cause))
}

fn kind(cause: Cause) -> &'static str {
    match cause {
        Cause::Signal(signal) => signal.name(),
        Cause::Pattern { .. } => "pattern",
        Cause::Asked => "asked for",
        Cause::Supervisor => "supervision",
    }
}

/// Text from outside, on one line, and never a heading or a tag of its own.
fn line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if is_hostile(c) => ' ',
            '<' | '>' => '\'',
            c => c,
        })
        .collect()
}
