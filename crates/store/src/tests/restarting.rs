//! The latch, and what a person's fresh start does to it.

use std::fs;

use super::crash::{crash_states, store_at};
use super::disk_model::Disk;
use super::{Bench, add_to, boot, code, draft, later_boot, tally_of};
use crate::trace;

fn damaged() -> Bench {
    let bench = Bench::with(&["one", "two"]);
    let mut bytes = fs::read(bench.head()).unwrap();
    bytes[20] ^= 1;
    fs::write(bench.head(), bytes).unwrap();
    bench
}

#[test]
fn tampering_stays_found_when_the_bytes_heal() {
    let bench = Bench::with(&["one"]);
    let sound = fs::read(bench.head()).unwrap();
    fs::write(bench.head(), "gone").unwrap();
    assert_eq!(code(bench.store().peek()), "head-damaged");
    fs::write(bench.head(), &sound).unwrap();
    bench
        .store()
        .peek()
        .expect("a look writes nothing, so nothing is latched");

    fs::write(bench.head(), "gone").unwrap();
    assert_eq!(code(bench.add("two")), "head-damaged");
    fs::write(bench.head(), &sound).unwrap();
    assert_eq!(code(bench.store().peek()), "head-damaged");
    assert_eq!(code(bench.add("two")), "head-damaged");
    let later = bench.store_in(later_boot());
    assert_eq!(code(later.peek()), "head-damaged");
    let kept = bench.log().with_file_name("quarantine").join("1");
    assert_eq!(fs::read(kept.join("default")).unwrap(), b"gone");
    let another = super::tamper(bench.store().peek());
    bench.store().quarantine(&another, 2).unwrap();
    assert!(
        !kept.with_file_name("2").exists(),
        "the first finding is the one that is kept"
    );
    assert_eq!(
        fs::read(kept.join("log")).unwrap(),
        fs::read(bench.log()).unwrap()
    );
}

#[test]
fn either_marker_latches_and_a_restart_takes_both_away() {
    let second = |bench: &Bench| {
        let names = fs::read_dir(bench.head().parent().unwrap()).unwrap();
        let mut paths = names.map(|entry| entry.unwrap().path());
        paths.find(|path| path.to_string_lossy().contains("/.tampered-"))
    };
    for first_goes in [true, false] {
        let bench = Bench::with(&["one"]);
        let sound = fs::read(bench.head()).unwrap();
        fs::write(bench.head(), "gone").unwrap();
        assert_eq!(code(bench.add("two")), "head-damaged");
        fs::write(bench.head(), &sound).unwrap();
        let first = bench.log().with_file_name("tampered");
        fs::remove_file(if first_goes {
            first.clone()
        } else {
            second(&bench).unwrap()
        })
        .unwrap();
        assert_eq!(code(bench.store().peek()), "head-damaged");
        assert_eq!(code(bench.add("two")), "head-damaged");
        bench.store().restart(9, &[]).unwrap();
        assert!(!first.exists() && second(&bench).is_none());
        bench.add("two").unwrap();
    }
}

#[test]
fn what_is_missing_elsewhere_is_not_latched_here() {
    let bench = Bench::with(&["one"]);
    let mut elsewhere = super::location_in(bench.root.path(), boot());
    elsewhere.dir = bench.root.path().join("else/circuits/default");
    elsewhere.workspace_dir = bench.root.path().join("else");
    let elsewhere = crate::Store::<super::Tally>::open(elsewhere).unwrap();
    assert_eq!(code(add_to(&elsewhere, &["two"])), "log-missing");
    assert_eq!(code(elsewhere.peek()), "log-missing");
    bench.add("two").unwrap();
}

#[test]
fn a_marker_latches_whatever_it_holds() {
    for content in ["", "nonsense", "a\nb\nc\nd"] {
        let bench = Bench::with(&["one"]);
        fs::write(bench.log().with_file_name("tampered"), content).unwrap();
        super::tamper(bench.store().peek());
        super::tamper(bench.add("two"));
    }
}

#[test]
fn a_restart_sets_the_old_files_aside_and_begins_anew() {
    let bench = damaged();
    super::tamper(bench.add("three"));
    let old_log = fs::read(bench.log()).unwrap();
    let view = bench.store().restart(9, &[draft(b"reset")]).unwrap();
    assert_eq!((view.seq, &view.state), (1, &tally_of(&["reset"])));
    let shelf = bench.log().with_file_name("quarantine");
    assert_eq!(fs::read(shelf.join("2/log")).unwrap(), old_log);
    add_to(&bench.store(), &["three"]).unwrap();
    let view = bench.store().peek().unwrap();
    assert_eq!(
        (view.state, view.repairs),
        (tally_of(&["reset", "three"]), vec![])
    );
    bench.store().verify_all().unwrap();
}

#[test]
fn copies_are_bounded_in_number() {
    let bench = Bench::with(&["one"]);
    for _ in 0..20 {
        bench.store().restart(9, &[]).unwrap();
    }
    let shelf = bench.log().with_file_name("quarantine");
    let mut kept: Vec<u64> = fs::read_dir(shelf)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_str()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    kept.sort_unstable();
    assert_eq!(kept, (13..=20).collect::<Vec<u64>>());
}

/// Whatever lies among the copies, a person's fresh start is made, and a copy with it.
#[test]
fn nothing_among_the_copies_is_in_the_way_of_a_restart() {
    for (names, next) in [
        (&["01/", "9/"][..], "10"),
        (&["+1/", "9/"], "10"),
        (&["1", "9/"], "10"),
        (&["9", "10/log/"], "11"),
        (&["18446744073709551615/log/", "1/log/"], "2"),
        (&["18446744073709551615", "1"], "2"),
        (&["18446744073709551616/", "0", "-1", "x/"], "1"),
    ] {
        let bench = damaged();
        super::tamper(bench.add("three"));
        let shelf = bench.log().with_file_name("quarantine");
        fs::remove_dir_all(&shelf).unwrap();
        fs::create_dir(&shelf).unwrap();
        for name in names {
            match name.strip_suffix('/') {
                Some(directory) => fs::create_dir_all(shelf.join(directory)).unwrap(),
                None => fs::write(shelf.join(name), "").unwrap(),
            }
        }
        let old_log = fs::read(bench.log()).unwrap();
        bench.store().restart(9, &[draft(b"reset")]).unwrap();
        let copy = fs::read(shelf.join(next).join("log"));
        assert_eq!(copy.unwrap(), old_log, "{names:?}");
        bench.store().restart(10, &[]).unwrap();
        bench.store().peek().unwrap();
    }
}

#[test]
fn of_a_long_file_the_end_is_copied() {
    let bench = damaged();
    let mut bytes = vec![1; 1_000];
    bytes.resize(8_388_608, 2);
    fs::write(bench.log(), [&bytes[..], &[3; 1_000]].concat()).unwrap();
    super::tamper(bench.add("three"));
    let copy = fs::read(bench.log().with_file_name("quarantine/1/log")).unwrap();
    assert_eq!(copy, [&bytes[1_000..], &[3; 1_000]].concat());
}

#[test]
fn dying_anywhere_in_a_restart_leaves_it_latched_or_done() {
    let bench = damaged();
    super::tamper(bench.add("three"));
    let before = Disk::capture(bench.root.path());
    let effects = trace::effects_of(|| {
        bench
            .store()
            .restart(9, &[draft(b"reset"), draft(b"again")])
            .unwrap();
    });
    let states = crash_states(&before, &effects, 50);
    let (mut latched, mut done) = (0, 0);
    for state in &states {
        let root = state.materialise(bench.root.path());
        let store = store_at(root.path(), boot());
        match store.peek() {
            Ok(view) => {
                assert_eq!(view.state, tally_of(&["reset", "again"]));
                done += 1;
            }
            answer => {
                assert_eq!(code(answer), "head-damaged");
                latched += 1;
            }
        }
        store.restart(9, &[draft(b"second try")]).unwrap();
        assert_eq!(store.peek().unwrap().state, tally_of(&["second try"]));
    }
    println!("proof: faults {} crash states of a restart", states.len());
    assert!(latched > 10 && done == 2, "{latched} latched, {done} done");
}

#[test]
fn a_restart_without_a_marker_never_leaves_a_loop_running() {
    let bench = damaged();
    let before = Disk::capture(bench.root.path());
    let effects = trace::effects_of(|| {
        bench.store().restart(9, &[draft(b"reset")]).unwrap();
    });
    for state in crash_states(&before, &effects, 1000) {
        let root = state.materialise(bench.root.path());
        match store_at(root.path(), boot()).peek() {
            Ok(view) => assert_eq!(view.state, tally_of(&["reset"])),
            answer => drop(super::tamper(answer)),
        }
    }
}
