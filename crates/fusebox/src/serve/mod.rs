//! The loops of this machine in a browser: what is answered to which path.
//!
//! Who is answered at all is settled in `fusebox-serve`. Here everything is a look
//! through the read side ([`collect`]), shown twice: as data for programs ([`api`])
//! and as pieces of HTML for people ([`pages`]), which `fusebox_view::document`
//! renders, so that hostile text is escaped in the same one place as in a report. The
//! script in the browser puts the pieces into the frame, and makes the little that it
//! makes itself of text nodes alone. What a page may ask for is in [`act`].

mod act;
mod api;
mod collect;
mod data;
mod fleet_data;
mod follow;
mod pages;
mod peer;

use std::io;

use fusebox_serve::{Content, Feed, Method, Request, Response, Server, Status};
use fusebox_view::document::STYLE;
use serde::Serialize;

use crate::clock::Clock;
use crate::fleet::{DEADLINE, Seen, Watch};
use crate::look::events::Source;
use crate::look::machine::{Machine, Place};
use crate::look::{iterations, metrics};

#[cfg(feature = "fuzzing")]
pub(crate) use act::asked_with;
pub(crate) use act::{Actions, BODY_BYTES};

/// Everything there is to see.
pub(crate) struct Dashboard<'a> {
    machine: Machine<'a>,
    clock: Clock,
    feed: Feed,
    /// Absent where there is none.
    fleet: Option<Watch>,
    /// Absent where nothing may be asked for.
    actions: Option<Actions>,
}

impl<'a> Dashboard<'a> {
    pub(crate) fn new(
        machine: Machine<'a>,
        clock: Clock,
        fleet: Option<Watch>,
        actions: Option<Actions>,
    ) -> Self {
        Self {
            machine,
            clock,
            feed: Feed::default(),
            fleet,
            actions,
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
        match (request.method, &path[..]) {
            (Method::Post, ["api", "loops", id, word]) if act::WORDS.contains(word) => {
                let place = self.place(id)?;
                let now_ms = self.clock.now().wall_ms;
                let actions = self.actions.as_ref()?;
                Some(actions.perform(self.machine.global(), &place, word, request, now_ms))
            }
            (Method::Post, _) => Some(Response::refused(Status::MethodNotAllowed)),
            (_, ["api", "loops", _, word]) if act::WORDS.contains(word) => {
                Some(Response::refused(Status::MethodNotAllowed))
            }
            (_, ["api", rest @ ..]) => self.api(rest, request),
            (_, ["pages", rest @ ..]) => self.page(rest, request),
            (_, ["metrics"]) => Some(match metrics::text(&self.machine) {
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

    /// The fleet, if there is one: where it is, and how it stands. A server that is dead
    /// is waited for by whoever looks first, and for no longer than a moment.
    fn fleet(&self) -> Option<(&str, Seen)> {
        let watch = self.fleet.as_ref()?;
        Some((&watch.address, watch.look(DEADLINE)))
    }

    /// An iteration, with those around it that are near: the one before and the one
    /// after, if they are known.
    fn iteration(&self, place: &Place, record: &str) -> Option<Neighbours> {
        /// How far behind an iteration the next is looked for, in records.
        const NEAR: u64 = 32;
        let record: u64 = record.parse().ok()?;
        let log = self.machine.log(place).ok()??;
        let most = usize::try_from(NEAR).unwrap_or(usize::MAX) + 2;
        let page = iterations::page(&log, record.checked_add(NEAR), most).ok()?;
        let mut around = page.iterations;
        let index = around.iter().position(|one| one.record == record)?;
        let before = index.checked_sub(1).map(|index| around[index].record);
        let after = around.get(index + 1).map(|one| one.record);
        Some(Neighbours {
            one: around.swap_remove(index),
            before,
            after,
        })
    }
}

/// An iteration and the records of those beside it.
struct Neighbours {
    one: iterations::Iteration,
    before: Option<u64>,
    after: Option<u64>,
}

/// What anybody may have: the frame, without anything in it.
fn frame(request: &Request) -> Option<Response> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    match path[..] {
        [] => Some(Response::ok(Content::Html, include_str!("app/index.html"))),
        ["app.js"] => Some(Response::ok(Content::Script, include_str!("app/app.js"))),
        ["icon.svg"] => Some(Response::ok(Content::Picture, include_str!("app/icon.svg"))),
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

/// A number that was asked for; `None` is all of it.
fn number(request: &Request, name: &str) -> Result<Option<u64>, Status> {
    let given = request.asked(name).map(str::parse::<u64>).transpose();
    given.map_err(|_| Status::BadRequest)
}

/// Whose events they are, for a line of the stream.
fn source<'p>(place: &'p Place, workspace: &'p str) -> Source<'p> {
    Source {
        id: &place.id,
        workspace,
    }
}
