//! Agents that will not end, or leave a crowd behind.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::agents::{AGES, Mark, Supervised, eventually, have, signal};
use crate::place::Place;
use crate::sampling::proof;

const DAEMONS: usize = 1_000;
/// Deaf to every polite request.
const DEAF: &str = "trap '' INT TERM HUP;";

/// Runs `script` once, to its end, and insists that nothing of the `left` processes that it
/// leaves outlives the run.
fn outlived_by_nothing(name: &str, script: &str, mark: &Mark, left: usize) {
    let place = Place::new();
    let began = Instant::now();
    let run = Supervised::start(
        &place,
        &["run", "--once", "--json", "--", "sh", "-c", script],
    );
    let (code, events) = run.end();
    assert_eq!(mark.sleepers().len(), 0, "{name}");
    assert_eq!(code, Some(0), "{name}: {events:?}");
    let killed = &events[0]["processes_killed"];
    println!(
        "{name}: 0 survivors after {:.1?}, {killed} of them killed",
        began.elapsed()
    );
    proof("processes", left, name);
}

#[test]
fn a_thousand_daemons_do_not_survive() {
    if !have("git") || !have("setsid") {
        return;
    }
    // A subshell that starts `setsid` and ends: two forks and a session of
    // their own for each.
    let daemons = format!(
        "n=0; while [ $n -lt {DAEMONS} ]; do (setsid SLEEP >/dev/null 2>&1 &); n=$((n+1)); done"
    );
    let mark = Mark::new();
    outlived_by_nothing("1,000 daemons", &mark.in_script(&daemons), &mark, DAEMONS);
    let mark = Mark::new();
    let deaf = format!("{DEAF} {daemons}");
    outlived_by_nothing("1,000 deaf daemons", &mark.in_script(&deaf), &mark, DAEMONS);
}

#[test]
fn a_storm_of_forks_does_not_outlive_its_leader() {
    if !have("git") {
        return;
    }
    let mark = Mark::new();
    // Each shell starts two more, seven levels deep: 255 shells that sleep.
    let storm = "f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; SLEEP; }; f 7 & sleep 1";
    let script = mark.in_script(&format!("{DEAF} {storm}"));
    outlived_by_nothing("a storm of 255 forks", &script, &mark, 255);
}

#[test]
fn a_deaf_agent_is_ended_by_the_second_request() {
    if !have("git") {
        return;
    }
    let (place, mark) = (Place::new(), Mark::new());
    let script = mark.in_script(&format!("{DEAF} SLEEP & SLEEP; SLEEP"));
    let run = Supervised::start(
        &place,
        &["run", "--once", "--json", "--", "sh", "-c", &script],
    );
    assert!(eventually(AGES, || mark.sleepers().len() == 2).is_some());
    signal(run.pid(), Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(mark.sleepers().len(), 2, "it is not deaf");
    let began = Instant::now();
    signal(run.pid(), Signal::INT);
    let (code, events) = run.end();
    assert_eq!((code, mark.sleepers().len()), (Some(130), 0), "{events:?}");
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    println!(
        "a deaf agent: ended {:.1?} after the second request",
        began.elapsed()
    );
}
