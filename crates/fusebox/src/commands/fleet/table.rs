//! A fleet, for people.

use std::fmt::Write as _;
use std::time::Duration;

use fusebox_fleet::{Overview, PatternView, WorkerView};
use fusebox_view::{escape, phrase};

use crate::fleet::words::{self, NAME};

pub(super) fn overview(address: &str, fleet: &Overview) -> String {
    let mut out = format!("{:<15} {}\n", "fleet", escape::line(address, 200));
    for (name, words) in words::overview(fleet) {
        let _ = writeln!(out, "{name:<15} {words}");
    }
    out
}

pub(super) fn workers(workers: &[WorkerView]) -> String {
    let mut out = String::new();
    for worker in workers {
        let tasks: Vec<String> = worker
            .tasks
            .iter()
            .map(|task| escape::line(task, NAME))
            .collect();
        let agent = worker.agent.as_deref().unwrap_or("-");
        let _ = writeln!(
            out,
            "{}  {:<20} {:<20} {:<10} seen {} ago  {}",
            &worker.id[..8.min(worker.id.len())],
            escape::line(&worker.host, 20),
            escape::line(&worker.repository, 20),
            escape::line(agent, 10),
            phrase::duration(worker.seen_ms),
            tasks.join(", ")
        );
    }
    out
}

pub(super) fn span(span: Duration) -> String {
    phrase::duration(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}

pub(super) fn patterns(patterns: &[PatternView]) -> String {
    let mut out = String::new();
    for pattern in patterns {
        let _ = writeln!(
            out,
            "{:<24} {:<42} {:<20} {}",
            escape::line(&pattern.name, NAME),
            bounds(pattern),
            escape::line(&pattern.severity, NAME),
            escape::line(&pattern.about, 100),
        );
    }
    out
}

/// From when on a pattern is one, and what follows.
pub(super) fn bounds(pattern: &PatternView) -> String {
    let follows = if pattern.halts {
        "halts the repository"
    } else {
        "halts nobody"
    };
    let span = phrase::duration(pattern.span_ms);
    format!("{} within {span}, {follows}", pattern.threshold)
}
