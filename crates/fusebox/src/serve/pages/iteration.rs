//! An iteration: what came of it, what it changed, what it printed.

use fusebox_view::document::{Block, Document, Text};
use fusebox_view::phrase;

use super::address;
use crate::look::calls;
use crate::look::files::Artifact;
use crate::look::iterations::Iteration;
use crate::look::machine::Place;
use crate::serve::Neighbours;
use crate::serve::data::left_behind;
use crate::speech::shown;
use crate::trail::calls::CallEnd;

/// The most file names that are listed.
const PATHS: usize = 200;

pub(super) fn page(place: &Place, found: &Neighbours) -> Document {
    let one = &found.one;
    let mut blocks = vec![
        Block::Paragraph(beside(place, found)),
        Block::Facts(facts(one)),
    ];
    let lists = [
        ("Errors", errors(one)),
        ("Files that changed", paths(one)),
        ("Evidence of the opening", evidence(one)),
    ];
    for (heading, items) in lists {
        if !items.is_empty() {
            blocks.push(Block::Heading(Text::ours(heading)));
            blocks.push(Block::List(items));
        }
    }
    blocks.extend(tools(place, one));
    let nothing = || Block::Paragraph(Text::ours("Nothing is kept of it."));
    blocks.push(Block::Heading(Text::ours("What it changed")));
    let changes = left_behind(place, one, Artifact::Changes);
    blocks.push(changes.map_or_else(nothing, Block::Diff));
    blocks.push(Block::Heading(Text::ours("What it printed, the end of it")));
    let output = left_behind(place, one, Artifact::Output);
    blocks.push(output.map_or_else(nothing, Block::Verbatim));
    let title = format!("Iteration {} in ", one.row.iteration);
    Document {
        title: Text::ours(title).then(Text::theirs(shown(&place.root))),
        blocks,
    }
}

/// The tools that it called, where that is known.
fn tools(place: &Place, one: &Iteration) -> Vec<Block> {
    let known = calls::read(place, one);
    if known.calls.is_empty() {
        return Vec::new();
    }
    let rows = known.calls.iter().map(|call| {
        let came = match call.outcome {
            Some(CallEnd::Succeeded) => "succeeded",
            Some(CallEnd::Failed) => "failed",
            Some(CallEnd::Denied) => "denied",
            None => "no answer",
        };
        let took = call.took_ms.map(phrase::duration);
        vec![
            Text::ours(phrase::duration(call.after_ms)),
            Text::theirs(call.tool.as_str()),
            Text::ours(came),
            took.map_or_else(Text::unknown, Text::ours),
        ]
    });
    vec![
        Block::Heading(Text::ours("Tools that it called")),
        Block::Table {
            name: "Tools that it called",
            head: vec!["after", "tool", "came", "took"],
            rows: rows.collect(),
        },
    ]
}

/// Where to go from here.
fn beside(place: &Place, found: &Neighbours) -> Text {
    let base = address(&place.id);
    let mut links = Text::link("The loop", base.clone());
    let sides = [
        ("The iteration before", found.before),
        ("The iteration after", found.after),
    ];
    for (words, record) in sides {
        if let Some(record) = record {
            let to = format!("{base}/iterations/{record}");
            links = links.then(Text::ours(" · ")).then(Text::link(words, to));
        }
    }
    links
}

fn facts(one: &Iteration) -> Vec<(&'static str, Text)> {
    let (row, usage) = (&one.row, &one.facts.usage);
    let opened = one.opened.as_ref().map(|opening| opening.reason.as_str());
    let tests = row.tests.map(|tests| {
        let (passed, failed, skipped) = (tests.passed, tests.failed, tests.skipped);
        format!("{passed} passed, {failed} failed, {skipped} skipped")
    });
    let ours = |text: Option<String>| text.map(Text::ours);
    let facts = [
        ("time", Some(Text::time(one.at_ms))),
        (
            "state after it",
            Some(Text::state(one.state, one.state.name())),
        ),
        ("opened", opened.map(Text::theirs)),
        ("task", one.facts.task.as_deref().map(Text::theirs)),
        ("score", ours(row.score.map(|score| format!("{score:+}")))),
        ("files", ours(row.files.map(|files| files.to_string()))),
        ("tests", ours(tests)),
        ("took", ours(one.facts.duration_ms.map(phrase::duration))),
        (
            "tokens",
            ours(usage.tokens().map(|tokens| tokens.to_string())),
        ),
        ("cost", ours(usage.micro_usd.map(phrase::dollars))),
    ];
    let known = facts.into_iter();
    known
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

fn errors(one: &Iteration) -> Vec<Text> {
    let errors = one.row.errors.iter();
    errors
        .map(|error| Text::theirs(error.shown.as_str()))
        .collect()
}

fn paths(one: &Iteration) -> Vec<Text> {
    let paths = one.facts.files.seen().map_or(&[][..], |files| &files.paths);
    paths.iter().take(PATHS).map(Text::theirs).collect()
}

fn evidence(one: &Iteration) -> Vec<Text> {
    let rows = one.opened.iter().flat_map(|opening| &opening.evidence);
    rows.map(|row| {
        Text::theirs(row.place.to_string())
            .then(Text::ours(": "))
            .then(Text::theirs(row.found.as_str()))
    })
    .collect()
}
