//! What is written down of each iteration for people and their tools.

use std::fmt::Write as _;

use fusebox_core::Observation;
use fusebox_core::circuit::{Row, State};
use fusebox_core::fact::Fact;
use fusebox_core::observation::{ErrorReport, TestCounts};
use fusebox_view::answer::label;
use fusebox_view::{escape, phrase};
use serde::Serialize;

use super::listener::Heard;
use crate::session::Outcome;

/// The widest that a line of foreign text becomes.
const WIDTH: usize = 200;

/// The errors that were met.
#[derive(Debug, Serialize)]
pub(super) struct Errors<'a> {
    /// Whether anybody could tell.
    known: bool,
    errors: &'a [ErrorReport],
}

/// What it took.
#[derive(Debug, Serialize)]
pub(super) struct Metrics<'a> {
    duration_ms: Option<u64>,
    output_lines: Option<u64>,
    files_changed: Option<u64>,
    tests: Option<TestCounts>,
    permission_denials: Option<u32>,
    tool_calls: u64,
    tool_calls_completed: u64,
    calls: Option<u32>,
    input_tokens: Option<u64>,
    cached_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cost_micro_usd: Option<u64>,
    /// Whether tokens and cost are all there is, or a lower bound.
    usage_is_complete: bool,
    ended: &'a str,
    said: &'a str,
    results: u64,
    session: Option<&'a str>,
}

/// What the agent says of itself, beside what was measured.
#[derive(Debug, Serialize)]
pub(super) struct CompletionSignals {
    claimed_complete: Option<bool>,
    claimed_exit: Option<bool>,
    claimed_files: Option<u64>,
    measured_files: Option<u64>,
    tests_failed: Option<u32>,
    checks_failed: Option<u32>,
    required_files_missing: Option<u32>,
    criteria_unmet: Option<u32>,
}

impl<'a> Errors<'a> {
    pub(super) fn of(facts: &'a Observation) -> Self {
        Self {
            known: !matches!(facts.errors, Fact::Unknown),
            errors: facts.errors.seen().map_or(&[], Vec::as_slice),
        }
    }
}

impl<'a> Metrics<'a> {
    pub(super) fn of(facts: &Observation, heard: &'a Heard) -> Self {
        let (usage, end) = (&facts.usage, &heard.end);
        Self {
            duration_ms: facts.duration_ms,
            output_lines: facts.output_lines.seen().copied(),
            files_changed: facts.files.seen().map(|files| files.count),
            tests: facts.tests.seen().copied(),
            permission_denials: facts.permission_denials.seen().copied(),
            tool_calls: heard.activity.tool_calls,
            tool_calls_completed: heard.activity.tool_calls_completed,
            calls: usage.calls,
            input_tokens: usage.input_tokens,
            cached_tokens: usage.cached_tokens,
            output_tokens: usage.output_tokens,
            cost_micro_usd: usage.micro_usd,
            usage_is_complete: end.usage_is_complete,
            ended: end.class.name(),
            said: &end.detail,
            results: end.results,
            session: end.session.as_deref(),
        }
    }
}

impl CompletionSignals {
    pub(super) fn of(facts: &Observation) -> Self {
        Self {
            claimed_complete: facts.claimed.complete,
            claimed_exit: facts.claimed.exit_signal,
            claimed_files: facts.claimed.files_modified,
            measured_files: facts.files.seen().map(|files| files.count),
            tests_failed: facts.tests.seen().map(|tests| tests.failed),
            checks_failed: facts.checks_failed.seen().copied(),
            required_files_missing: facts.required_missing.seen().copied(),
            criteria_unmet: facts.criteria_unmet.seen().copied(),
        }
    }
}

/// The iteration that an account is about.
pub(crate) struct Ran<'a> {
    pub(crate) iteration: u64,
    /// The state it ran in: it was the probe, or it was not.
    pub(crate) state: State,
    /// What the engine made of it. The circuit keeps no row of a probe.
    pub(crate) row: Option<&'a Row>,
}

/// The iteration as a block of Markdown, line by line what people log.
pub(crate) fn status_block(facts: &Observation, ran: &Ran<'_>, outcome: &Outcome) -> String {
    let decision = &outcome.decision;
    let Ran { iteration, row, .. } = ran;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "- {name}: {value}");
    };
    let state = match ran.state {
        State::Watching => outcome.policy.labels.closed,
        state => label(&outcome.policy.labels, state),
    };
    line("Circuit state", state);
    line("Tasks completed", &told(&facts.tasks_completed));
    let files = facts.files.seen().map(|files| match &files.paths[..] {
        [] => files.count.to_string(),
        paths => list(paths.iter().map(String::as_str)),
    });
    line("Files modified", &files.unwrap_or_else(unknown));
    let tests = facts.tests.seen().map(|tests| {
        format!(
            "{} passed, {} failed, {} skipped",
            tests.passed, tests.failed, tests.skipped
        )
    });
    let failed = facts.checks_failed.seen().is_some_and(|failed| *failed > 0);
    let tests = tests.or_else(|| failed.then(|| "failed".to_owned()));
    line("Tests", &tests.unwrap_or_else(unknown));
    let errors = facts.errors.seen().map(|errors| match &errors[..] {
        [] => "none".to_owned(),
        errors => list(errors.iter().map(|error| error.message.as_str())),
    });
    line("Errors encountered", &errors.unwrap_or_else(unknown));
    let score = row.and_then(|row| row.score);
    let score = score.map(|score| format!("{score:+}"));
    line("Progress score", &score.unwrap_or_else(unknown));
    line("API calls remaining", &decision.calls.left.to_string());
    line("Stagnation risk", decision.risk.word());
    let time = phrase::time(outcome.now.wall_ms);
    format!("## Iteration {iteration} — {time}\n\n{text}")
}

/// A number, and whose word it is.
fn told(count: &Fact<u32>) -> String {
    match count {
        Fact::Measured(count) => count.to_string(),
        Fact::Claimed(count) => format!("{count}, as the agent says"),
        Fact::Unknown => unknown(),
    }
}

fn unknown() -> String {
    "unknown".into()
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let shown: Vec<String> = items.map(|item| escape::line(item, WIDTH)).collect();
    shown.join(", ")
}
