//! A log that is sealed goes on in its successor, whatever happens on the way.

use std::fs;

use super::crash::{crash_states, must_go_on};
use super::disk_model::Disk;
use super::power_cut::power_cut_states;
use super::{Bench, add_to, boot, later_boot, sealing_at, tally_of};
use crate::trace::{self, Effect};
use crate::{CircuitName, Facts, Query, ReadModel};

/// The opening record and two others.
pub(crate) const TWO_RECORDS: u64 = 112 + 2 * 83;

const BODIES: [&str; 9] = [
    "one", "two", "six", "ten", "red", "sun", "cat", "dog", "fox",
];

#[test]
fn a_sealed_history_is_read_as_one() {
    let bench = Bench::new();
    let store = bench.sealing(TWO_RECORDS);
    let mut marks = Vec::new();
    for body in BODIES {
        add_to(&store, &[body]).unwrap();
        marks.push(store.log().unwrap().unwrap().end());
    }
    assert_eq!(store.peek().unwrap().state, tally_of(&BODIES));
    let log = store.log().unwrap().unwrap();
    assert_eq!(log.sealed().len(), 4);
    let read_after = |after| {
        let mut reader = log.reader(after);
        let mut bodies = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            bodies.push(String::from_utf8(record.body.to_vec()).unwrap());
        }
        bodies
    };
    assert_eq!(read_after(None), BODIES);
    for (index, mark) in marks.iter().enumerate() {
        assert!(log.contains(mark).unwrap());
        assert_eq!(read_after(Some(*mark)), BODIES[index + 1..]);
        let mut other = *mark;
        other.hash[0] ^= 1;
        assert!(!log.contains(&other).unwrap());
    }
    assert_eq!(store.verify_all().unwrap().unwrap(), log.end());
    assert_eq!(log.pruned(), None);
}

#[test]
fn the_read_model_follows_from_log_to_log() {
    let bench = Bench::new();
    let store = bench.sealing(TWO_RECORDS);
    let circuit: CircuitName = "default".parse().unwrap();
    let mut model = ReadModel::open(&bench.root.path().join("history.db")).unwrap();
    for (index, body) in BODIES.iter().enumerate() {
        add_to(&store, &[body]).unwrap();
        if index % 3 == 0 {
            let log = store.log().unwrap().unwrap();
            let extract = |_: &crate::Record<'_>| Some(Facts::default());
            let indexed = model.catch_up(&circuit, &log, &extract).unwrap();
            assert_eq!(indexed, if index == 0 { 1 } else { 3 });
        }
    }
    let query = Query {
        last: 100,
        ..Query::default()
    };
    let rows = model.rows(&query).unwrap();
    let bodies: Vec<_> = rows.iter().map(|row| row.body.as_slice()).collect();
    assert_eq!(
        bodies,
        BODIES[..7].iter().map(|b| b.as_bytes()).collect::<Vec<_>>()
    );
}

#[test]
fn sealing_is_rare_and_costs_a_bounded_number_of_flushes() {
    let bench = Bench::new();
    let store = bench.sealing(1000);
    let mut flushes = Vec::new();
    for _ in 0..30 {
        let effects = trace::effects_of(|| drop(add_to(&store, &["body"]).unwrap()));
        let is_flush = |e: &&Effect| matches!(e, Effect::Sync(_) | Effect::SyncDirectory(_));
        flushes.push(effects.iter().filter(is_flush).count());
    }
    let usual = flushes[1..].iter().filter(|count| **count == 1).count();
    let sealed = flushes[1..].iter().filter(|count| **count == 5).count();
    assert_eq!((usual, sealed), (27, 2), "{flushes:?}");
}

#[test]
fn a_log_that_cannot_be_sealed_grows() {
    let bench = Bench::new();
    let store = bench.sealing(TWO_RECORDS);
    // Something that cannot be replaced stands where the second name would go.
    add_to(&store, &["one"]).unwrap();
    fs::create_dir(bench.sealed(0)).unwrap();
    for body in &BODIES[1..] {
        add_to(&store, &[body]).unwrap();
    }
    assert_eq!(store.peek().unwrap().state, tally_of(&BODIES));
    fs::remove_dir(bench.sealed(0)).unwrap();
    add_to(&store, &["end"]).unwrap();
    assert_eq!(store.verify_all().unwrap().unwrap().seq, 11);
    assert_eq!(store.log().unwrap().unwrap().sealed().len(), 1);
}

/// A bench whose next update seals the log.
fn about_to_seal() -> Bench {
    let bench = Bench::new();
    let store = bench.sealing(TWO_RECORDS);
    add_to(&store, &BODIES[..1]).unwrap();
    add_to(&store, &BODIES[1..2]).unwrap();
    bench
}

#[test]
fn dying_anywhere_while_sealing_loses_nothing_acknowledged() {
    let bench = about_to_seal();
    let before = Disk::capture(bench.root.path());
    let effects = trace::effects_of(|| {
        add_to(&bench.sealing(TWO_RECORDS), &BODIES[2..4]).unwrap();
    });
    assert!(effects.iter().any(|e| matches!(e, Effect::Link { .. })));
    let states = crash_states(&before, &effects, 1);
    for (index, state) in states.iter().enumerate() {
        // Whoever comes next may seal at once, later or never.
        let segment_bytes = [1, TWO_RECORDS, crate::SEGMENT_BYTES][index % 3];
        let root = state.materialise(bench.root.path());
        let store = sealing_at(root.path(), boot(), segment_bytes);
        let view = must_go_on(&store, 2, &BODIES);
        assert!(
            view.repairs
                .iter()
                .all(|r| !r.is_warning() || view.state.count == 2)
        );
        assert!([2, 4].contains(&view.state.count), "half a batch: {view:?}");
    }
    println!("proof: faults {} crash states of sealing", states.len());
    assert!(states.len() > 500);
}

#[test]
fn dying_again_after_dying_while_sealing_loses_nothing_acknowledged() {
    let bench = about_to_seal();
    let before = Disk::capture(bench.root.path());
    let effects = trace::effects_of(|| {
        add_to(&bench.sealing(TWO_RECORDS), &BODIES[2..3]).unwrap();
    });
    let mut tried = 0;
    for state in crash_states(&before, &effects, 120) {
        let root = state.materialise(bench.root.path());
        let store = sealing_at(root.path(), boot(), TWO_RECORDS);
        let kept = usize::try_from(store.peek().unwrap().state.count).unwrap();
        let expected = [&BODIES[..kept], &["after"]].concat();
        let before = Disk::capture(root.path());
        let effects = trace::effects_of(|| drop(add_to(&store, &["after"]).unwrap()));
        for state in crash_states(&before, &effects, 120) {
            let again = state.materialise(root.path());
            let store = sealing_at(again.path(), boot(), TWO_RECORDS);
            must_go_on(&store, kept as u64, &expected);
            tried += 1;
        }
    }
    println!("proof: faults {tried} states after two crashes while sealing");
    assert!(tried > 100);
}

#[test]
fn a_power_cut_while_sealing_loses_nothing_acknowledged_and_raises_no_alarm() {
    let bench = about_to_seal();
    let before = Disk::capture(bench.root.path());
    let mut history = Vec::new();
    let mut tried = 0;
    for acknowledged in 2..4 {
        let effects = trace::effects_of(|| {
            let store = bench.sealing(TWO_RECORDS);
            add_to(&store, &BODIES[acknowledged..=acknowledged]).unwrap();
        });
        for effect in effects {
            history.push(effect);
            for state in power_cut_states(&before, &history) {
                let root = state.materialise(bench.root.path());
                let store = sealing_at(root.path(), later_boot(), TWO_RECORDS);
                must_go_on(&store, acknowledged as u64, &BODIES);
                tried += 1;
            }
        }
    }
    println!("proof: power-cuts {tried} while sealing");
    assert!(tried > 100);
}
