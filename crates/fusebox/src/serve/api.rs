//! What programs ask for. `app/openapi.json` describes it, and a test holds the two
//! against each other.

use fusebox_serve::{Content, Request, Response, Status};

use super::collect::{self, Search};
use super::data::{
    About, AnomalyData, HistoryData, IncidentData, IterationData, IterationsData, LoopData,
    TasksData,
};
use super::fleet_data::FleetData;
use super::{Dashboard, json, number};
use crate::failure::Failure;
use crate::look::iterations;
use crate::look::machine::Place;

/// The most iterations of one page, or lines of history.
const MOST: usize = 500;
/// As many where nobody says how many.
const USUAL: usize = 50;

const OPENAPI: &str = include_str!("app/openapi.json");

impl Dashboard<'_> {
    pub(super) fn api(&self, path: &[&str], request: &Request) -> Option<Response> {
        match path {
            ["openapi.json"] => Some(Response::ok(Content::Json, OPENAPI)),
            ["about"] => Some(json(&About::new(self.actions.is_some()))),
            ["events"] => Some(Response::events(self.feed.subscribe())),
            ["loops"] => Some(shown(self.machine.loops(), |loops| {
                let loops = loops.iter();
                let data = loops.map(|(place, standing)| LoopData::of(place, standing));
                json(&data.collect::<Vec<_>>())
            })),
            ["loops", id] => {
                let place = self.place(id)?;
                Some(json(&LoopData::of(&place, &self.machine.standing(&place))))
            }
            ["loops", id, "iterations"] => Some(self.iterations(&self.place(id)?, request)),
            ["loops", id, "iterations", record] => {
                let place = self.place(id)?;
                let found = self.iteration(&place, record)?;
                Some(json(&IterationData::whole(&place, &found.one)))
            }
            ["incidents"] => Some(shown(collect::incidents(&self.machine), |found| {
                let found = found.into_iter();
                let data = found.map(|(place, incident)| IncidentData::of(&place, incident));
                json(&data.collect::<Vec<_>>())
            })),
            ["anomalies"] => Some(shown(collect::anomalies(&self.machine), |found| {
                let found = found.into_iter();
                let data = found.map(|(place, anomaly)| AnomalyData::of(&place, anomaly));
                json(&data.collect::<Vec<_>>())
            })),
            ["tasks"] => Some(shown(collect::tasks(&self.machine), |lists| {
                json(&lists.iter().map(TasksData::of).collect::<Vec<_>>())
            })),
            ["fleet"] => {
                let fleet = self.fleet();
                let seen = fleet.as_ref().map(|(address, seen)| (*address, seen));
                Some(json(&FleetData::of(seen)))
            }
            ["history"] => Some(match search(request) {
                Err(status) => Response::refused(status),
                Ok(search) => shown(collect::history(&self.machine, &search), |found| {
                    let found = found.iter();
                    let data = found.map(|(place, row)| HistoryData::of(place, row));
                    json(&data.collect::<Vec<_>>())
                }),
            }),
            _ => None,
        }
    }

    fn iterations(&self, place: &Place, request: &Request) -> Response {
        let asked = number(request, "before").and_then(|before| Ok((before, most(request)?)));
        let (before, most) = match asked {
            Ok(asked) => asked,
            Err(status) => return Response::refused(status),
        };
        let page = match self.machine.log(place) {
            Ok(Some(log)) => iterations::page(&log, before, most).ok(),
            Ok(None) => Some(iterations::Page::default()),
            Err(_) => None,
        };
        page.map_or_else(
            || Response::refused(Status::Failed),
            |page| json(&IterationsData::of(&page)),
        )
    }
}

/// What somebody looks for in the past.
pub(super) fn search(request: &Request) -> Result<Search, Status> {
    let given = |name: &str| {
        let text = request.asked(name).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Ok(Search {
        id: given("loop"),
        kind: given("kind"),
        task: given("task"),
        words: given("words"),
        most: most(request)?,
    })
}

fn most(request: &Request) -> Result<usize, Status> {
    let most = number(request, "most")?;
    let most = most.map_or(USUAL, |most| usize::try_from(most).unwrap_or(MOST));
    Ok(most.clamp(1, MOST))
}

fn shown<T>(found: Result<T, Failure>, show: impl FnOnce(T) -> Response) -> Response {
    found.map_or_else(|_| Response::refused(Status::Failed), show)
}
