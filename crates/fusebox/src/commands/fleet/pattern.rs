//! `fusebox fleet pattern`: from when on what several workers meet stops a repository.

use fusebox_fleet::{PatternChange, PatternView};
use fusebox_view::escape;

use super::{Verb, table};
use crate::cli::FleetPattern;
use crate::exit;
use crate::failure::Failure;

/// How long a pattern may be looked for, as the schema has it.
const SPANS_MS: std::ops::RangeInclusive<u64> = 1_000..=31 * 24 * 3_600_000;

pub(super) fn run(verb: &Verb<'_>, args: &FleetPattern) -> Result<u8, Failure> {
    let mut coordinator = verb.coordinator()?;
    let known = coordinator.patterns()?;
    let speech = verb.context.speech;
    let Some(name) = &args.name else {
        if speech.json {
            speech.json(&known);
        } else {
            speech.data(&table::patterns(&known));
        }
        return Ok(exit::GO);
    };
    let shown = escape::line(name, 60);
    let Some(now) = known.iter().find(|one| one.name == *name) else {
        let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
        let what = format!("the fleet counts no pattern `{shown}`");
        return Err(Failure::new(exit::USAGE, what).hint(format!("there are {}", names.join(", "))));
    };
    let change = change(args)?;
    if change != PatternChange::default() {
        let then = changed(now, change);
        let words = format!("{shown}: {}", table::bounds(&then));
        // Anyone with the rights may tighten; to relax is to release.
        if !is_stricter(&then, now) {
            verb.person(&format!("Fleet · from now on {words}"))?;
        }
        coordinator.set_pattern(name, &change)?;
        verb.say(&words);
    }
    let after = coordinator.patterns()?;
    let after: Vec<PatternView> = after.into_iter().filter(|one| one.name == *name).collect();
    if speech.json {
        speech.json(&after);
    } else if change == PatternChange::default() {
        speech.data(&table::patterns(&after));
    }
    Ok(exit::GO)
}

fn change(args: &FleetPattern) -> Result<PatternChange, Failure> {
    let span_ms = args
        .within
        .map(|span| u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
    if span_ms.is_some_and(|ms| !SPANS_MS.contains(&ms)) {
        return Err(Failure::new(
            exit::USAGE,
            "a pattern is looked for within 1 s to 31 d",
        ));
    }
    Ok(PatternChange {
        threshold: args.threshold,
        span_ms,
        halts: args.halts,
    })
}

fn changed(now: &PatternView, change: PatternChange) -> PatternView {
    PatternView {
        threshold: change.threshold.unwrap_or(now.threshold),
        span_ms: change.span_ms.unwrap_or(now.span_ms),
        halts: change.halts.unwrap_or(now.halts),
        ..now.clone()
    }
}

/// Whether a pattern lets nothing through that the one in force would not.
fn is_stricter(new: &PatternView, now: &PatternView) -> bool {
    new.threshold <= now.threshold && new.span_ms >= now.span_ms && new.halts >= now.halts
}
