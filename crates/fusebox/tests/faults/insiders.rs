//! A release that is asked for from inside the guarded tree, on a system that
//! refuses some call of it.
//!
//! The agent here even knows the operator's key. That it belongs to a
//! supervised tree must come out, or the release must fail; no call that can be
//! made to fail may hide it.

use std::fs;
use std::time::Instant;

use crate::agents::{Supervised, have};
use crate::place::Place;
use crate::sampling::{proof, sample};
use crate::strace;

const RESET: &str = "reset --reason x --circuit other";

/// An open breaker in a circuit beside the one that runs.
fn open_beside() -> Place {
    let place = Place::new();
    place.expect(
        0,
        &["trip", "--reason", "for the test", "--circuit", "other"],
    );
    place
}

/// Has a supervised agent run `script`, which says `CODE WHAT` for each attempt
/// in the file `attempts`; gives those lines.
fn attempts(place: &Place, script: &str) -> Vec<String> {
    let path = place.workspace().join("script");
    fs::write(&path, script).unwrap();
    let run = Supervised::start(place, &["run", "--once", "--json", "--", "sh", "script"]);
    let (code, events) = run.end();
    assert_eq!(code, Some(0), "{events:?}");
    let said = fs::read_to_string(place.workspace().join("attempts")).unwrap();
    said.lines().map(str::to_owned).collect()
}

fn all_refused(place: &Place, attempts: &[String]) {
    let released: Vec<_> = attempts
        .iter()
        .filter(|line| line.starts_with("0 "))
        .collect();
    assert!(released.is_empty(), "{released:?}");
    place.expect(42, &["check", "--circuit", "other"]);
}

#[test]
fn no_limit_on_open_files_hides_where_a_release_comes_from() {
    if !have("git") {
        return;
    }
    let place = open_beside();
    let fusebox = place.program();
    let script = format!(
        "for n in $(seq 0 30); do (ulimit -n $n; exec {fusebox} {RESET}) 2>/dev/null; \
         echo \"$? $n\" >>attempts; done"
    );
    let attempts = attempts(&place, &script);
    assert_eq!(attempts.len(), 31);
    // With files enough it is refused for the right reason.
    assert_eq!(attempts[30], "5 30");
    all_refused(&place, &attempts);
    proof("releases", attempts.len(), "under a limit on open files");
}

#[test]
fn no_refused_call_hides_where_a_release_comes_from() {
    if !have("git") || !strace::available() {
        return;
    }
    let began = Instant::now();
    let place = open_beside();
    let fusebox = place.program();
    let plain = format!("strace -qq -o trace {fusebox} {RESET}; echo \"$? plain\" >>attempts");
    assert_eq!(attempts(&place, &plain), ["5 plain"]);
    let points = strace::points_in(&place.workspace().join("trace"), |_| true);
    let points = sample(&points, 200);
    let lines = points.iter().flat_map(|point| {
        ["EIO", "ENOENT"].map(|refusal| {
            let (name, ordinal) = (&point.name, point.ordinal);
            let inject = format!("-e trace={name} -e inject={name}:error={refusal}:when={ordinal}");
            format!(
                "strace -qq -o /dev/null {inject} {fusebox} {RESET} 2>/dev/null; \
                 echo \"$? {refusal} at {name} {ordinal}\" >>attempts\n"
            )
        })
    });
    let attempts = attempts(&place, &lines.collect::<String>());
    assert_eq!(attempts.len(), points.len() * 2 + 1);
    all_refused(&place, &attempts);
    let told = format!("with a refused call, in {:.1?}", began.elapsed());
    proof("releases", attempts.len() - 1, &told);
}
