//! A loop: how it stands, its signals, its incidents, its course and its latest
//! iterations.

use fusebox_serve::{Response, Status};
use fusebox_view::document::{Block, Document, Text};

use super::{address, fragment};
use crate::look::machine::{Machine, Place, Standing};
use crate::report::{self, About, Subject, past};
use crate::speech::shown;

pub(super) fn page(machine: &Machine<'_>, place: &Place, before: Option<u64>) -> Response {
    let outcome = match machine.standing(place) {
        Standing::Known(outcome) => outcome,
        Standing::Busy => return Response::refused(Status::Busy),
        Standing::Unreadable(why) => return fragment(&unreadable(place, why)),
    };
    let about = About::Latest { before };
    let totals = &outcome.circuit.core.totals;
    let log = machine.log(place);
    let past = match log.map(|log| log.map(|log| past::collect(&log, about, totals))) {
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
        link: Some(address(&place.id)),
        live: place.is_live(),
    };
    fragment(&report::document(&subject, &outcome, about, &past))
}

fn unreadable(place: &Place, why: String) -> Document {
    Document {
        title: Text::ours("Loop in ").then(Text::theirs(shown(&place.root))),
        blocks: vec![
            Block::Facts(vec![
                (
                    "state now",
                    Text::state(fusebox_core::State::Open, "UNREADABLE")
                        .then(Text::ours(" which means open")),
                ),
                ("why", Text::theirs(why)),
            ]),
            Block::Paragraph(Text::ours(
                "`fusebox doctor` there says what was found; a person looks at it and resets it.",
            )),
        ],
    }
}
