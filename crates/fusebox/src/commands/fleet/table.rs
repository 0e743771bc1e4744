//! A fleet, for people.

use std::fmt::Write as _;
use std::time::Duration;

use fusebox_fleet::{BudgetView, Overview, Unit, WorkerView};
use fusebox_view::{escape, phrase};

/// The widest that a name is shown.
const NAME: usize = 60;

pub(super) fn overview(address: &str, fleet: &Overview) -> String {
    let mut out = String::new();
    let mut row = |name: &str, words: &str| {
        let _ = writeln!(out, "{name:<15} {words}");
    };
    row("fleet", &escape::line(address, 200));
    row(
        "workers",
        &format!("{} present, {} known", fleet.workers, fleet.known_workers),
    );
    let tasks: Vec<String> = fleet
        .tasks
        .iter()
        .map(|(state, n)| format!("{n} {state}"))
        .collect();
    if !tasks.is_empty() {
        let left = match fleet.expired {
            0 => String::new(),
            n => format!("; {} left behind", phrase::count(n, "task")),
        };
        row("tasks", &format!("{}{left}", tasks.join(", ")));
    }
    for budget in &fleet.budgets {
        row("budget", &words(budget));
    }
    for halt in &fleet.halts {
        let since = phrase::time(halt.since_ms);
        row(
            "HALTED",
            &format!(
                "{} since {since} by {}: {}",
                escape::line(&halt.scope, NAME),
                escape::line(&halt.by, NAME),
                escape::line(&halt.reason, 200)
            ),
        );
    }
    for incident in &fleet.incidents {
        let members: Vec<String> = incident
            .members
            .iter()
            .take(5)
            .map(|one| escape::line(one, NAME))
            .collect();
        row(
            "incident",
            &format!(
                "#{} {} in {} · {} · {}",
                incident.id,
                escape::line(&incident.pattern, NAME),
                escape::line(&incident.scope, NAME),
                escape::line(&incident.key, 120),
                members.join(", ")
            ),
        );
    }
    out
}

fn words(budget: &BudgetView) -> String {
    let next = match budget.next_ms {
        Some(0) => String::new(),
        Some(ms) => format!(", free in {}", phrase::duration(ms)),
        None => ", never free".to_owned(),
    };
    let reserved = match budget.reserved {
        0 => String::new(),
        n => format!(" ({n} of them reserved)"),
    };
    format!(
        "{} {} of {} {} in {}{reserved}{next}",
        escape::line(&budget.scope, NAME),
        budget.used,
        budget.most,
        match budget.unit {
            Unit::Calls => "calls",
            Unit::Tokens => "tokens",
            Unit::MicroUsd => "micro-USD",
        },
        phrase::duration(budget.span_ms)
    )
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
