//! What somebody's hand does to a sealed history is found.

use std::fs;
use std::path::Path;

use super::sealing::TWO_RECORDS;
use super::{Bench, add_to, code, later_boot, tally_of, tamper};
use crate::{Error, Repair};

const BODIES: [&str; 5] = ["one", "two", "six", "ten", "red"];

/// Two sealed logs and a live one with one record.
fn sealed_twice() -> Bench {
    let bench = Bench::new();
    for body in BODIES {
        add_to(&bench.sealing(TWO_RECORDS), &[body]).unwrap();
    }
    assert!(bench.sealed(0).exists() && bench.sealed(3).exists());
    bench
}

/// Calls `judge` for every changed byte and every cut of a file.
fn change_each(path: &Path, mut judge: impl FnMut(&str, usize)) -> usize {
    let sound = fs::read(path).unwrap();
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x81;
        fs::write(path, &bytes).unwrap();
        judge("byte", at);
        fs::write(path, &sound[..at]).unwrap();
        judge("cut", at);
    }
    fs::write(path, &sound).unwrap();
    2 * sound.len()
}

#[test]
fn every_change_of_a_sealed_log_is_found_by_full_verification() {
    let bench = sealed_twice();
    let mut tried = 0;
    for path in [bench.sealed(0), bench.sealed(3), bench.log()] {
        tried += change_each(&path, |what, at| {
            let answer = bench.store().verify_all();
            let found = matches!(answer, Err(Error::Tampered(_)));
            assert!(found, "{what} {at} of {}: {answer:?}", path.display());
        });
    }
    println!("proof: damage {tried} changes of sealed logs");
    bench.store().verify_all().unwrap();
}

#[test]
fn every_change_of_a_live_log_that_a_decision_rests_on_is_found() {
    let bench = sealed_twice();
    // The state that the log began with is not what the decision rests on: the
    // slot is newer. It is looked at only when there is none.
    let state = 268..268 + 43;
    change_each(&bench.log(), |what, at| match bench.store().peek() {
        Err(Error::Tampered(_)) => {}
        Ok(view) if what == "byte" && state.contains(&at) => {
            assert_eq!(view.state, tally_of(&BODIES));
        }
        other => panic!("{what} {at}: {other:?}"),
    });
}

#[test]
fn torn_slots_are_rebuilt_from_the_state_the_log_began_with() {
    let bench = sealed_twice();
    let slots = fs::read(bench.slots()).unwrap();
    fs::write(bench.slots(), vec![0; slots.len()]).unwrap();
    assert_eq!(code(bench.store().peek()), "slot-damaged");
    let later = bench.store_in(later_boot());
    let view = later.peek().unwrap();
    assert_eq!(view.state, tally_of(&BODIES));
    assert_eq!(view.repairs, [Repair::Rebuilt { records: 1 }]);
    // And then every byte of that state counts.
    let sound = fs::read(bench.log()).unwrap();
    for at in 0..268 + 43 {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        fs::write(bench.log(), &bytes).unwrap();
        assert_eq!(code(later.peek()), "header-damaged", "byte {at}");
    }
}

#[test]
fn a_sealed_log_that_is_gone_or_another_is_missed() {
    for (seq, others) in [(0, 3), (3, 0)] {
        let bench = sealed_twice();
        let sound = fs::read(bench.sealed(seq)).unwrap();
        fs::remove_file(bench.sealed(seq)).unwrap();
        bench
            .store()
            .peek()
            .expect("decisions rest on the live log");
        // One that is gone from between two others shows as a break between them.
        let expected = if seq == 0 {
            "segment-missing"
        } else {
            "chain-broken"
        };
        assert_eq!(code(bench.store().verify_all()), expected);
        fs::copy(bench.sealed(others), bench.sealed(seq)).unwrap();
        assert_eq!(code(bench.store().verify_all()), "segment-missing");
        fs::write(bench.sealed(seq), sound).unwrap();
        bench.store().verify_all().unwrap();
    }
}

#[test]
fn what_was_added_to_a_sealed_log_is_found() {
    let bench = sealed_twice();
    for seq in [0, 3] {
        let sound = fs::read(bench.sealed(seq)).unwrap();
        fs::write(bench.sealed(seq), [&sound[..], b"x"].concat()).unwrap();
        assert_eq!(code(bench.store().verify_all()), "chain-broken");
        fs::write(bench.sealed(seq), sound).unwrap();
    }
}

#[test]
fn an_older_log_in_the_place_of_the_live_one_is_found() {
    let bench = Bench::new();
    let store = bench.sealing(TWO_RECORDS);
    let mut copies = Vec::new();
    for body in BODIES {
        let files = [bench.log(), bench.slots()];
        copies.push(files.map(|path| (path.clone(), fs::read(path).ok())));
        add_to(&store, &[body]).unwrap();
    }
    let now = [bench.log(), bench.slots()].map(|path| (path.clone(), fs::read(path).ok()));
    let put_back = |files: &[(std::path::PathBuf, Option<Vec<u8>>)]| {
        for (path, bytes) in files {
            fs::write(path, bytes.as_ref().unwrap()).unwrap();
        }
    };
    for (index, [log, slots]) in copies[1..].iter().enumerate() {
        put_back(std::slice::from_ref(log));
        tamper(store.peek());
        put_back(&[log.clone(), slots.clone()]);
        tamper(store.peek());
        // Nor does another boot make it right.
        assert!(bench.store_in(later_boot()).peek().is_err(), "copy {index}");
        put_back(&now);
        store.peek().unwrap();
    }
}

#[test]
fn a_head_from_before_the_live_log_is_found_in_any_boot() {
    let bench = Bench::with(&["one"]);
    let old = fs::read(bench.head()).unwrap();
    let store = bench.sealing(1);
    add_to(&store, &["two"]).unwrap();
    add_to(&store, &["six"]).unwrap();
    fs::write(bench.head(), old).unwrap();
    assert_eq!(code(bench.store().peek()), "head-stale");
    assert_eq!(code(bench.store_in(later_boot()).peek()), "head-mismatch");
}

#[test]
fn a_fresh_start_sets_sealed_logs_aside() {
    let bench = sealed_twice();
    bench.store().restart(9, &[super::draft(b"reset")]).unwrap();
    assert!(!bench.sealed(0).exists() && !bench.sealed(3).exists());
    let shelf = bench.log().with_file_name("quarantine").join("1");
    assert!(shelf.join("log.0").exists() && shelf.join("log.3").exists());
    assert_eq!(bench.store().verify_all().unwrap().unwrap().seq, 1);
    assert_eq!(bench.store().peek().unwrap().state, tally_of(&["reset"]));
}
