//! Pieces of HTML: the page of a loop, the page of an iteration.

use fusebox_serve::{Content, Response, Status};
use fusebox_view::document::{Block, Document, Text};
use fusebox_view::phrase;

use super::data::left_behind;
use crate::look::files::Artifact;
use crate::look::iterations::Iteration;
use crate::look::machine::{Machine, Place, Standing};
use crate::report::{self, About, Subject, past};
use crate::speech::shown;

/// A loop: how it stands, its incidents, its course and its latest iterations.
pub(super) fn of_loop(machine: &Machine<'_>, place: &Place) -> Response {
    let outcome = match machine.standing(place) {
        Standing::Known(outcome) => outcome,
        Standing::Busy => return Response::refused(Status::Busy),
        Standing::Unreadable(why) => return fragment(&unreadable(place, why)),
    };
    let log = machine.log(place);
    let totals = &outcome.circuit.core.totals;
    let past = match log.map(|log| log.map(|log| past::collect(&log, About::Latest, totals))) {
        Ok(Some(Ok(past))) => past.unwrap_or_default(),
        Ok(None) => past::Past::default(),
        Ok(Some(Err(error))) | Err(error) => {
            return fragment(&unreadable(place, error.to_string()));
        }
    };
    let subject = Subject {
        root: &place.root,
        circuit: place.id.circuit.as_str(),
        workspace_dir: place.workspace_dir(),
        link: Some(format!("#/loops/{}/iterations/", place.id)),
    };
    fragment(&report::document(&subject, &outcome, About::Latest, &past))
}

fn unreadable(place: &Place, why: String) -> Document {
    Document {
        title: Text::ours("Loop in ").then(Text::theirs(shown(&place.root))),
        blocks: vec![
            Block::Facts(vec![
                ("state now", Text::ours("unreadable, which means open")),
                ("why", Text::theirs(why)),
            ]),
            Block::Paragraph(Text::ours(
                "`fusebox doctor` there says what was found; a person looks at it and resets it.",
            )),
        ],
    }
}

/// An iteration: what came of it, what it changed, what it printed.
pub(super) fn of_iteration(place: &Place, one: &Iteration) -> Response {
    let row = &one.row;
    let mut facts = vec![
        ("time", Text::ours(phrase::time(one.at_ms))),
        ("state after it", Text::ours(one.state.name())),
    ];
    let mut fact = |name, value: Option<Text>| facts.extend(value.map(|value| (name, value)));
    let opened = one.opened.as_ref();
    fact(
        "opened",
        opened.map(|opening| Text::theirs(opening.reason.as_str())),
    );
    fact("task", one.facts.task.as_deref().map(Text::theirs));
    fact(
        "score",
        row.score.map(|score| Text::ours(format!("{score:+}"))),
    );
    fact(
        "files",
        row.files.map(|files| Text::ours(files.to_string())),
    );
    fact(
        "tests",
        row.tests.map(|tests| {
            let (passed, failed, skipped) = (tests.passed, tests.failed, tests.skipped);
            Text::ours(format!(
                "{passed} passed, {failed} failed, {skipped} skipped"
            ))
        }),
    );
    fact(
        "took",
        one.facts
            .duration_ms
            .map(|ms| Text::ours(phrase::duration(ms))),
    );
    let usage = &one.facts.usage;
    fact(
        "tokens",
        usage.tokens().map(|tokens| Text::ours(tokens.to_string())),
    );
    fact(
        "cost",
        usage
            .micro_usd
            .map(|spent| Text::ours(phrase::dollars(spent))),
    );
    let mut blocks = vec![Block::Facts(facts)];
    let errors: Vec<Text> = row
        .errors
        .iter()
        .map(|error| Text::theirs(error.shown.as_str()))
        .collect();
    if !errors.is_empty() {
        blocks.push(Block::Heading(Text::ours("Errors")));
        blocks.push(Block::List(errors));
    }
    let parts = [
        ("What it changed", Artifact::Changes),
        ("What it printed, the end of it", Artifact::Output),
    ];
    for (heading, artifact) in parts {
        blocks.push(Block::Heading(Text::ours(heading)));
        blocks.push(match left_behind(place, one, artifact) {
            Some(text) => Block::Verbatim(text),
            None => Block::Paragraph(Text::ours("Nothing is kept of it.")),
        });
    }
    let title = format!("Iteration {} in ", row.iteration);
    fragment(&Document {
        title: Text::ours(title).then(Text::theirs(shown(&place.root))),
        blocks,
    })
}

fn fragment(document: &Document) -> Response {
    Response::ok(Content::Html, document.fragment())
}
