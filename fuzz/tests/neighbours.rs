//! A short run without a fuzzer: the seeds, and what they become by a few changes.

use std::fs;
use std::path::{Path, PathBuf};

use fusebox_fuzz::{TARGETS, Target};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// For each target; a debug build tries some thousand in a second.
const CASES: u32 = 150;

fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")
}

fn seeds_of(target: &Target) -> Vec<Vec<u8>> {
    let directory = seeds().join(target.name);
    let files = fs::read_dir(&directory).unwrap_or_else(|why| panic!("{directory:?}: {why}"));
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read(path).expect("a seed"))
        .collect()
}

/// What happens to an input on its way.
#[derive(Clone, Debug)]
enum Change {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Cut(Index, Index),
    Repeat(Index, Index, usize),
}

/// Bytes that mean something to one of the readers.
const TELLING: &[u8] = b"\"'`$(){}[]<>|&;:,=*?~/\\#-!\n\r\t\0\x1b\x7f\xc3\xe2\xff";

fn change() -> impl Strategy<Value = Change> {
    let byte = || prop_oneof![any::<u8>(), prop::sample::select(TELLING)];
    let piece = prop::collection::vec(byte(), 1..8);
    prop_oneof![
        (any::<Index>(), byte()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<Index>(), piece).prop_map(|(at, piece)| Change::Insert(at, piece)),
        any::<(Index, Index)>().prop_map(|(from, to)| Change::Cut(from, to)),
        (any::<(Index, Index)>(), 2..40_usize)
            .prop_map(|((from, to), times)| Change::Repeat(from, to, times)),
    ]
}

fn apply(change: &Change, bytes: &mut Vec<u8>) {
    let places = bytes.len() + 1;
    let range = |from: &Index, to: &Index| {
        let (from, to) = (from.index(places), to.index(places));
        from.min(to)..from.max(to)
    };
    match change {
        Change::Set(at, byte) => {
            let at = at.index(places);
            bytes.splice(at..(at + 1).min(bytes.len()), [*byte]);
        }
        Change::Insert(at, piece) => {
            let at = at.index(places);
            bytes.splice(at..at, piece.iter().copied());
        }
        Change::Cut(from, to) => drop(bytes.drain(range(from, to))),
        Change::Repeat(from, to, times) => {
            let range = range(from, to);
            let piece = bytes[range.clone()].repeat(*times);
            bytes.splice(range, piece);
        }
    }
    bytes.truncate(16 * 1024);
}

#[test]
fn every_target_has_seeds_and_every_seed_a_target() {
    let directories = fs::read_dir(seeds()).unwrap();
    let mut named: Vec<String> = directories
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    named.sort();
    let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(named, targets);
    assert!(TARGETS.iter().all(|target| !seeds_of(target).is_empty()));
}

#[test]
fn what_must_hold_holds_for_the_seeds_and_around_them() {
    for target in TARGETS {
        let seeds = seeds_of(target);
        seeds.iter().for_each(|seed| (target.holds)(seed));
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..Config::default()
        };
        let inputs = (
            prop::sample::select(seeds),
            prop::collection::vec(change(), 1..6),
        );
        let held = TestRunner::new(config).run(&inputs, |(mut bytes, changes)| {
            changes.iter().for_each(|one| apply(one, &mut bytes));
            (target.holds)(&bytes);
            Ok(())
        });
        held.unwrap_or_else(|why| panic!("{}: {why}", target.name));
    }
    println!("proof: inputs {}", u64::from(CASES) * TARGETS.len() as u64);
}
