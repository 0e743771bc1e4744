//! What an iteration came to, in the one line that people read.

use fusebox_supervise::StepEnd;
use fusebox_view::phrase;

use super::iteration::Came;
use super::step_end;
use crate::session::measure::only_about_itself;

/// The line without the number that it begins with.
pub(super) fn of(came: &Came, duration_ms: u64) -> String {
    let mut parts = Vec::new();
    parts.push(match &came.changes {
        Some(changes) if changes.total == 0 => "nothing changed".into(),
        Some(changes) if changes.meaningful == 0 => only_about_itself(changes)
            .unwrap_or_else(|| "only white space or permissions changed".into()),
        Some(changes) => format!(
            "{} changed (+{} −{})",
            phrase::count(changes.meaningful as u64, "file"),
            changes.added_lines,
            changes.deleted_lines
        ),
        None => "what changed is unknown".into(),
    });
    parts.push(step_end::words(came));
    if let (StepEnd::TimedOut(_), Some(calls)) = (came.report.end, came.tool_calls) {
        parts.push(format!("{} completed", phrase::count(calls, "tool call")));
    }
    parts.push(phrase::duration(duration_ms));
    let usage = &came.facts.usage;
    parts.extend(usage.tokens().map(|tokens| phrase::count(tokens, "token")));
    parts.extend(usage.micro_usd.map(phrase::dollars));
    parts.extend(came.moves.iter().cloned());
    if let Some(tests) = came.facts.tests.seen() {
        parts.push(format!(
            "tests {} passed, {} failed",
            tests.passed, tests.failed
        ));
    }
    if came
        .facts
        .checks_failed
        .seen()
        .is_some_and(|failed| *failed > 0)
    {
        parts.push("tests failed".into());
    }
    if came.report.killed > 0 {
        parts.push(format!(
            "{} had to be killed",
            phrase::count(u64::from(came.report.killed), "process")
        ));
    }
    parts.join(" · ")
}
