//! All loops of this machine, those that need somebody first.

use fusebox_core::State;
use fusebox_core::signals::Progress;
use fusebox_view::answer::label;
use fusebox_view::document::{Block, Document, Text};
use fusebox_view::phrase;

use super::named;
use crate::look::machine::{Place, Standing};
use crate::session::Outcome;

const COLUMNS: [&str; 10] = [
    "loop",
    "state",
    "risk",
    "running",
    "iterations",
    "last change",
    "score",
    "calls left",
    "cost",
    "why",
];

pub(super) fn page(loops: &[(Place, Standing)], now_ms: i64) -> Document {
    let title = Text::ours("Loops of this machine");
    if loops.is_empty() {
        let words = "No loop has a memory here yet. `fusebox run -- CMD` starts one; `fusebox demo` shows how it ends.";
        return Document {
            title,
            blocks: vec![Block::Paragraph(Text::ours(words))],
        };
    }
    let mut order: Vec<&(Place, Standing)> = loops.iter().collect();
    order.sort_by_cached_key(|(place, standing)| {
        let live = place.is_live();
        let needs = is_open(standing);
        (!(needs && live), !live, !needs, place.root.clone())
    });
    Document {
        title,
        blocks: vec![
            Block::Tiles(tiles(loops)),
            Block::Table {
                name: "All loops, those that need somebody first",
                head: COLUMNS.to_vec(),
                rows: order
                    .iter()
                    .map(|one| row(&one.0, &one.1, now_ms))
                    .collect(),
            },
        ],
    }
}

/// What cannot be read counts as open.
fn is_open(standing: &Standing) -> bool {
    match standing {
        Standing::Known(outcome) => outcome.decision.state == State::Open,
        Standing::Busy => false,
        Standing::Unreadable(_) => true,
    }
}

fn tiles(loops: &[(Place, Standing)]) -> Vec<(&'static str, Text)> {
    let known = || {
        loops.iter().filter_map(|(_, standing)| match standing {
            Standing::Known(outcome) => Some(&outcome.circuit.core),
            Standing::Busy | Standing::Unreadable(_) => None,
        })
    };
    let count = |number: usize| Text::ours(number.to_string());
    let live = loops.iter().filter(|(place, _)| place.is_live()).count();
    let open = loops
        .iter()
        .filter(|(_, standing)| is_open(standing))
        .count();
    let iterations: u64 = known().map(|core| core.totals.reported).sum();
    let spent = known().fold(0_u64, |sum, core| sum.saturating_add(core.totals.micro_usd));
    vec![
        ("loops", count(loops.len())),
        ("running", count(live)),
        ("open", count(open)),
        ("iterations", Text::ours(iterations.to_string())),
        ("spent", Text::ours(phrase::dollars(spent))),
    ]
}

fn row(place: &Place, standing: &Standing, now_ms: i64) -> Vec<Text> {
    let live = place.is_live();
    let running = Text::ours(if live { "yes" } else { "no" });
    let (state, why) = match standing {
        Standing::Known(outcome) => {
            let run = outcome.last_run(live);
            let running = match run.filter(|run| run.paused().is_some()) {
                Some(_) => Text::ours("paused"),
                None => running,
            };
            return known(place, outcome, running, now_ms);
        }
        Standing::Busy => (Text::ours("busy"), "its memory is being written just now"),
        Standing::Unreadable(why) => (Text::state(State::Open, "UNREADABLE"), why.as_str()),
    };
    let mut cells = vec![named(place), state, Text::unknown(), running];
    cells.resize_with(COLUMNS.len() - 1, Text::unknown);
    cells.push(Text::theirs(why));
    cells
}

fn known(place: &Place, outcome: &Outcome, running: Text, now_ms: i64) -> Vec<Text> {
    let (decision, circuit) = (&outcome.decision, &outcome.circuit);
    let word = label(&outcome.policy.labels, decision.state);
    let rows = &circuit.rows;
    let changed = rows.iter().rev().find(|row| row.progress == Progress::Made);
    let changed = changed.map(|row| {
        let ago = u64::try_from(now_ms.saturating_sub(row.at_ms)).unwrap_or(0);
        format!("{} ago", phrase::duration(ago))
    });
    vec![
        named(place),
        Text::state(decision.state, word),
        Text::ours(decision.risk.word()),
        running,
        Text::ours(circuit.core.iterations.to_string()),
        changed.map_or_else(|| Text::ours("none lately"), Text::ours),
        Text::curve(rows.iter().map(|row| row.score).collect()),
        Text::ours(format!(
            "{} of {}",
            decision.calls.left, decision.calls.limit
        )),
        match circuit.core.totals.micro_usd {
            0 => Text::unknown(),
            spent => Text::ours(phrase::dollars(spent)),
        },
        Text::theirs(decision.reason.as_str()),
    ]
}
