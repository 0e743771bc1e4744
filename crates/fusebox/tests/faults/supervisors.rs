//! Supervisor and keeper, killed or stopped at any moment.
//!
//! Whatever is killed, the agent's tree ends, the lock comes free, what was
//! acknowledged is in the history, and the iteration that was under way counts
//! as one that got nowhere.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::agents::{AGES, Cookie, Mark, Supervised, eventually, have, signal};
use crate::place::{Place, Standing};
use crate::sampling::{STORING, deep, for_each, proof, sample};
use crate::strace::{self, Point};

/// The tree of a killed supervisor must be gone by then.
const GONE_WITHIN: Duration = Duration::from_secs(2);

/// An agent that works, and leaves behind a child, a daemon, and a daemon that
/// has forgotten where it comes from.
const WORKER: &str = "echo $FUSEBOX_ITERATION >>work
SLEEP & (setsid SLEEP >/dev/null 2>&1 &); (setsid env -i SLEEP >/dev/null 2>&1 &)
sleep 0.05";

/// What the history of a circuit holds.
struct Past {
    granted: Vec<u64>,
    /// The iterations reported, or settled since nobody did, and whether each is known to have
    /// changed files.
    reported: BTreeMap<u64, bool>,
}

impl Past {
    fn of(place: &Place, circuit: &str) -> Self {
        let args = ["history", "--json", "-n", "1000", "--circuit", circuit];
        let told = place.expect(0, &args);
        let lines = told.stdout.lines();
        let lines: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let iterations = |kind: &'static str| {
            let lines = lines.iter().filter(move |line| line["kind"] == kind);
            lines.map(|line| (line["iteration"].as_u64().unwrap(), line))
        };
        let changed = |line: &Value| line["files_changed"].as_u64().unwrap_or(0) > 0;
        Self {
            granted: iterations("granted").map(|(number, _)| number).collect(),
            reported: ["reported", "unreported"]
                .into_iter()
                .flat_map(iterations)
                .map(|(number, line)| (number, changed(line)))
                .collect(),
        }
    }

    fn gained(&self) -> usize {
        self.reported.values().filter(|changed| **changed).count()
    }
}

/// Insists that nothing is left of a killed run, that all it announced was
/// remembered, and that the next run goes on from there. Says how long the tree
/// took to go.
fn judge_killed(place: &Place, circuit: &str, mark: &Mark, events: &[Value]) -> Duration {
    let cookie = Cookie::of_last_run(place, circuit);
    let carriers = || cookie.as_ref().map_or(Vec::new(), Cookie::carriers);
    let took = eventually(GONE_WITHIN, || {
        mark.sleepers().is_empty() && carriers().is_empty()
    });
    let took =
        took.unwrap_or_else(|| panic!("{circuit}: alive: {:?}, {:?}", mark.sleepers(), carriers()));
    let killed = Past::of(place, circuit);
    for event in events.iter().filter(|event| event["event"] == "iteration") {
        let number = event["iteration"].as_u64().unwrap();
        assert!(
            killed.reported.contains_key(&number),
            "{circuit}: {number} was lost"
        );
    }
    assert!(
        killed.granted.len() - killed.reported.len() <= 1,
        "{circuit}"
    );

    let next = Supervised::start(
        place,
        &[
            "run",
            "--once",
            "--json",
            "--circuit",
            circuit,
            "--",
            "true",
        ],
    );
    let (code, said) = next.end();
    assert_eq!(code, Some(0), "{circuit}: {said:?}");
    let settled = Past::of(place, circuit);
    assert_eq!(settled.granted.len(), killed.granted.len() + 1, "{circuit}");
    assert_eq!(
        settled.granted,
        settled.reported.keys().copied().collect::<Vec<_>>(),
        "{circuit}"
    );
    assert_eq!(settled.gained(), killed.gained(), "{circuit}");
    took
}

#[test]
fn a_supervisor_killed_at_random_leaves_nothing_behind_and_loses_nothing() {
    if !have("git") || !have("setsid") {
        return;
    }
    let began = Instant::now();
    let count = if deep() { 1_000 } else { 50 };
    let rounds: Vec<u64> = (0..count).collect();
    // The slowest tree, all answers and all sleepers that were seen.
    let seen = Mutex::new((Duration::ZERO, 0, 0));
    // A work tree has one supervisor that measures it, so each worker of the
    // test has its own.
    let idle = Mutex::new(vec![Place::new(), Place::new()]);
    for_each(&rounds, |round| {
        let place = idle.lock().unwrap().pop().unwrap();
        let (mark, circuit) = (Mark::new(), format!("r{round}"));
        let script = mark.in_script(WORKER);
        let run = [
            "run",
            "--json",
            "--circuit",
            &circuit,
            "--",
            "sh",
            "-c",
            &script,
        ];
        let supervised = Supervised::start(&place, &run);
        // Steps of the golden ratio: they spread evenly, however many there are.
        let delay = round * 618 % 1_000;
        std::thread::sleep(Duration::from_millis(delay));
        let sleepers = mark.sleepers().len();
        let events = supervised.kill();
        let took = judge_killed(&place, &circuit, &mark, &events);
        let mut seen = seen.lock().unwrap();
        *seen = (seen.0.max(took), seen.1 + events.len(), seen.2 + sleepers);
        idle.lock().unwrap().push(place);
    });
    let (slowest, answers, sleepers) = seen.into_inner().unwrap();
    assert!(answers > 0 && sleepers > 0, "no run came far enough");
    let told = format!(
        "kills of the supervisor beside {sleepers} processes, the slowest tree gone after {slowest:.1?}; {:.1?}",
        began.elapsed()
    );
    proof("faults", rounds.len(), &told);
    proof("records", answers, "answers of killed supervisors");
}

fn two_iterations(script: &str) -> [&str; 8] {
    [
        "run",
        "--json",
        "--max-iterations",
        "2",
        "--",
        "sh",
        "-c",
        script,
    ]
}

/// A few points of every name: a run makes thousands of calls, most of them
/// reads of the process table.
fn of_every_name(points: &[Point], most: usize) -> Vec<Point> {
    let mut by_name: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
    for point in points {
        by_name.entry(&point.name).or_default().push(point.clone());
    }
    by_name
        .values()
        .flat_map(|points| sample(points, most))
        .collect()
}

#[test]
fn a_supervisor_killed_at_any_system_call_leaves_nothing_behind() {
    if !have("git") || !have("setsid") || !strace::available() {
        return;
    }
    let began = Instant::now();
    let script = Mark::new().in_script(WORKER);
    let points = strace::points(&Place::new(), &two_iterations(&script));
    let points = of_every_name(&points, 3);
    let killed = AtomicUsize::new(0);
    for_each(&points, |point| {
        let (place, mark) = (Place::new(), Mark::new());
        let script = mark.in_script(WORKER);
        let args = two_iterations(&script);
        let told = strace::inject(&place, &args, point, "signal=KILL");
        let lines = told
            .stdout
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let events: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        killed.fetch_add(usize::from(told.signal == Some(9)), Ordering::Relaxed);
        judge_killed(&place, "default", &mark, &events);
    });
    let killed = killed.into_inner();
    // How often the process table is read depends on the moment, so a few of
    // the last calls may not come.
    assert!(
        killed * 10 >= points.len() * 9,
        "{killed} of {}",
        points.len()
    );
    let told = format!("system calls of the supervisor, in {:.1?}", began.elapsed());
    proof("faults", killed, &told);
}

/// A run that the disk refuses something ends or goes on, and either way what it announced is
/// remembered and nothing of it is left. Where that is in doubt, the next step is denied.
#[test]
fn a_run_that_the_disk_refuses_something_announces_nothing_that_is_lost() {
    if !have("git") || !have("setsid") || !strace::available() {
        return;
    }
    let began = Instant::now();
    let script = Mark::new().in_script(WORKER);
    let mut points = strace::points(&Place::new(), &two_iterations(&script));
    points.retain(|point| STORING.contains(&point.name.as_str()));
    let refusals = ["error=ENOSPC", "error=EIO", "error=EROFS"];
    let cases: Vec<(Point, &str)> = of_every_name(&points, 4)
        .into_iter()
        .enumerate()
        .flat_map(|(turn, point)| {
            let chosen = refusals.iter().cycle().skip(turn);
            let count = if deep() { refusals.len() } else { 1 };
            chosen
                .take(count)
                .map(move |refusal| (point.clone(), *refusal))
        })
        .collect();
    for_each(&cases, |(point, refusal)| {
        let (place, mark) = (Place::new(), Mark::new());
        let script = mark.in_script(WORKER);
        let args = two_iterations(&script);
        let told = strace::inject(&place, &args, point, refusal);
        let context = format!("{refusal} at {point:?}, said {told:?}");
        assert!(!matches!(told.code, None | Some(101)), "{context}");
        let gone = eventually(GONE_WITHIN, || mark.sleepers().is_empty());
        assert!(gone.is_some(), "{context}: alive: {:?}", mark.sleepers());
        if place.standing() == Standing::Distrusted {
            place.expect(4, &["check"]);
            return;
        }
        let past = Past::of(&place, "default");
        for line in told.stdout.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            if event["event"] == "iteration" {
                let number = event["iteration"].as_u64().unwrap();
                assert!(past.reported.contains_key(&number), "{context}: lost");
            }
        }
        let next = place.fusebox(&["run", "--once", "--", "true"]);
        assert!(
            matches!(next.code, Some(0 | 42)),
            "{context}; then {next:?}"
        );
    });
    let told = format!("refusals of a supervisor, in {:.1?}", began.elapsed());
    proof("faults", cases.len(), &told);
}

/// A run whose agent has settled down to sleep, with three processes of it.
fn settled_run(place: &Place, mark: &Mark) -> Supervised {
    let script = mark.in_script("SLEEP & (setsid SLEEP >/dev/null 2>&1 &); SLEEP");
    let run = Supervised::start(place, &["run", "--json", "--", "sh", "-c", &script]);
    assert!(eventually(AGES, || mark.sleepers().len() == 3).is_some());
    run
}

#[test]
fn a_killed_keeper_opens_the_breaker() {
    if !have("git") || !have("setsid") {
        return;
    }
    let (place, mark) = (Place::new(), Mark::new());
    let run = settled_run(&place, &mark);
    signal(mark.keeper().unwrap(), Signal::KILL);
    let took = eventually(GONE_WITHIN, || mark.sleepers().is_empty());
    let (code, events) = run.end();
    assert!(took.is_some(), "{:?}", mark.sleepers());
    assert_eq!(code, Some(43), "{events:?}");
    assert!(place.standing().is_open());
    place.expect(42, &["check"]);
    println!(
        "a killed keeper: the tree was gone after {:.1?}",
        took.unwrap()
    );
}

#[test]
fn when_both_are_killed_the_next_run_sweeps() {
    if !have("git") || !have("setsid") {
        return;
    }
    let (place, mark) = (Place::new(), Mark::new());
    let run = settled_run(&place, &mark);
    let keeper = mark.keeper().unwrap();
    // Held first, so that it cannot act between the two kills.
    signal(keeper, Signal::STOP);
    signal(run.pid(), Signal::KILL);
    signal(keeper, Signal::KILL);
    run.kill();
    let cookie = Cookie::of_last_run(&place, "default").unwrap();
    let left = mark.sleepers().len();
    assert!(left > 0, "nothing is left to sweep");
    let next = place.fusebox(&["run", "--once", "--", "true"]);
    assert_eq!(next.code, Some(0), "{next:?}");
    assert!(
        next.stderr.contains("left over from a run that was killed"),
        "{next:?}"
    );
    assert_eq!((mark.sleepers(), cookie.carriers()), (vec![], vec![]));
    println!("both killed: {left} processes were left, and swept by the next run");
}

#[test]
fn a_supervisor_that_was_stopped_for_a_moment_goes_on() {
    if !have("git") {
        return;
    }
    let (place, mark) = (Place::new(), Mark::new());
    let script = mark.in_script("SLEEP & sleep 0.4; echo done >>work; kill $!");
    let run = Supervised::start(&place, &two_iterations(&script));
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(150));
        signal(run.pid(), Signal::STOP);
        std::thread::sleep(Duration::from_millis(150));
        signal(run.pid(), Signal::CONT);
    }
    let (code, events) = run.end();
    assert_eq!(code, Some(45), "{events:?}");
    let past = Past::of(&place, "default");
    assert_eq!((past.granted.len(), past.gained()), (2, 2));
    assert!(mark.sleepers().is_empty());
}

#[test]
fn a_request_that_is_killed_or_refused_leaves_the_run_as_it_is() {
    if !have("git") || !have("setsid") || !strace::available() {
        return;
    }
    let (place, mark) = (Place::new(), Mark::new());
    let mut run = settled_run(&place, &mark);
    let requests = [&["pause"][..], &["resume"], &["stop", "--after-iteration"]];
    let mut tried = 0;
    for args in requests {
        let points = sample(&strace::points(&place, args), 5);
        for (turn, point) in points.iter().enumerate() {
            let fault = ["signal=KILL", "error=EIO"][turn % 2];
            let told = strace::inject(&place, args, point, fault);
            let context = format!("{args:?}, {fault} at {point:?}, said {told:?}");
            assert_ne!(told.code, Some(101), "{context}");
            assert!(!run.has_ended(), "{context}: it ended");
            tried += 1;
        }
    }
    place.expect(0, &["stop"]);
    let (code, events) = run.end();
    assert!(code.is_some_and(|code| code != 1), "{code:?}: {events:?}");
    assert_eq!(mark.sleepers(), Vec::<i32>::new());
    place.expect(0, &["doctor"]);
    proof("faults", tried, "requests to a run, killed and refused");
}
