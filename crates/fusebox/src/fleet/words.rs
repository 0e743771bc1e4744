//! A fleet in words, a line for each thing, with what is to be said first first.

use fusebox_fleet::{BudgetView, HaltView, IncidentView, LeaseView, Overview, Unit};
use fusebox_view::{escape, phrase};

use super::watch::Picture;

/// The widest that a name is shown.
pub(crate) const NAME: usize = 60;
/// The most members of an incident that are named.
const MEMBERS: usize = 5;

/// A name and what there is to say under it.
pub(crate) type Row = (&'static str, String);

/// How a fleet stands.
pub(crate) fn overview(fleet: &Overview) -> Vec<Row> {
    let workers = format!("{} present, {} known", fleet.workers, fleet.known_workers);
    let mut rows = vec![("workers", workers)];
    rows.extend(tasks(fleet).map(|words| ("tasks", words)));
    rows.extend(fleet.budgets.iter().map(|one| ("budget", budget(one))));
    rows.extend(fleet.halts.iter().map(|one| ("HALTED", halt(one))));
    rows.extend(
        fleet
            .incidents
            .iter()
            .map(|one| ("incident", incident(one))),
    );
    rows
}

/// The same, and who has which task.
pub(crate) fn all(picture: &Picture) -> Vec<Row> {
    let mut rows = overview(&picture.overview);
    rows.extend(picture.leases.iter().map(|one| ("lease", lease(one))));
    rows
}

fn tasks(fleet: &Overview) -> Option<String> {
    let tasks = fleet.tasks.iter();
    let counts: Vec<String> = tasks.map(|(state, n)| format!("{n} {state}")).collect();
    let left = match fleet.expired {
        0 => String::new(),
        n => format!("; {} left behind", phrase::count(n, "task")),
    };
    (!counts.is_empty()).then(|| format!("{}{left}", counts.join(", ")))
}

/// Who halted what, and why.
pub(crate) fn halt(halt: &HaltView) -> String {
    format!(
        "{} since {} by {}: {}",
        escape::line(&halt.scope, NAME),
        phrase::time(halt.since_ms),
        escape::line(&halt.by, NAME),
        escape::line(&halt.reason, 200)
    )
}

fn incident(incident: &IncidentView) -> String {
    format!(
        "#{} {} in {} · {} · {}",
        incident.id,
        escape::line(&incident.pattern, NAME),
        escape::line(&incident.scope, NAME),
        escape::line(&incident.key, 120),
        members(incident)
    )
}

/// The first few members of an incident.
pub(crate) fn members(incident: &IncidentView) -> String {
    let members = incident.members.iter().take(MEMBERS);
    let named: Vec<String> = members.map(|one| escape::line(one, NAME)).collect();
    match incident.members.len().saturating_sub(MEMBERS) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn budget(budget: &BudgetView) -> String {
    let reserved = match budget.reserved {
        0 => String::new(),
        n => format!(" ({n} of them reserved)"),
    };
    let next = match budget.next_ms {
        Some(0) => String::new(),
        _ => format!(", {}", next_slot(budget)),
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

/// When something of a budget is to be had again.
pub(crate) fn next_slot(budget: &BudgetView) -> String {
    match budget.next_ms {
        Some(0) => "free now".to_owned(),
        Some(ms) => format!("free in {}", phrase::duration(ms)),
        None => "never free".to_owned(),
    }
}

fn lease(lease: &LeaseView) -> String {
    format!(
        "{} in {} on {} · {} · attempt {}",
        escape::line(&lease.task, NAME),
        escape::line(&lease.repository, NAME),
        escape::line(
            lease.host.as_deref().unwrap_or("a machine that is gone"),
            NAME
        ),
        lease_end(lease),
        lease.attempt,
    )
}

/// When a lease is over, or since when it is.
pub(crate) fn lease_end(lease: &LeaseView) -> String {
    let ms = phrase::duration(lease.left_ms.unsigned_abs());
    if lease.left_ms >= 0 {
        format!("{ms} left")
    } else {
        format!("over for {ms}")
    }
}
