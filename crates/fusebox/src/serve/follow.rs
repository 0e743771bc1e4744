//! Telling everybody who watches what happens, found out once.

use std::collections::BTreeMap;
use std::time::Duration;

use fusebox_serve::Feed;
use fusebox_store::Mark;

use super::source;
use crate::look::events::{self, Since};
use crate::look::machine::{LoopId, Machine, Place};

/// How long to rest between two looks.
const PULSE: Duration = Duration::from_millis(250);

/// How far a loop's events were told.
struct Told {
    stamp: Option<(u64, u64)>,
    end: Option<Mark>,
}

/// Tells what happens from now on. While nobody watches, nothing is looked at.
pub(super) fn tell_all(machine: &Machine<'_>, feed: &Feed) {
    let mut told: BTreeMap<LoopId, Told> = BTreeMap::new();
    let mut begun = false;
    loop {
        std::thread::sleep(PULSE);
        if !feed.is_watched() {
            told.clear();
            begun = false;
            continue;
        }
        for place in machine.places().unwrap_or_default() {
            tell(machine, feed, &mut told, &place, begun);
        }
        begun = true;
    }
}

fn tell(
    machine: &Machine<'_>,
    feed: &Feed,
    told: &mut BTreeMap<LoopId, Told>,
    place: &Place,
    begun: bool,
) {
    let stamp = place.stamp();
    let known = told.get(&place.id);
    if known.is_some_and(|known| known.stamp == stamp) {
        return;
    }
    // A log that is busy or cannot be read is tried again with its next change.
    let Ok(Some(log)) = machine.log(place) else {
        return;
    };
    let since = match known.map(|known| known.end) {
        Some(Some(end)) => Some(Since::Mark(end)),
        // A loop that appears while somebody watches is told from its beginning.
        None if begun => Some(Since::Beginning),
        _ => None,
    };
    if let Some(since) = since {
        let workspace = place.root.to_string_lossy();
        let told = events::since(&log, &since, &source(place, &workspace), &mut |line| {
            if let Ok(line) = serde_json::to_string(line) {
                feed.tell(&line);
            }
            true
        });
        if told.is_err() {
            return;
        }
    }
    let end = Some(log.end());
    told.insert(place.id.clone(), Told { stamp, end });
}
