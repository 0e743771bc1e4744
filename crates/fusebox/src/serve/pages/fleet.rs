//! A fleet: who takes part, what is halted, what is left of shared budgets, who has
//! which task, and what was found.

use fusebox_core::State;
use fusebox_fleet::{BudgetView, IncidentView, LeaseView, Unit, WorkerView};
use fusebox_view::document::{Block, Document, Meter, Text};
use fusebox_view::phrase;

use crate::fleet::words;
use crate::fleet::{Picture, Seen};

/// The most rows of one table.
const MOST: usize = 500;

/// `None` is no fleet at all.
pub(super) fn page(fleet: Option<(&str, &Seen)>) -> Document {
    let title = Text::ours("Fleet");
    let Some((address, seen)) = fleet else {
        let words = "No fleet is configured. `--fleet postgres://…`, FUSEBOX_FLEET or `fleet.url` in your own configuration names one.";
        return Document {
            title,
            blocks: vec![Block::Paragraph(Text::ours(words))],
        };
    };
    let (coordinator, picture) = match seen {
        Seen::Asking => (Text::ours("asked just now"), None),
        Seen::Known(picture) => (Text::state(State::Closed, "ANSWERS"), Some(picture)),
        Seen::Lost(lost, last) => {
            let state = Text::state(State::Open, "NO ANSWER");
            let said = Text::ours(" ").then(Text::theirs(lost.said.as_str()));
            (state.then(said), last.as_ref())
        }
    };
    let mut facts = vec![
        ("coordinator", coordinator),
        ("address", Text::theirs(address)),
    ];
    let heard = picture.map(|picture| ("as of", Text::time(picture.heard_ms)));
    facts.extend(heard);
    let mut blocks = vec![Block::Facts(facts)];
    if let Some(picture) = picture {
        blocks.extend(of_picture(picture));
    }
    Document { title, blocks }
}

fn of_picture(picture: &Picture) -> Vec<Block> {
    let overview = &picture.overview;
    let count = |number: u64| Text::ours(number.to_string());
    let running = overview.tasks.get("running").copied().unwrap_or(0);
    let mut blocks = vec![Block::Tiles(vec![
        ("workers", count(overview.workers)),
        ("known", count(overview.known_workers)),
        ("tasks running", count(running)),
        ("halted", count(overview.halts.len() as u64)),
        ("incidents", count(overview.incidents.len() as u64)),
    ])];
    blocks.extend(section(
        "Halted",
        "Nothing is halted.",
        &["state", "what", "since", "by", "why"],
        overview.halts.iter().map(|halt| {
            vec![
                Text::state(State::Open, "HALTED"),
                Text::theirs(halt.scope.as_str()),
                Text::time(halt.since_ms),
                Text::theirs(halt.by.as_str()),
                Text::theirs(halt.reason.as_str()),
            ]
        }),
    ));
    blocks.extend(section(
        "Shared budgets",
        "No budget is shared.",
        &["whose", "used", "of", "in", "reserved", "next slot"],
        overview.budgets.iter().map(budget),
    ));
    if !overview.budgets.is_empty() {
        blocks.push(Block::Meters(overview.budgets.iter().map(meter).collect()));
    }
    blocks.extend(section(
        "Workers",
        "Nobody has taken part yet.",
        &[
            "machine",
            "repository",
            "agent",
            "seen",
            "tasks",
            "events",
            "release",
        ],
        picture.workers.iter().map(worker),
    ));
    blocks.extend(section(
        "Leases",
        "Nobody has a task.",
        &["task", "repository", "machine", "lease", "attempt", "fence"],
        picture.leases.iter().map(lease),
    ));
    blocks.extend(section(
        "Incidents of the fleet",
        "No pattern was found that is not resolved.",
        &[
            "number",
            "since",
            "where",
            "pattern",
            "in common",
            "severity",
            "members",
        ],
        overview.incidents.iter().map(incident),
    ));
    blocks
}

fn section(
    name: &'static str,
    nothing: &'static str,
    head: &[&'static str],
    rows: impl Iterator<Item = Vec<Text>>,
) -> [Block; 2] {
    let rows: Vec<Vec<Text>> = rows.take(MOST).collect();
    let body = match rows.is_empty() {
        true => Block::Paragraph(Text::ours(nothing)),
        false => Block::Table {
            name,
            head: head.to_vec(),
            rows,
        },
    };
    [Block::Heading(Text::ours(name)), body]
}

fn budget(budget: &BudgetView) -> Vec<Text> {
    let amount = |number: u64| match budget.unit {
        Unit::Calls => phrase::count(number, "call"),
        Unit::Tokens => phrase::count(number, "token"),
        Unit::MicroUsd => phrase::dollars(number),
    };
    vec![
        Text::theirs(budget.scope.as_str()),
        Text::ours(amount(budget.used)),
        Text::ours(amount(budget.most)),
        Text::ours(phrase::duration(budget.span_ms)),
        Text::ours(amount(budget.reserved)),
        Text::ours(words::next_slot(budget)),
    ]
}

/// The same as a bar, money in cents.
fn meter(budget: &BudgetView) -> Meter {
    let (unit, scale) = match budget.unit {
        Unit::Calls => ("calls", 1),
        Unit::Tokens => ("tokens", 1),
        Unit::MicroUsd => ("US cents", 10_000),
    };
    let shown = |number: u64| u32::try_from(number / scale).unwrap_or(u32::MAX);
    Meter {
        name: format!("{}: {unit}", budget.scope),
        value: shown(budget.used),
        threshold: shown(budget.most),
        word: (budget.next_ms != Some(0)).then_some("used up"),
    }
}

fn worker(worker: &WorkerView) -> Vec<Text> {
    let agent = worker.agent.as_deref();
    vec![
        Text::theirs(worker.host.as_str()),
        Text::theirs(worker.repository.as_str()),
        agent.map_or_else(Text::unknown, Text::theirs),
        Text::ours(format!("{} ago", phrase::duration(worker.seen_ms))),
        Text::theirs(worker.tasks.join(", ")),
        Text::ours(worker.delivered.to_string()),
        Text::theirs(worker.version.as_str()),
    ]
}

fn lease(lease: &LeaseView) -> Vec<Text> {
    let host = lease.host.as_deref();
    vec![
        Text::theirs(lease.task.as_str()),
        Text::theirs(lease.repository.as_str()),
        host.map_or_else(Text::unknown, Text::theirs),
        Text::ours(words::lease_end(lease)),
        Text::ours(lease.attempt.to_string()),
        Text::ours(lease.fence.to_string()),
    ]
}

fn incident(incident: &IncidentView) -> Vec<Text> {
    vec![
        Text::ours(incident.id.to_string()),
        Text::time(incident.opened_ms),
        Text::theirs(incident.scope.as_str()),
        Text::theirs(incident.pattern.replace('_', " ")),
        Text::theirs(incident.key.as_str()),
        Text::theirs(incident.severity.as_str()),
        Text::theirs(words::members(incident)),
    ]
}
