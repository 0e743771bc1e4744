//! The loops of this machine in a browser: what is answered to which path.
//!
//! Who is answered at all is settled in `fusebox-serve`. Here everything is a look
//! through the read side. Pages come as pieces of HTML that
//! `fusebox_view::document` has rendered, so that hostile text is escaped in the
//! same one place as in a report; the script in the browser puts them into the
//! frame, and makes everything else of data with text nodes alone.

mod data;
mod follow;
mod pages;

use std::io;

use fusebox_serve::{Content, Feed, Request, Response, Server, Status};
use fusebox_view::document::STYLE;
use serde::Serialize;

use crate::look::events::Source;
use crate::look::iterations;
use crate::look::machine::{Machine, Place};
use crate::look::{incidents, metrics};
use data::{IncidentData, IterationData, IterationsData, LoopData};

/// The most iterations of one page.
const MOST: usize = 500;
/// Iterations of a page where nobody says how many.
const USUAL: usize = 50;
/// Changes of state that are looked through for incidents, of each loop.
const CHANGES: usize = 64;

/// Everything there is to see.
pub(crate) struct Dashboard<'a> {
    machine: Machine<'a>,
    feed: Feed,
}

impl<'a> Dashboard<'a> {
    pub(crate) fn new(machine: Machine<'a>) -> Self {
        Self {
            machine,
            feed: Feed::default(),
        }
    }

    /// Answers for as long as connections can be taken.
    pub(crate) fn run(&self, server: &Server) -> io::Result<()> {
        std::thread::scope(|scope| {
            scope.spawn(|| follow::tell_all(&self.machine, &self.feed));
            server.run(&frame, &|request| self.answer(request))
        })
    }

    /// `None` where there is no such thing.
    fn answer(&self, request: &Request) -> Option<Response> {
        let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
        match path[..] {
            ["api", "openapi.json"] => Some(Response::ok(Content::Json, OPENAPI)),
            ["api", "events"] => Some(Response::events(self.feed.subscribe())),
            ["api", "loops"] => Some(self.loops()),
            ["api", "incidents"] => Some(self.incidents()),
            ["api", "loops", id] => {
                let place = self.place(id)?;
                Some(json(&LoopData::of(&place, &self.machine.standing(&place))))
            }
            ["api", "loops", id, "iterations"] => self.iterations(&self.place(id)?, request),
            ["api", "loops", id, "iterations", record] => {
                let place = self.place(id)?;
                let one = self.iteration(&place, record)?;
                Some(json(&IterationData::whole(&place, &one)))
            }
            ["pages", "loops", id] => Some(pages::of_loop(&self.machine, &self.place(id)?)),
            ["pages", "loops", id, "iterations", record] => {
                let place = self.place(id)?;
                let one = self.iteration(&place, record)?;
                Some(pages::of_iteration(&place, &one))
            }
            ["metrics"] => Some(match metrics::text(&self.machine) {
                Ok(text) => Response::ok(Content::Text, text),
                Err(_) => Response::refused(Status::Failed),
            }),
            _ => None,
        }
    }

    fn place(&self, id: &str) -> Option<Place> {
        let places = self.machine.places().ok()?;
        places.into_iter().find(|place| place.id.to_string() == id)
    }

    fn loops(&self) -> Response {
        let Ok(places) = self.machine.places() else {
            return Response::refused(Status::Failed);
        };
        let standings: Vec<_> = places
            .iter()
            .map(|place| (place, self.machine.standing(place)))
            .collect();
        let loops = standings
            .iter()
            .map(|(place, standing)| LoopData::of(place, standing));
        json(&loops.collect::<Vec<_>>())
    }

    fn iterations(&self, place: &Place, request: &Request) -> Option<Response> {
        let number = |name: &str| request.asked(name).map(str::parse::<u64>).transpose();
        let (Ok(before), Ok(most)) = (number("before"), number("most")) else {
            return Some(Response::refused(Status::BadRequest));
        };
        let most = most.and_then(|most| usize::try_from(most).ok());
        let most = most.unwrap_or(USUAL).clamp(1, MOST);
        let page = match self.machine.log(place) {
            Ok(Some(log)) => iterations::page(&log, before, most).ok(),
            Ok(None) => Some(iterations::Page::default()),
            Err(_) => None,
        };
        Some(page.map_or_else(
            || Response::refused(Status::Failed),
            |page| json(&IterationsData::of(&page)),
        ))
    }

    fn iteration(&self, place: &Place, record: &str) -> Option<iterations::Iteration> {
        let log = self.machine.log(place).ok()??;
        iterations::one(&log, record.parse().ok()?).ok()?
    }

    fn incidents(&self) -> Response {
        let Ok(places) = self.machine.places() else {
            return Response::refused(Status::Failed);
        };
        let mut found = Vec::new();
        for place in &places {
            if let Ok(Some(log)) = self.machine.log(place)
                && let Ok(incidents) = incidents::page(&log, None, CHANGES)
            {
                found.extend(
                    incidents
                        .into_iter()
                        .map(|incident| IncidentData::of(place, incident)),
                );
            }
        }
        found.sort_by_key(|incident| std::cmp::Reverse(incident.opened_ms()));
        json(&found)
    }
}

const OPENAPI: &str = include_str!("app/openapi.json");

/// What anybody may have: the frame, without anything in it.
fn frame(request: &Request) -> Option<Response> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    match path[..] {
        [] => Some(Response::ok(Content::Html, include_str!("app/index.html"))),
        ["app.js"] => Some(Response::ok(Content::Script, include_str!("app/app.js"))),
        ["app.css"] => {
            let style = format!("{STYLE}{}", include_str!("app/app.css"));
            Some(Response::ok(Content::Css, style))
        }
        _ => None,
    }
}

fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => Response::ok(Content::Json, body),
        Err(_) => Response::refused(Status::Failed),
    }
}

/// Whose events they are, for a line of the stream.
fn source<'p>(place: &'p Place, workspace: &'p str) -> Source<'p> {
    Source {
        id: &place.id,
        workspace,
    }
}
