//! `prune --forget`, killed at each call that stores something.
//!
//! What is put aside takes an open breaker with it, so that it must never be gone in part: until
//! it is given again, the answer is as it was or a no. Given again it completes, whatever the point
//! was, and both halves are on one shelf.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::agents::have;
use crate::openings::Openings;
use crate::place::Place;
use crate::sampling::{STORING, for_each, proof, thinned};
use crate::strace;

const FORGET: [&str; 2] = ["prune", "--forget"];

/// An open breaker, in a repository that work trees may share.
fn open() -> Place {
    let place = Place::new();
    let made = place.command("git").args(["init", "-q", "."]).status();
    assert!(made.unwrap().success());
    place.expect(0, &["record", "--files-changed", "1"]);
    place.expect(0, &["trip", "--reason", "x"]);
    place.expect(42, &["check"]);
    place
}

fn shelves(home: &Path) -> BTreeSet<std::ffi::OsString> {
    let entries = fs::read_dir(home.join("forgotten")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn what_was_begun_to_be_forgotten_is_a_no_until_it_is_completed() {
    if !have("git") || !strace::available() {
        return;
    }
    let openings = Openings::default();
    let mut points = strace::points(&open(), &FORGET);
    points.retain(|point| STORING.contains(&point.name.as_str()));
    let points = thinned(points);
    for_each(&points, |point| {
        let place = open();
        let told = strace::inject(&place, &FORGET, point, "signal=KILL");
        let context = format!("{point:?}: {told:?}");
        if told.code == Some(5) {
            eprintln!("SKIPPED: a release is refused here: {}", told.stderr);
            return;
        }
        let asked = place.copy();
        let gate = asked.fusebox(&["check"]).code;
        let home = |name: &str| place.homes().join(name);
        let (state, heads) = (home("state/fusebox"), home("data/fusebox/heads"));
        if gate == Some(0) {
            // Then it is forgotten altogether, and nobody need do anything.
            assert_eq!(shelves(&state).len(), 1, "{context}");
        } else {
            openings.must_deny(gate, &context);
            assert!(matches!(gate, Some(4 | 42)), "{context}: {gate:?}");
            // Whether or not somebody has noticed meanwhile.
            for place in [&place, &asked] {
                place.expect(0, &FORGET);
                place.expect(0, &["check"]);
                place.expect(0, &["doctor"]);
            }
        }
        assert_eq!(shelves(&state), shelves(&heads), "{context}");
    });
    openings.tell();
    proof("faults", points.len(), "prune --forget, killed");
}
