//! What happened, found by what it was about.

use fusebox_view::document::{Block, Document, Text};
use fusebox_view::phrase;

use super::{address, named};
use crate::look::history::{Line, Row};
use crate::look::machine::Place;
use crate::look::metrics::STATES;

pub(super) fn page(found: &[(Place, Row)], most: usize) -> Document {
    let table = Block::Table {
        name: "What happened, the latest first",
        head: vec![
            "time",
            "loop",
            "what",
            "state",
            "iteration",
            "task",
            "files",
            "why",
            "error",
        ],
        rows: found.iter().map(|(place, row)| cells(place, row)).collect(),
    };
    let words = match found.len() {
        0 => "Nothing matches.".to_owned(),
        count if count == most => format!("The latest {count} that match."),
        count => format!("{} found.", phrase::count(count as u64, "line")),
    };
    let mut blocks = vec![Block::Paragraph(Text::ours(words))];
    if !found.is_empty() {
        blocks.push(table);
    }
    Document {
        title: Text::ours("History"),
        blocks,
    }
}

fn cells(place: &Place, row: &Row) -> Vec<Text> {
    let line = Line::of(row);
    let known = |text: Option<String>| text.map_or_else(Text::unknown, Text::ours);
    let theirs = |text: Option<&str>| text.map_or_else(Text::default, Text::theirs);
    let iteration = line.iteration.map(|number| number.to_string());
    vec![
        Text::time(i64::try_from(row.facts.at_ms).unwrap_or(i64::MAX)),
        named(place),
        Text::ours(line.kind),
        line.state.map_or_else(Text::default, state),
        match iteration {
            // Only what was reported has a page.
            Some(number) if line.kind == "reported" => {
                let to = format!("{}/iterations/{}", address(&place.id), line.seq);
                Text::link(number, to)
            }
            other => known(other),
        },
        theirs(line.task),
        known(line.files_changed.map(|files| files.to_string())),
        theirs(line.reason),
        theirs(line.error),
    ]
}

/// A state by its name in the index.
fn state(name: &str) -> Text {
    let known = STATES.into_iter().find(|state| state.name() == name);
    known.map_or_else(|| Text::ours(name), |state| Text::state(state, name))
}
