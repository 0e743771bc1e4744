//! Looking at what is kept: pages from the end, a glance, all workspaces.

use std::fs;
use std::time::Duration;

use super::sealing::TWO_RECORDS;
use super::{Bench, add_to, boot, code, location_in, quick_directory, tally_of};
use crate::{Homes, Location, Log, Page, Record, Store, Tamper, locate, survey};

fn log_of(bodies: &[&str], segment_bytes: u64) -> (Bench, Log) {
    let bench = Bench::new();
    let store = bench.sealing(segment_bytes);
    for body in bodies {
        add_to(&store, &[body]).unwrap();
    }
    let log = store.log().unwrap().unwrap();
    (bench, log)
}

fn bodies(page: &Page) -> Vec<String> {
    let text = |body: &[u8]| String::from_utf8(body.to_vec()).unwrap();
    let records = page.records.iter();
    records.map(|record| text(record.record().body)).collect()
}

#[test]
fn pages_follow_each_other_to_the_beginning() {
    let all: Vec<String> = (10..40).map(|n| format!("b{n}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    for segment_bytes in [TWO_RECORDS, 1_000, 100_000] {
        let (_bench, log) = log_of(&all, segment_bytes);
        for size in [1, 3, 7, 100] {
            let (mut read, mut before) = (Vec::new(), None);
            loop {
                let page = log.page(before, size, &|_| true).unwrap();
                assert!(page.records.len() <= size);
                let mut these = bodies(&page);
                these.append(&mut read);
                read = these;
                match page.earlier {
                    earlier @ Some(_) => before = earlier,
                    None => break,
                }
            }
            assert_eq!(read, all, "{size} of {segment_bytes}");
        }
    }
}

#[test]
fn a_page_of_what_is_rare_stops_early_and_goes_on() {
    let mut all = vec!["rare"];
    all.extend(["some"; 20]);
    let (_bench, log) = log_of(&all, TWO_RECORDS);
    let rare = |record: &Record<'_>| record.body == b"rare";
    let (mut before, mut pages) = (None, 0);
    loop {
        let page = log.page(before, 5, &rare).unwrap();
        pages += 1;
        match page.earlier {
            Some(_) => assert_eq!(bodies(&page), [""; 0]),
            None => {
                assert_eq!(bodies(&page), ["rare"]);
                break;
            }
        }
        before = page.earlier;
    }
    assert!(pages > 2, "{pages} pages");
}

#[test]
fn reading_begins_with_the_file_that_matters() {
    let all = ["one", "two", "six", "ten", "red", "sun"];
    let (_bench, log) = log_of(&all, TWO_RECORDS);
    let count = |mut reader: crate::LogReader<'_>| {
        let mut seqs = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            seqs.push(record.seq);
        }
        seqs
    };
    let last = log.end().seq;
    assert_eq!(count(log.reader_around(0)), count(log.reader(None)));
    let from_last = count(log.reader_around(last));
    assert!(from_last.len() <= 2 && from_last.contains(&last));
    // Every file of this test says it was made at the same time.
    assert_eq!(count(log.reader_since(0)), count(log.reader(None)));
    assert_eq!(count(log.reader_since(1)), from_last);
}

#[test]
fn a_glance_needs_no_lock_and_tells_of_damage_that_was_found() {
    let bench = Bench::new();
    assert_eq!(bench.store().glance().unwrap(), None);
    bench.add("a").unwrap();
    bench.add("b").unwrap();
    let log = fs::File::open(bench.log()).unwrap();
    log.lock().unwrap();
    assert_eq!(bench.store().glance().unwrap(), Some(tally_of(&["a", "b"])));
    drop(log);
    let tamper = Tamper::LogCut {
        path: bench.log(),
        seq: 2,
    };
    bench.store().quarantine(&tamper, 1).unwrap();
    assert_eq!(code(bench.store().glance()), code(bench.store().peek()));
}

#[test]
fn a_log_that_is_read_at_leisure_keeps_nobody_waiting() {
    let bench = Bench::with(&["a"]);
    let log = bench.store().log().unwrap().unwrap();
    let impatient = Store::<super::Tally>::open(Location {
        patience: Duration::from_millis(5),
        ..location_in(bench.root.path(), boot())
    });
    add_to(&impatient.unwrap(), &["b"]).unwrap();
    assert_eq!(log.verify().unwrap().seq, 1, "what was opened stays so");
}

#[test]
fn a_home_that_cannot_be_listed_is_not_an_empty_one() {
    let place = quick_directory();
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    let homes = Homes {
        person: None,
        state: file,
        heads: place.path().join("heads"),
    };
    assert!(survey(&homes).is_err());
}

#[test]
fn all_workspaces_are_listed_with_their_circuits() {
    let place = quick_directory();
    let homes = Homes {
        person: None,
        state: place.path().join("state"),
        heads: place.path().join("heads"),
    };
    assert_eq!(survey(&homes).unwrap(), []);
    for (root, circuits) in [("two", &["b", "a"][..]), ("one", &["default"])] {
        let root = place.path().join(root);
        fs::create_dir(&root).unwrap();
        fs::write(root.join("fusebox.toml"), "").unwrap();
        let located = locate(&root, &homes).unwrap();
        located.register().unwrap();
        for circuit in circuits {
            let location = located.circuit(&circuit.parse().unwrap(), boot());
            add_to(&Store::open(location).unwrap(), &["x"]).unwrap();
        }
        // A directory that is gone keeps its memory.
        fs::remove_dir_all(&root).unwrap();
    }
    let kept = survey(&homes).unwrap();
    for kept in &kept {
        assert_eq!(kept.workspace_dir(), homes.state.join(&kept.id));
    }
    let told: Vec<_> = kept
        .iter()
        .map(|kept| {
            let names: Vec<&str> = kept.circuits.iter().map(|name| name.as_str()).collect();
            (kept.root.file_name().unwrap().to_str().unwrap(), names)
        })
        .collect();
    assert_eq!(told, [("two", vec!["a", "b"]), ("one", vec!["default"])]);
    for kept in &kept {
        for circuit in &kept.circuits {
            let location = kept.circuit(circuit, boot());
            let view = Store::<super::Tally>::open(location).unwrap().peek();
            assert_eq!(view.unwrap().state, tally_of(&["x"]));
        }
    }
}
