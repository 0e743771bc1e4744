//! Events: each once, in spite of everything, and none missed by a reader.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use fusebox_fleet::{Coordinator, Event};
use postgres::Client;

use super::support::{Fleet, enrolled};

fn event(number: u64) -> Event {
    Event {
        number,
        kind: "reported".into(),
        task: Some("T-1".into()),
        fence: Some(1),
        fields: serde_json::json!({"text": "a\u{0}b"}),
        marks: Vec::new(),
    }
}

/// Everything behind a place, and the new place.
fn read(client: &mut Client, place: (i64, i64)) -> (Vec<i64>, (i64, i64)) {
    let rows = client
        .query(
            "select * from fusebox.events_after($1, $2, 1000)",
            &[&place.0, &place.1],
        )
        .unwrap();
    let numbers = rows.iter().map(|row| row.get("number")).collect();
    let place = rows
        .last()
        .map_or(place, |row| (row.get("xid"), row.get("id")));
    (numbers, place)
}

#[test]
fn a_batch_that_arrives_twice_or_in_parts_is_there_once() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let events: Vec<Event> = (1..=9).map(event).collect();
    assert_eq!(coordinator.deliver(&worker, 5, &events[..5]).unwrap(), 5);
    assert_eq!(coordinator.deliver(&worker, 5, &events[..5]).unwrap(), 5);
    assert_eq!(coordinator.deliver(&worker, 9, &events[2..]).unwrap(), 9);
    assert_eq!(coordinator.deliver(&worker, 3, &events[..3]).unwrap(), 9);
    // Numbers that say nothing to anybody move the place all the same.
    assert_eq!(coordinator.deliver(&worker, 20, &[]).unwrap(), 20);
    let (numbers, _) = read(&mut fleet.admin(), (0, 0));
    assert_eq!(numbers, (1..=9).collect::<Vec<i64>>());
}

#[test]
fn a_reader_never_misses_what_is_committed_late() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let (slow, quick) = (
        enrolled(&mut coordinator, "r"),
        enrolled(&mut coordinator, "r"),
    );
    let (mut writer, mut reader) = (fleet.admin(), fleet.admin());
    let mut late = writer.transaction().unwrap();
    let batch = serde_json::to_string(&[event(100)]).unwrap();
    let batch = batch.replace("\\u0000", "");
    late.execute(
        "select fusebox.deliver($1, 100, $2)",
        &[&slow.id.as_str(), &batch],
    )
    .unwrap();
    coordinator.deliver(&quick, 1, &[event(1)]).unwrap();
    let (mut seen, mut place) = read(&mut reader, (0, 0));
    late.commit().unwrap();
    // Whatever else the server is doing holds readers up, and makes them miss nothing.
    let until = Instant::now() + Duration::from_secs(20);
    while seen.len() < 2 && Instant::now() < until {
        let (more, next) = read(&mut reader, place);
        seen.extend(more);
        place = next;
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert_eq!(
        seen.into_iter().collect::<BTreeSet<_>>(),
        BTreeSet::from([1, 100])
    );
}

#[test]
fn old_days_are_dropped_and_new_ones_prepared() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let mut admin = fleet.admin();
    admin
        .batch_execute(
            "create table fusebox.event_20200101 partition of fusebox.event
                 for values from ('2020-01-01') to ('2020-01-02');
             insert into fusebox.event(at, worker, number, repository, kind, fields)
                 values ('2020-01-01 12:00', 'somebody', 1, 'r', 'x', '{}');",
        )
        .unwrap();
    coordinator.tend().unwrap();
    let days = "select count(*) from pg_inherits where inhparent = 'fusebox.event'::regclass";
    let days: i64 = admin.query_one(days, &[]).unwrap().get(0);
    // Today, three days to come, and the rest.
    assert_eq!(days, 5);
    assert!(read(&mut admin, (0, 0)).0.is_empty());
}
