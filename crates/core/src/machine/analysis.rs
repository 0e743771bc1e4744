//! What a search for patterns brings about, and how a person ends it.

use super::release::Refused;
use super::work::{Work, closed, plain, transition};
use super::{Step, Trip};
use crate::circuit::{Cause, Circuit, Opening, Phase, Release};
use crate::clock::Moment;
use crate::decision::{Evidence, Place};
use crate::journal::{Actor, EntryOutcome, Event, MatchedPattern};
use crate::patterns::{Analysis, Cited, Marked, Pattern, PatternMatch, Severity};
use crate::policy::{Enforcement, Policy};
use crate::text::clip;

/// How many anomalies an opening shows.
const EVIDENCE_SHOWN: usize = 12;
/// How much of a text is shown of each.
const SHOWN_BYTES: usize = 160;

/// Takes in an analysis: a pattern opens the breaker.
///
/// While it is open, an analysis is remembered and moves nothing, whatever it
/// found: what was resolved is for a person to say, and an anomaly that nobody
/// has seen as evidence must be able to trigger later. Only a mere sign to halt
/// gives way to a pattern, which says why. Where the policy knows no patterns,
/// there is nothing to take in.
#[must_use]
pub fn analysed(circuit: &Circuit, policy: &Policy, analysis: &Analysis<'_>, now: &Moment) -> Step {
    let mut work = Work::begin(circuit, policy, now);
    if policy.patterns.is_none() {
        return work.end_here();
    }
    let matches = analysis.matches();
    let event = Event::Analysed {
        matched: matches.iter().map(matched).collect(),
    };
    let mut core = work.circuit.core.clone();
    match matches.first() {
        Some(primary)
            if core
                .phase
                .opening()
                .is_none_or(|opening| opening.placeholder) =>
        {
            let found = opening(primary, &matches, policy, now);
            let phase = Phase::Open(found.in_place_of(core.phase.opening()));
            let transitions = transition(&core.phase, &phase).into_iter().collect();
            core.totals.trips += u64::from(core.phase.opening().is_none());
            core.phase = phase;
            work.push(
                event,
                EntryOutcome {
                    transitions,
                    anomalies: Some(Marked::cited(cited(&matches))),
                    ..plain(core)
                },
            );
        }
        _ => work.push(event, plain(core)),
    }
    work.end_here()
}

/// Closes a breaker whose cause was corrected, and acknowledges what was
/// evidence of it: those anomalies count no longer. The caller has made sure
/// that a person asked.
///
/// # Errors
/// [`Refused`] if nothing is open, or the policy knows other ways out.
pub fn resolve(
    circuit: &Circuit,
    policy: &Policy,
    resolution: String,
    by: Actor,
    now: &Moment,
) -> Result<Step, Refused> {
    if !policy.release.correction {
        return Err(Refused::NotByCorrection);
    }
    if circuit.core.phase.opening().is_none() {
        return Err(Refused::NotOpen);
    }
    let mut work = Work::begin(circuit, policy, now);
    let core = closed(&work.circuit.core);
    let outcome = EntryOutcome {
        transitions: transition(&circuit.core.phase, &core.phase)
            .into_iter()
            .collect(),
        anomalies: Some(Marked::Acknowledged(circuit.anomalies.cited().to_vec())),
        ..plain(core)
    };
    work.push(Event::Resolved { resolution, by }, outcome);
    Ok(work.end_here())
}

impl Trip {
    /// A person's own judgement that a pattern is there. Unlike the rules, they
    /// may name any severity, and one that no pattern stands for.
    #[must_use]
    pub fn by_judgement(
        reason: String,
        by: Actor,
        pattern: Option<Pattern>,
        severity: Severity,
    ) -> Self {
        Self {
            reason,
            by,
            cause: Cause::Pattern { pattern, severity },
        }
    }
}

fn opening(
    primary: &PatternMatch<'_>,
    matches: &[PatternMatch<'_>],
    policy: &Policy,
    now: &Moment,
) -> Opening {
    Opening {
        cause: Cause::Pattern {
            pattern: Some(primary.pattern),
            severity: primary.severity,
        },
        reason: reason(primary, matches.len() - 1),
        rule: primary.pattern.rule(),
        since: *now,
        release: Release::Person,
        evidence: evidence(primary),
        advisory: policy.enforcement != Enforcement::Halt,
        escalate: false,
        placeholder: false,
        unannounced: 0,
    }
}

fn reason(primary: &PatternMatch<'_>, others: usize) -> String {
    let group = primary.group;
    let factor = group.factor.map_or_else(String::new, |factor| {
        format!(" ({})", clip(factor, SHOWN_BYTES))
    });
    let beside = match others {
        0 => String::new(),
        others => format!("; {others} more found"),
    };
    format!(
        "{}{factor}: {} anomalies, {} tasks{beside}",
        primary.pattern.description(),
        group.rows.len(),
        group.tasks.len(),
    )
}

/// The latest of the anomalies that matched.
fn evidence(primary: &PatternMatch<'_>) -> Vec<Evidence> {
    let rows = &primary.group.rows;
    rows[rows.len().saturating_sub(EVIDENCE_SHOWN)..]
        .iter()
        .map(|cited| {
            let anomaly = cited.anomaly;
            let details = &anomaly.details;
            let words = primary
                .pattern
                .words(anomaly)
                .or(details.what.as_deref())
                .unwrap_or("no details");
            Evidence {
                place: Place::Task(clip(&anomaly.task, SHOWN_BYTES).to_owned()),
                found: format!("{}: {}", anomaly.kind.name(), clip(words, SHOWN_BYTES)),
            }
        })
        .collect()
}

/// Everything that is evidence, of every pattern that matched.
fn cited<'a>(matches: &[PatternMatch<'a>]) -> Vec<Cited<'a>> {
    let rows = matches.iter().flat_map(|found| &found.group.rows);
    rows.copied().collect()
}

fn matched(found: &PatternMatch<'_>) -> MatchedPattern {
    MatchedPattern {
        pattern: found.pattern,
        severity: found.severity,
        count: found.group.count,
    }
}
