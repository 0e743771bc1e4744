//! `kill -9` at every system call of every command that changes the memory.
//!
//! A kill takes effect before the call it is aimed at, so that all points
//! together are all states a killed process can leave behind. What must hold
//! is short: the memory is as it was before the command or as it would have
//! been after it, never in between and never doubted, and it is the latter if
//! anybody was told so.

use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::openings::Openings;
use crate::place::{FUSEBOX, Place, Standing, Told};
use crate::sampling::{STORING, deep, for_each, proof, thinned};
use crate::strace::{self, Point};

/// The calls besides those that store between which another process may see a difference, and
/// the last one.
const LOOKING: [&str; 8] = [
    "open",
    "openat",
    "flock",
    "fcntl",
    "read",
    "pread64",
    "linkat",
    "exit_group",
];

/// A memory to start from.
#[derive(Clone, Copy, Debug)]
enum Start {
    FirstUse,
    /// One iteration is under way. A further check has to settle it first, in
    /// one batch with its own grant.
    Granted,
    /// Two iterations without progress; the third will trip.
    Watching,
    /// The same, and one iteration is under way.
    WatchingGranted,
    Open,
    OneCallLeft,
    /// Whatever is written next seals the log first.
    AboutToSeal,
    /// The head was edited, and a check has found it.
    Latched,
}

impl Start {
    fn place(self) -> Place {
        let mut place = Place::new();
        let stand_still = ["record", "--files-changed", "0"];
        match self {
            Self::FirstUse => {}
            Self::Granted => {
                place.expect(0, &["check"]);
            }
            Self::Watching | Self::WatchingGranted => {
                place.expect(0, &stand_still);
                place.expect(0, &stand_still);
            }
            Self::Open => {
                place.expect(0, &["record", "--files-changed", "1"]);
                place.expect(0, &["trip", "--reason", "for the test"]);
            }
            Self::OneCallLeft => {
                place.expect(0, &["limit", "take", "99"]);
            }
            Self::AboutToSeal => {
                place = place.sealing_at(1);
                place.expect(0, &stand_still);
                place.expect(0, &stand_still);
                assert!(place.find("circuits/default/log.0").is_some());
            }
            Self::Latched => {
                place.expect(0, &stand_still);
                std::fs::write(place.head(), "edited\n").unwrap();
                place.expect(4, &["check"]);
            }
        }
        if matches!(self, Self::WatchingGranted) {
            place.expect(0, &["check"]);
        }
        place
    }
}

/// One of the two ends that a killed command may come to.
struct End {
    standing: Standing,
    /// What a check answers there.
    code_of_check: Option<i32>,
}

impl End {
    fn of(place: &Place) -> Self {
        let end = Self {
            standing: place.standing(),
            code_of_check: place.copy().fusebox(&["check"]).code,
        };
        assert!(!end.standing.is_open() || end.code_of_check == Some(42));
        end
    }
}

/// Kills `fusebox args` everywhere, from the same start, and judges each end.
fn kill_everywhere(start: Start, args: &[&str]) {
    if !strace::available() {
        return;
    }
    let began = Instant::now();
    let args = [args, &["--json"]].concat();
    let origin = start.place();
    let finished = origin.copy();
    let clean = finished.fusebox(&args);
    if clean.code == Some(5) {
        eprintln!("SKIPPED: a release is refused here: {}", clean.stderr);
        return;
    }
    assert!(clean.is_acknowledged(), "{clean:?}");
    let ends = [End::of(&origin), End::of(&finished)];
    let differ = ends[0].standing != ends[1].standing;
    assert!(differ || clean.code == Some(42), "{args:?} does nothing");
    let mut points = strace::points(&origin.copy(), &args);
    points.retain(|point| {
        let name = point.name.as_str();
        // Between two calls that only look, hardly anything differs.
        let is_every_other = point.ordinal % 2 == 1;
        deep() || STORING.contains(&name) || (LOOKING.contains(&name) && is_every_other)
    });
    assert!(points.len() > 20, "{points:?}");
    let points = thinned(points);
    let openings = Openings::default();
    let reached = AtomicUsize::new(0);
    for_each(&points, |point| {
        if judge(&origin.copy(), &args, point, &ends, &openings) {
            reached.fetch_add(1, Ordering::Relaxed);
        }
    });
    openings.tell();
    let reached = reached.into_inner();
    assert!(reached * 10 >= points.len() * 9, "{reached} of {points:?}");
    let told = format!("{args:?} from {start:?}, killed in {:.1?}", began.elapsed());
    proof("faults", reached, &told);
}

/// Whether it was killed at all. How many reads it takes to learn how a process is laid out in
/// memory, or of what its ancestors were told, differs from start to start: there is no last one.
fn judge(
    place: &Place,
    args: &[&str],
    point: &Point,
    [before, after]: &[End; 2],
    openings: &Openings,
) -> bool {
    let killed = strace::inject(place, args, point, "signal=KILL");
    let found = place.standing();
    let context = format!("{args:?} killed at {point:?} left {found:?}, having said {killed:?}");
    if killed.signal.is_none() && point.name == "read" {
        assert!(killed.is_acknowledged(), "{context}");
        assert_eq!(found, after.standing, "{context}");
        return false;
    }
    assert_eq!(killed.signal, Some(9), "{context}");
    let end = if found == after.standing {
        after
    } else {
        assert_eq!(found, before.standing, "{context}");
        assert!(!killed.is_acknowledged(), "{context}");
        before
    };
    let next = place.fusebox(&["check", "--json"]);
    if before.standing.is_open() && after.standing.is_open() {
        openings.must_deny(next.code, &context);
    }
    assert_eq!(next.code, end.code_of_check, "{context}; {next:?}");
    if matches!(
        found,
        Standing::Believed {
            calls_used: 99..,
            ..
        }
    ) {
        let granted = u32::from(killed.grants()) + u32::from(next.grants());
        assert!(granted <= 1, "{context}; {next:?}");
        place.expect(44, &["check"]);
    }
    if found != Standing::Distrusted {
        place.expect(0, &["doctor"]);
    }
    true
}

#[test]
fn a_killed_check_grants_all_or_nothing() {
    for start in [
        Start::FirstUse,
        Start::Granted,
        Start::Watching,
        Start::WatchingGranted,
        Start::Open,
        Start::OneCallLeft,
        Start::AboutToSeal,
    ] {
        kill_everywhere(start, &["check"]);
    }
}

#[test]
fn req_001_076_and_110_and_x_003_a_killed_record_counts_all_or_nothing() {
    let stand_still = ["record", "--files-changed", "0"];
    for start in [
        Start::FirstUse,
        Start::Watching,
        Start::WatchingGranted,
        Start::Open,
        Start::AboutToSeal,
    ] {
        kill_everywhere(start, &stand_still);
    }
}

#[test]
fn req_x_003_a_killed_trip_or_take_is_done_or_not() {
    kill_everywhere(Start::FirstUse, &["trip", "--reason", "x"]);
    kill_everywhere(Start::Watching, &["trip", "--reason", "x"]);
    kill_everywhere(Start::OneCallLeft, &["limit", "take", "1"]);
}

#[test]
fn a_killed_reset_leaves_the_breaker_open_or_closes_it() {
    for start in [Start::Open, Start::Latched] {
        kill_everywhere(start, &["reset", "--reason", "x"]);
    }
}

/// Steps of the golden ratio: they spread evenly, however many there are.
fn delay(round: u64, longest: u64) -> Duration {
    Duration::from_micros(round * 618_034 % longest)
}

#[test]
fn req_x_003_records_killed_at_random_are_all_or_nothing() {
    let began = Instant::now();
    let rounds = if deep() { 10_000 } else { 200 };
    let place = Place::new();
    let took = Instant::now();
    place.expect(0, &["record", "--files-changed", "1"]);
    let longest = u64::try_from(took.elapsed().as_micros()).unwrap() * 3 / 2;
    let mut acknowledged = 1;
    for round in 0..rounds {
        let mut command = place.command(FUSEBOX);
        command.args(["record", "--files-changed", "1", "--json"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(delay(round, longest));
        child.kill().unwrap();
        let told = Told::from(child.wait_with_output().unwrap());
        acknowledged += u64::from(told.is_acknowledged());
    }
    let status = place.expect(0, &["status", "--json"]).json();
    let remembered = status["totals"]["reported"].as_u64().unwrap();
    assert!(remembered >= acknowledged, "{remembered} of {acknowledged}");
    assert!(remembered <= rounds + 1, "{remembered} of {rounds}");
    place.expect(0, &["doctor"]);
    let rounds = usize::try_from(rounds).unwrap();
    proof(
        "faults",
        rounds,
        &format!("random kills in {:.1?}", began.elapsed()),
    );
    proof(
        "records",
        usize::try_from(acknowledged).unwrap(),
        "of them acknowledged",
    );
}
