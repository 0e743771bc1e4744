//! Iterations as pictures and as a table.

use fusebox_core::Decision;
use fusebox_core::signals::{Level, Signal};
use fusebox_view::chart::{Chart, Mark, Series};
use fusebox_view::document::{Block, Meter, Text};
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

/// What was counted against what it takes to speak, the closest first.
pub(super) fn signals(decision: &Decision) -> Vec<Block> {
    let mut meters: Vec<Meter> = decision
        .readings
        .iter()
        .filter(|reading| reading.value > 0)
        .filter_map(|reading| {
            Some(Meter {
                // A score is better the higher it is; what is counted is the contrary.
                name: match reading.signal {
                    Signal::Score => "score below zero".to_owned(),
                    signal => signal.name().replace('_', " "),
                },
                value: reading.value,
                threshold: reading.threshold?,
                word: match reading.level {
                    Level::Quiet => None,
                    Level::Warn => Some("warning"),
                    Level::Trip => Some("tripped"),
                },
            })
        })
        .collect();
    let heading = Block::Heading(Text::ours("Signals against their thresholds"));
    if meters.is_empty() {
        return vec![
            heading,
            Block::Paragraph(Text::ours("All of them are at zero.")),
        ];
    }
    meters.sort_by_key(|meter| {
        let share = u64::from(meter.value) * 1_000 / u64::from(meter.threshold).max(1);
        (meter.word.is_none(), std::cmp::Reverse(share))
    });
    vec![heading, Block::Meters(meters)]
}

/// The pictures of which anything is known.
pub(super) fn charts(past: &Past) -> Vec<Block> {
    // One iteration has no course.
    if past.iterations.len() < 2 {
        return Vec::new();
    }
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

/// The table of the latest iterations: in their order in a report, the latest first
/// where somebody looks while it goes on.
pub(super) fn iterations(past: &Past, link: Option<&str>) -> Vec<Block> {
    let surplus = past.iterations.len().saturating_sub(ROWS);
    let mut blocks = vec![Block::Heading(Text::ours("Iterations"))];
    if past.iterations.is_empty() {
        blocks.push(Block::Paragraph(Text::ours("None.")));
        return blocks;
    }
    let missing = past.left_out.saturating_add(surplus as u64);
    if missing > 0 {
        let words = format!(
            "{} before these are not shown.",
            phrase::count(missing, "iteration")
        );
        blocks.push(Block::Paragraph(Text::ours(words)));
    }
    let shown = past.iterations[surplus..].iter();
    let mut rows: Vec<_> = shown.map(|one| row(one, link)).collect();
    if link.is_some() {
        rows.reverse();
    }
    blocks.push(Block::Table {
        name: "Iterations",
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
        rows,
    });
    if let (Some(base), Some(earlier)) = (link, past.earlier) {
        let to = format!("{base}?before={earlier}");
        blocks.push(Block::Paragraph(Text::link("Earlier iterations", to)));
    }
    blocks
}

fn row(one: &Iteration, link: Option<&str>) -> Vec<Text> {
    let known = |text: Option<String>| text.map_or_else(Text::unknown, Text::ours);
    let row = &one.row;
    let tests = row.tests.map(|tests| {
        format!(
            "{} passed, {} failed, {} skipped",
            tests.passed, tests.failed, tests.skipped
        )
    });
    let tests = tests.or_else(|| {
        let failed = one.facts.checks_failed.seen()?;
        Some(if *failed > 0 { "failed" } else { "passed" }.to_owned())
    });
    let usage = &one.facts.usage;
    let theirs = |text: Option<&str>| text.map_or_else(Text::default, Text::theirs);
    vec![
        match link {
            Some(base) => {
                let to = format!("{base}/iterations/{}", one.record);
                Text::link(row.iteration.to_string(), to)
            }
            None => Text::ours(row.iteration.to_string()),
        },
        Text::time(one.at_ms),
        Text::state(one.state, one.state.name()),
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
