//! A fleet, for programs.

use fusebox_fleet::{LeaseView, Overview, WorkerView};
use fusebox_view::phrase;
use serde::Serialize;

use crate::fleet::Seen;

/// How far a fleet can be seen.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Sight {
    /// There is none.
    None,
    /// It was asked just now.
    Asked,
    Seen,
    /// Nothing is heard of it; what is told is what it said last.
    Lost,
}

/// A fleet, and how far it can be seen.
#[derive(Serialize)]
pub(super) struct FleetData<'a> {
    sight: Sight,
    address: Option<&'a str>,
    /// Why nothing is heard of it, and since when.
    trouble: Option<&'a str>,
    since: Option<String>,
    /// When it was last heard of.
    heard: Option<String>,
    /// As `fusebox fleet status --json` says it.
    overview: Option<&'a Overview>,
    workers: &'a [WorkerView],
    leases: &'a [LeaseView],
}

impl<'a> FleetData<'a> {
    /// `None` is no fleet at all.
    pub(super) fn of(fleet: Option<(&'a str, &'a Seen)>) -> Self {
        let (sight, lost, picture) = match fleet.map(|(_, seen)| seen) {
            None => (Sight::None, None, None),
            Some(Seen::Asking) => (Sight::Asked, None, None),
            Some(Seen::Known(picture)) => (Sight::Seen, None, Some(picture)),
            Some(Seen::Lost(lost, last)) => (Sight::Lost, Some(lost), last.as_ref()),
        };
        Self {
            sight,
            address: fleet.map(|(address, _)| address),
            trouble: lost.map(|lost| lost.said.as_str()),
            since: lost.map(|lost| phrase::time(lost.since_ms)),
            heard: picture.map(|picture| phrase::time(picture.heard_ms)),
            overview: picture.map(|picture| &picture.overview),
            workers: picture.map_or(&[], |picture| &picture.workers),
            leases: picture.map_or(&[], |picture| &picture.leases),
        }
    }
}
