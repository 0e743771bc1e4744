//! What another terminal asks of a running loop, killed and refused.
//!
//! Whoever was told that the loop ends finds that it does. Whoever was told nothing may ask again,
//! and the loop ends then at the latest.

use std::process::Command;

use crate::agents::{AGES, Mark, Supervised, eventually, have};
use crate::place::{FUSEBOX, Place, Told, scratch};
use crate::sampling::{STORING, for_each, proof, sample};
use crate::strace::{self, Point};

/// A loop that has an iteration for a task behind it and is in the middle of the next.
fn running(mark: &Mark) -> (Place, Supervised) {
    let place = Place::new();
    let first = [
        "run", "--once", "--preset", "cub", "--task", "T-1", "--", "true",
    ];
    let told = place.fusebox(&first);
    assert!(matches!(told.code, Some(0 | 45)), "{told:?}");
    let script = mark.in_script("SLEEP");
    let run = ["run", "--json", "--task", "T-1", "--", "sh", "-c", &script];
    let run = Supervised::start(&place, &run);
    assert!(eventually(AGES, || !mark.sleepers().is_empty()).is_some());
    (place, run)
}

fn stop(place: &Place, before: &[String], args: &[&str]) -> Told {
    let mut words = before.to_vec();
    words.push(FUSEBOX.to_owned());
    let mut command: Command = place.command(&words[0]);
    command.args(&words[1..]).args(args);
    Told::from(command.output().unwrap())
}

fn how_often_blocked(place: &Place) -> usize {
    let told = place.expect(0, &["events"]);
    let blocked = |line: &&str| line.contains(r#""event":"task_blocked""#);
    told.stdout.lines().filter(blocked).count()
}

/// Asks a loop to end, under faults.
fn ask_under_faults(args: &[&str], most: usize) {
    if !have("git") || !strace::available() {
        return;
    }
    let mark = Mark::new();
    let (place, run) = running(&mark);
    let dir = scratch();
    let trace = dir.path().join("trace");
    let told = stop(&place, &strace::tracing(&trace), args);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert_eq!(run.end().0, Some(143), "asked in vain");
    let blocks = how_often_blocked(&place);
    assert_eq!(blocks, usize::from(args.contains(&"--skip-task")));

    let points = strace::points_in(&trace, |_| true);
    let mut storing = points.clone();
    storing.retain(|point| STORING.contains(&point.name.as_str()));
    let kills = [sample(&points, most), sample(&storing, most)].concat();
    let mut faults: Vec<(Point, &str)> = kills.into_iter().map(|at| (at, "signal=KILL")).collect();
    for refusal in ["error=ENOSPC", "error=EROFS"] {
        faults.extend(storing.last().map(|at| (at.clone(), refusal)));
    }
    for_each(&faults, |(point, fault)| {
        let mark = Mark::new();
        let (place, mut run) = running(&mark);
        let told = stop(&place, &strace::injecting(point, fault), args);
        let context = format!("{args:?}, {fault} at {point:?}: {told:?}");
        assert_ne!(told.code, Some(101), "{context}");
        // One that was told may need a moment.
        let promised = told.code == Some(0);
        let again = if promised {
            None
        } else {
            Some(stop(&place, &["env".to_owned()], args))
        };
        let code = run.exit_code();
        assert_eq!(code, Some(143), "{context}; {again:?}");
        if let Some(again) = &again {
            // Where it has heard the first one already, no loop is running any more.
            assert!(matches!(again.code, Some(0 | 6)), "{context}; {again:?}");
        }
        assert!(how_often_blocked(&place) >= blocks, "{context}; {again:?}");
        assert!(mark.sleepers().is_empty(), "{context}");
        place.expect(0, &["doctor"]);
    });
    proof("faults", faults.len(), &format!("{args:?} of a loop"));
}

#[test]
fn a_loop_ends_when_it_is_asked_again_after_a_kill_or_a_refusal() {
    ask_under_faults(&["stop"], 2);
    ask_under_faults(&["stop", "--skip-task"], 3);
}
