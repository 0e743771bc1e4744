//! What people look at: a file for each page.

mod fleet;
mod history;
mod incidents;
mod iteration;
mod of_loop;
mod overview;
mod tasks;

use std::path::Path;

use fusebox_serve::{Content, Request, Response, Status};
use fusebox_view::document::{Document, Text};

use super::api::search;
use super::{Dashboard, collect, number};
use crate::failure::Failure;
use crate::look::machine::{LoopId, Place};
use crate::speech::shown;

impl Dashboard<'_> {
    pub(super) fn page(&self, path: &[&str], request: &Request) -> Option<Response> {
        let machine = &self.machine;
        match path {
            ["overview"] => {
                Some(written(machine.loops().map(|loops| {
                    overview::page(&loops, self.clock.now().wall_ms)
                })))
            }
            ["loops", id] => {
                let place = self.place(id)?;
                Some(match number(request, "before") {
                    Ok(before) => of_loop::page(machine, &place, before),
                    Err(status) => Response::refused(status),
                })
            }
            ["loops", id, "iterations", record] => {
                let place = self.place(id)?;
                let found = self.iteration(&place, record)?;
                Some(fragment(&iteration::page(&place, &found)))
            }
            ["incidents"] => {
                let found = collect::incidents(machine)
                    .and_then(|incidents| Ok((incidents, collect::anomalies(machine)?)));
                Some(written(found.map(|(incidents, anomalies)| {
                    incidents::page(&incidents, &anomalies)
                })))
            }
            ["tasks"] => Some(written(
                collect::tasks(machine).map(|lists| tasks::page(&lists)),
            )),
            ["fleet"] => {
                let fleet = self.fleet();
                let seen = fleet.as_ref().map(|(address, seen)| (*address, seen));
                Some(fragment(&fleet::page(seen)))
            }
            ["history"] => Some(match search(request) {
                Ok(search) => written(
                    collect::history(machine, &search)
                        .map(|found| history::page(&found, search.most)),
                ),
                Err(status) => Response::refused(status),
            }),
            _ => None,
        }
    }
}

fn written(page: Result<Document, Failure>) -> Response {
    page.map_or_else(
        |_| Response::refused(Status::Failed),
        |page| fragment(&page),
    )
}

fn fragment(document: &Document) -> Response {
    Response::ok(Content::Html, document.fragment())
}

/// Where the page of a loop is.
fn address(id: &LoopId) -> String {
    format!("#/loops/{id}")
}

/// A loop by its directory, which leads to its page.
fn named(place: &Place) -> Text {
    let circuit = &place.id.circuit;
    let name = name(&place.root);
    let name = match circuit.as_str() {
        "default" => name,
        circuit => format!("{name} ({circuit})"),
    };
    Text::link_of_theirs(name, address(&place.id))
}

/// The end of a path is what people call a project by.
fn name(root: &Path) -> String {
    let last = root.file_name().map(Path::new);
    shown(last.unwrap_or(root))
}
