//! Iterations as pictures and as a table.

use fusebox_view::chart::{Chart, Mark, Series};
use fusebox_view::document::{Block, Text};
use fusebox_view::phrase;

use super::past::Past;
use crate::look::iterations::Iteration;

/// The most rows of the table, the latest.
const ROWS: usize = 200;

/// A number of an iteration, if it is known.
type Number = fn(&Iteration) -> Option<f64>;

/// The pictures: their title, and the lines of each.
const CHARTS: [(&str, &[(&str, Number)]); 6] = [
    ("score", &[("score", |one| one.row.score.map(f64::from))]),
    (
        "files changed",
        &[("files", |one| one.row.files.map(float))],
    ),
    (
        "tests",
        &[
            ("passed", |one| Some(f64::from(one.row.tests?.passed))),
            ("failed", |one| Some(f64::from(one.row.tests?.failed))),
        ],
    ),
    (
        "errors",
        &[("errors", |one| one.row.error_count.map(f64::from))],
    ),
    (
        "tokens",
        &[("tokens", |one| one.facts.usage.tokens().map(float))],
    ),
    (
        "cost in US dollars",
        &[("cost", |one| Some(float(one.facts.usage.micro_usd?) / 1e6))],
    ),
];

/// The pictures of which anything is known.
pub(super) fn charts(past: &Past) -> Vec<Block> {
    let marks: Vec<Mark> = past
        .iterations
        .iter()
        .filter_map(|one| {
            Some(Mark {
                iteration: one.row.iteration,
                what: format!("opened: {}", one.opened.as_ref()?.reason),
            })
        })
        .collect();
    let charts = CHARTS.iter().map(|(title, lines)| Chart {
        title: format!("{title} by iteration"),
        series: lines.iter().map(|line| series(line, past)).collect(),
        marks: marks.clone(),
    });
    let drawn: Vec<Block> = charts
        .filter(|chart| !chart.is_empty())
        .map(Block::Chart)
        .collect();
    if drawn.is_empty() {
        return drawn;
    }
    let heading = Block::Heading(Text::ours("Course"));
    let words = "A dotted line from top to bottom marks an iteration that opened the breaker.";
    let words = Block::Paragraph(Text::ours(words));
    [heading, words].into_iter().chain(drawn).collect()
}

fn series((name, number): &(&str, Number), past: &Past) -> Series {
    let points = past.iterations.iter();
    Series {
        name: (*name).to_owned(),
        points: points.map(|one| (one.row.iteration, number(one))).collect(),
    }
}

/// The table of the latest iterations.
pub(super) fn iterations(past: &Past, link: Option<&str>) -> Vec<Block> {
    let surplus = past.iterations.len().saturating_sub(ROWS);
    let mut blocks = vec![Block::Heading(Text::ours("Iterations"))];
    let missing = past.left_out.saturating_add(surplus as u64);
    if missing > 0 {
        let words = format!(
            "{} before these are not shown.",
            phrase::count(missing, "iteration")
        );
        blocks.push(Block::Paragraph(Text::ours(words)));
    }
    blocks.push(Block::Table {
        head: vec![
            "iteration",
            "time",
            "state",
            "score",
            "files",
            "tests",
            "errors",
            "took",
            "tokens",
            "cost",
            "task",
            "first error",
        ],
        rows: past.iterations[surplus..]
            .iter()
            .map(|one| row(one, link))
            .collect(),
    });
    blocks
}

fn row(one: &Iteration, link: Option<&str>) -> Vec<Text> {
    let known = |text: Option<String>| Text::ours(text.unwrap_or_else(|| "unknown".into()));
    let row = &one.row;
    let tests = row.tests.map(|tests| {
        format!(
            "{} passed, {} failed, {} skipped",
            tests.passed, tests.failed, tests.skipped
        )
    });
    let usage = &one.facts.usage;
    let theirs = |text: Option<&str>| text.map_or_else(Text::default, Text::theirs);
    vec![
        match link {
            Some(base) => Text::link(row.iteration.to_string(), format!("{base}{}", one.record)),
            None => Text::ours(row.iteration.to_string()),
        },
        Text::ours(phrase::time(one.at_ms)),
        Text::ours(one.state.name()),
        known(row.score.map(|score| format!("{score:+}"))),
        known(row.files.map(|files| files.to_string())),
        known(tests),
        known(row.error_count.map(|errors| errors.to_string())),
        known(one.facts.duration_ms.map(phrase::duration)),
        known(usage.tokens().map(|tokens| tokens.to_string())),
        known(usage.micro_usd.map(phrase::dollars)),
        theirs(one.facts.task.as_deref()),
        theirs(row.errors.first().map(|error| error.shown.as_str())),
    ]
}

/// No count of ours is so large that a picture of it suffers.
fn float(count: u64) -> f64 {
    count as f64
}
