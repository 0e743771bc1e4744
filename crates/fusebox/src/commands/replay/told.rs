//! What is said of recorded sessions, to people and to programs.

use std::fmt::Write;

use fusebox_core::calls::CallVerdict;
use fusebox_replay::{Point, Savings, Told, Verdicts};
use fusebox_view::{escape, phrase};
use serde::Serialize;

use super::Judged;
use crate::speech::Speech;

/// The widest that a session's name is shown.
const NAME: usize = 60;
/// The widest that a reason is shown.
const REASON: usize = 300;

/// One verdict as data.
#[derive(Serialize)]
struct Line<'a> {
    source: &'a str,
    session: &'a str,
    level: &'static str,
    call: u32,
    verdict: &'static str,
    signal: &'static str,
    reason: String,
    confidence: u8,
    calls: u32,
    saved: Saved,
}

/// What would have been saved, as data.
#[derive(Serialize)]
struct Saved {
    calls: u32,
    tokens: Option<u64>,
    cost_usd: Option<f64>,
    ms: Option<u64>,
}

/// A line for the first warning and the first trip of each session.
pub(super) fn lines(speech: Speech, files: &[Judged]) {
    for session in files.iter().flat_map(|file| &file.sessions) {
        let verdicts = &session.outcome;
        for (level, point) in [("warn", verdicts.warned()), ("trip", verdicts.tripped())] {
            if let Some(point) = point {
                speech.json(&line(session, level, point));
            }
        }
    }
}

fn line<'a>(session: &'a Told<Verdicts>, level: &'static str, point: &Point) -> Line<'a> {
    let saved = session.tally.since(&point.tally);
    Line {
        source: &session.source,
        session: &session.session,
        level,
        call: point.tally.calls,
        verdict: point.verdict.level.name(),
        signal: signal(&point.verdict),
        reason: reason(&point.verdict),
        confidence: confidence(&point.verdict),
        calls: session.tally.calls,
        saved: Saved {
            calls: saved.calls,
            tokens: saved.tokens,
            #[expect(clippy::cast_precision_loss, reason = "money is shown, not added up")]
            cost_usd: saved.micro_usd.map(|micro| micro as f64 / 1e6),
            ms: saved.ms,
        },
    }
}

/// The weightiest signal behind a verdict.
pub(super) fn signal(verdict: &CallVerdict) -> &'static str {
    verdict
        .evidence
        .first()
        .map_or("none", |evidence| evidence.signal.name())
}

/// How sure that one is, in percent.
pub(super) fn confidence(verdict: &CallVerdict) -> u8 {
    verdict
        .evidence
        .first()
        .map_or(0, |evidence| evidence.confidence)
}

/// Why, in a line.
pub(super) fn reason(verdict: &CallVerdict) -> String {
    let mut reason = String::new();
    for evidence in &verdict.evidence {
        let separator = if reason.is_empty() { "" } else { "; " };
        let (name, value, threshold) = (evidence.signal.name(), evidence.value, evidence.threshold);
        let _ = write!(reason, "{separator}{name} {value} (from {threshold})");
    }
    if !verdict.message.is_empty() {
        let separator = if reason.is_empty() { "" } else { ": " };
        reason.push_str(separator);
        reason.push_str(&verdict.message);
    }
    reason
}

/// What would have happened, session by session, and the sum.
pub(super) fn table(files: &[Judged], all: bool) -> String {
    let mut text = String::new();
    let sessions: Vec<_> = files.iter().flat_map(|file| &file.sessions).collect();
    for session in &sessions {
        if all || session.outcome.warned().is_some() {
            tell(session, &mut text);
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&sum(&sessions));
    text
}

fn tell(session: &Told<Verdicts>, text: &mut String) {
    let verdicts = &session.outcome;
    let calls = phrase::count(session.tally.calls.into(), "call");
    let name = escape::line(&session.session, NAME);
    let _ = writeln!(
        text,
        "{name}  {} · {calls}",
        escape::line(&session.source, NAME)
    );
    let warned = verdicts
        .warned()
        .filter(|point| Some(*point) != verdicts.tripped());
    if let Some(point) = warned {
        let reason = escape::line(&reason(&point.verdict), REASON);
        let _ = writeln!(
            text,
            "  would warn after call {}: {reason}",
            point.tally.calls
        );
    }
    if let Some(point) = verdicts.tripped() {
        let reason = escape::line(&reason(&point.verdict), REASON);
        let saved = saved(&session.tally.since(&point.tally));
        let _ = writeln!(
            text,
            "  would stop after call {}: {reason}",
            point.tally.calls
        );
        let _ = writeln!(text, "    saved: {saved}");
    }
}

fn sum(sessions: &[&Told<Verdicts>]) -> String {
    let tripped = sessions.iter().filter_map(|session| {
        let point = session.outcome.tripped()?;
        Some(session.tally.since(&point.tally))
    });
    let tripped: Vec<Savings> = tripped.collect();
    let warned = sessions
        .iter()
        .filter(|session| session.outcome.warned().is_some())
        .count();
    let all = phrase::count(sessions.len() as u64, "session");
    let calls: u64 = sessions
        .iter()
        .map(|session| u64::from(session.tally.calls))
        .sum();
    let mut text = format!(
        "{all}, {}: {} would have been warned, {} would have been stopped\n",
        phrase::count(calls, "call"),
        warned,
        tripped.len()
    );
    if let Some(total) = tripped.into_iter().reduce(|sum, next| sum.plus(&next)) {
        let _ = writeln!(text, "saved by stopping: {}", saved(&total));
    }
    text
}

/// What would have been saved, as far as it is known.
pub(super) fn saved(savings: &Savings) -> String {
    let share = 100 * u64::from(savings.calls) / u64::from(savings.of_calls.max(1));
    let mut parts = vec![format!(
        "{} of {} ({share} %)",
        phrase::count(savings.calls.into(), "call"),
        savings.of_calls
    )];
    parts.extend(savings.tokens.map(|tokens| phrase::count(tokens, "token")));
    parts.extend(savings.micro_usd.map(phrase::dollars));
    parts.extend(savings.ms.map(phrase::duration));
    parts.join(", ")
}
