//! What is pruned is gone, and known to be.

use std::fs;
use std::time::Duration;

use super::crash::{crash_states, must_go_on};
use super::disk_model::Disk;
use super::power_cut::power_cut_states;
use super::sealing::TWO_RECORDS;
use super::{Bench, add_to, boot, code, later_boot, sealing_at, tally_of};
use crate::trace;
use crate::{CircuitName, Facts, Pruned, Query, ReadModel, Retention, SEGMENT_BYTES};

const BODIES: [&str; 9] = [
    "one", "two", "six", "ten", "red", "sun", "cat", "dog", "fox",
];
const NOTHING_KEPT: Retention = Retention {
    age: Duration::ZERO,
    bytes: 0,
};
/// Later than the present, by which the files were written.
const LATER: u64 = 4_000_000_000_000;

/// Four sealed logs, which begin with the records 0, 3, 6 and 9, and a live one.
fn sealed_often() -> Bench {
    let bench = Bench::new();
    for body in BODIES {
        add_to(&bench.sealing(TWO_RECORDS), &[body]).unwrap();
    }
    bench
}

fn left(bench: &Bench) -> Vec<u64> {
    let all = [0, 3, 6, 9, 12];
    all.into_iter()
        .filter(|seq| bench.sealed(*seq).exists())
        .collect()
}

#[test]
fn the_oldest_go_first_by_age_and_by_bytes_and_the_newest_stays() {
    let size = fs::metadata(sealed_often().sealed(3)).unwrap().len();
    let day = Duration::from_secs(86_400);
    let table = [
        // age, bytes, now, what is left
        (day, u64::MAX, 1_000, vec![0, 3, 6, 9]),
        (day, u64::MAX, LATER, vec![9, 12]),
        // By their own word they are a day old; by the file system's they are new.
        (day, u64::MAX, 86_500_000, vec![0, 3, 6, 9]),
        (day, 3 * size, 1_000, vec![3, 6, 9, 12]),
        (day, 2 * size, 1_000, vec![6, 9, 12]),
        (day, 0, 1_000, vec![9, 12]),
    ];
    for (age, bytes, now, expected) in table {
        let bench = sealed_often();
        let store = bench.store();
        let retention = Retention { age, bytes };
        let would = store.prunable(now, &retention).unwrap();
        assert_eq!(left(&bench), [0, 3, 6, 9], "a look removes nothing");
        let pruned = store.prune(now, &retention).unwrap();
        assert_eq!((pruned, left(&bench)), (would, expected), "{retention:?}");
        assert_eq!(store.peek().unwrap().state, tally_of(&BODIES));
        store.verify_all().unwrap();
    }
}

#[test]
fn what_was_pruned_is_remembered_and_the_rest_is_still_missed() {
    let bench = sealed_often();
    let store = bench.store();
    assert_eq!(store.log().unwrap().unwrap().pruned(), None);
    let pruned = store.prune(LATER, &NOTHING_KEPT).unwrap();
    assert_eq!((pruned.segments, pruned.records), (3, 9));
    let past = store.log().unwrap().unwrap().pruned().unwrap();
    assert_eq!((past.records, past.last.seq), (9, 8));
    add_to(&bench.sealing(1), &["end"]).unwrap();
    assert_eq!(store.log().unwrap().unwrap().pruned(), Some(past));
    store.verify_all().unwrap();
    // The records 9 to 13 are the next to go; what is gone is not counted again.
    let would = store.prunable(LATER, &NOTHING_KEPT).unwrap();
    assert_eq!((would.segments, would.records), (2, 5));
    fs::remove_file(bench.sealed(9)).unwrap();
    assert_eq!(code(store.verify_all()), "segment-missing");
    assert_eq!(code(store.prune(LATER, &NOTHING_KEPT)), "segment-missing");
    assert_eq!(code(store.peek()), "segment-missing", "it is latched");
}

#[test]
fn nothing_to_prune_writes_nothing() {
    for bench in [Bench::new(), Bench::with(&["one"])] {
        let effects = trace::effects_of(|| {
            let pruned = bench.store().prune(LATER, &NOTHING_KEPT).unwrap();
            assert_eq!(pruned, Pruned::default());
        });
        assert!(effects.is_empty(), "{effects:?}");
    }
}

#[test]
fn the_read_model_forgets_what_was_pruned() {
    let bench = sealed_often();
    let circuit: CircuitName = "default".parse().unwrap();
    let path = bench.root.path().join("history.db");
    let catch_up = |model: &mut ReadModel| {
        let log = bench.store().log().unwrap().unwrap();
        let extract = |_: &crate::Record<'_>| Some(Facts::default());
        model.catch_up(&circuit, &log, &extract).unwrap();
        let query = Query {
            last: 100,
            ..Query::default()
        };
        let rows = model.rows(&query).unwrap();
        rows.iter().map(|row| row.seq).collect::<Vec<_>>()
    };
    let mut followed = ReadModel::open(&path).unwrap();
    assert_eq!(catch_up(&mut followed), [1, 2, 4, 5, 7, 8, 10, 11, 13]);
    bench.store().prune(LATER, &NOTHING_KEPT).unwrap();
    assert_eq!(catch_up(&mut followed), [10, 11, 13]);
    // One that begins afterwards, and one that had stopped in the pruned past.
    let mut fresh = ReadModel::open(&path.with_extension("fresh")).unwrap();
    assert_eq!(catch_up(&mut fresh), [10, 11, 13]);
}

#[test]
fn an_index_that_stopped_in_the_pruned_past_begins_anew() {
    let bench = Bench::new();
    let circuit: CircuitName = "default".parse().unwrap();
    let mut model = ReadModel::open(&bench.root.path().join("history.db")).unwrap();
    let extract = |_: &crate::Record<'_>| Some(Facts::default());
    for (index, body) in BODIES.iter().enumerate() {
        add_to(&bench.sealing(TWO_RECORDS), &[body]).unwrap();
        if index == 1 {
            let log = bench.store().log().unwrap().unwrap();
            assert_eq!(model.catch_up(&circuit, &log, &extract).unwrap(), 2);
        }
    }
    bench.store().prune(LATER, &NOTHING_KEPT).unwrap();
    let log = bench.store().log().unwrap().unwrap();
    assert_eq!(model.catch_up(&circuit, &log, &extract).unwrap(), 3);
}

#[test]
fn dying_anywhere_while_pruning_leaves_a_believable_memory() {
    let bench = sealed_often();
    let before = Disk::capture(bench.root.path());
    let effects = trace::effects_of(|| {
        bench.store().prune(LATER, &NOTHING_KEPT).unwrap();
    });
    let mut tried = 0;
    let crashes = crash_states(&before, &effects, 7)
        .into_iter()
        .map(|state| (state, boot()));
    let cuts = (0..=effects.len())
        .flat_map(|end| power_cut_states(&before, &effects[..end]))
        .map(|state| (state, later_boot()));
    for (state, boot) in crashes.chain(cuts) {
        let root = state.materialise(bench.root.path());
        let store = sealing_at(root.path(), boot, SEGMENT_BYTES);
        must_go_on(&store, BODIES.len() as u64, &BODIES);
        // Whoever prunes next removes what the dead one had only noted.
        store.prune(LATER, &NOTHING_KEPT).unwrap();
        let gone = root.path().join("state/circuits/default/log.0");
        assert!(!gone.exists());
        store.verify_all().unwrap();
        tried += 1;
    }
    println!("proof: faults {tried} deaths while pruning");
    assert!(tried > 80);
}
