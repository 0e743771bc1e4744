//! Kills and refusals at the system calls of commands that also keep files in the work tree,
//! or answer an agent from inside.
//!
//! What is asked is less than of `check` and `record`, which [`kills`](crate::kills) takes
//! apart, and the same in spirit: the history is as it was before the command or as it would
//! have been after it, the latter if anybody was told so; and where no step was allowed before
//! and after, none is allowed in between.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::openings::Openings;
use crate::place::{FUSEBOX, Place, Told, copy_tree, scratch};
use crate::sampling::{STORING, deep, proof, sample};
use crate::strace::{self, Point};

/// A command in a situation.
struct Case {
    name: &'static str,
    /// Leads to the situation, by a shell in the work tree; `$F` is the program.
    setup: &'static str,
    args: &'static [&'static str],
    /// What it reads; `DIR` stands for the work tree.
    input: &'static str,
}

const NATIVE_OPEN: &str = "$F -q record --files-changed 1; $F -q trip --reason x";
const CALL: &str =
    r#"{"session_id":"s","cwd":"DIR","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
const BOARD: &str = "mkdir .liza; printf 'sprint:\\n  started: 2026-01-01T00:00:00Z\\nanomalies: []\\n' >.liza/state.yaml
    $F -q --preset liza analyze";

const CASES: &[Case] = &[
    Case {
        name: "a phase with its files",
        setup: "$F -q --preset prp phase start RED; $F -q phase end RED --tests-generated 0",
        args: &["phase", "end", "RED", "--tests-generated", "0"],
        input: "",
    },
    Case {
        name: "a phase that is skipped",
        setup: "$F -q --preset prp phase start RED; $F -q phase end RED --tests-generated 0",
        args: &["phase", "skip", "--reason", "known"],
        input: "",
    },
    Case {
        name: "a trip with its files",
        setup: "$F -q --preset prp phase start RED; $F -q phase end RED --tests-generated 0",
        args: &["trip", "--reason", "x"],
        input: "",
    },
    Case {
        name: "a session with its files",
        setup: "$F -q --preset bmad record --files-changed 1",
        args: &["record", "--files-changed", "0"],
        input: "",
    },
    Case {
        name: "an edit of the threshold",
        setup: "$F -q --preset bmad record --files-changed 1",
        args: &["edit", "--answer", "C,T,7,features are large,X"],
        input: "",
    },
    Case {
        name: "an analysis of a blackboard",
        setup: BOARD,
        args: &["analyze"],
        input: "",
    },
    Case {
        name: "a trigger on a blackboard",
        setup: BOARD,
        args: &["trip", "--reason", "x"],
        input: "",
    },
    Case {
        name: "a tool before an open breaker",
        setup: NATIVE_OPEN,
        args: &["hook", "claude", "pre-tool-use"],
        input: CALL,
    },
    Case {
        name: "a tool that was used",
        setup: NATIVE_OPEN,
        args: &["hook", "claude", "post-tool-use"],
        input: CALL,
    },
    Case {
        name: "the end of a turn",
        setup: "$F -q record --files-changed 1",
        args: &["hook", "claude", "stop"],
        input: r#"{"session_id":"s","cwd":"DIR"}"#,
    },
    Case {
        name: "a task that is added",
        setup: "$F -q tasks add one >/dev/null; $F -q trip --reason x",
        args: &["tasks", "add", "two"],
        input: "",
    },
    Case {
        name: "a release",
        setup: NATIVE_OPEN,
        args: &["reset", "--reason", "looked"],
        input: "",
    },
];

/// A work tree whose files can be put back as they were; its directory stays, because memories
/// belong to a directory and not to a path.
struct Site {
    place: Place,
    files: tempfile::TempDir,
}

impl Site {
    fn of(case: &Case) -> Self {
        let place = Place::new();
        let mut shell = place.command("sh");
        let set_up = shell
            .env("F", FUSEBOX)
            .args(["-c", case.setup])
            .output()
            .unwrap();
        assert!(
            matches!(set_up.status.code(), Some(0 | 42)),
            "{}: {set_up:?}",
            case.name
        );
        let files = scratch();
        copy_tree(place.workspace(), files.path());
        Self { place, files }
    }

    /// The same situation once more.
    fn again(&self) -> Place {
        for entry in fs::read_dir(self.place.workspace()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        copy_tree(self.files.path(), self.place.workspace());
        self.place.copy()
    }
}

/// How things stand: what the history holds, and what a check answers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Past {
    kinds: Vec<String>,
    gate: Option<i32>,
}

impl Past {
    fn of(place: &Place) -> Self {
        let told = place.fusebox(&["history", "--json", "-n", "1000"]);
        // Of a memory that cannot be believed nothing is told.
        let told = told.stdout.lines().filter(|_| told.code == Some(0));
        let kinds = told.map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["kind"].as_str().unwrap().to_owned()
        });
        let kinds = kinds.collect();
        let gate = place.copy().fusebox(&["check"]).code;
        Self { kinds, gate }
    }
}

fn called(mut command: Command, place: &Place, case: &Case) -> Told {
    let dir = place.workspace().display().to_string();
    let input = place.homes().join("input");
    fs::write(&input, case.input.replace("DIR", &dir)).unwrap();
    command.stdin(Stdio::from(fs::File::open(input).unwrap()));
    Told::from(command.output().unwrap())
}

fn plainly(place: &Place, case: &Case) -> Told {
    let mut command = place.command(FUSEBOX);
    command.args(case.args);
    called(command, place, case)
}

fn with_fault(place: &Place, case: &Case, point: &Point, fault: &str) -> Told {
    called(
        strace::injecting(place, case.args, point, fault),
        place,
        case,
    )
}

fn traced(place: &Place, case: &Case) -> Vec<Point> {
    let dir = scratch();
    let trace = dir.path().join("trace");
    called(strace::tracing(place, case.args, &trace), place, case);
    strace::points_in(Path::new(&trace))
}

/// Kills the command at some of its calls, or at all when deep, and lets the disk refuse each
/// that stores.
fn sweep(case: &Case, openings: &Openings) -> usize {
    let site = Site::of(case);
    let before = Past::of(&site.again());
    let finished = site.again();
    let clean = plainly(&finished, case);
    if clean.code == Some(5) {
        eprintln!("SKIPPED: a release is refused here: {}", clean.stderr);
        return 0;
    }
    let after = Past::of(&finished);
    let points = traced(&site.again(), case);
    assert!(points.len() > 20, "{}: {points:?}", case.name);
    let storing: Vec<Point> = points
        .iter()
        .filter(|point| STORING.contains(&point.name.as_str()))
        .cloned()
        .collect();
    let mut faults: Vec<(Point, &str)> = Vec::new();
    faults.extend(
        sample(&points, 16)
            .into_iter()
            .map(|point| (point, "signal=KILL")),
    );
    faults.extend(storing.iter().map(|point| (point.clone(), "signal=KILL")));
    for refusal in ["error=ENOSPC", "error=EIO", "error=EROFS"] {
        let some = sample(&storing, 10).into_iter();
        faults.extend(some.map(|point| (point, refusal)));
    }
    for (point, fault) in &faults {
        let place = site.again();
        let told = with_fault(&place, case, point, fault);
        let found = Past::of(&place);
        let context = format!(
            "{}: {fault} at {point:?} left {found:?}, having said {told:?}",
            case.name
        );
        assert_ne!(told.code, Some(101), "{context}: it panicked");
        if before.gate != Some(0) && after.gate != Some(0) {
            openings.must_deny(found.gate, &context);
        }
        if found.gate == Some(4) {
            // A flush that failed leaves a memory that nobody vouches for; that is a no.
            assert!(fault.starts_with("error"), "{context}");
            continue;
        }
        let gates = [before.gate, after.gate];
        assert!(
            gates.contains(&found.gate),
            "{context}; was {before:?}, would be {after:?}"
        );
        let lost = !found.kinds.starts_with(&before.kinds);
        assert!(
            !lost,
            "{context}: acknowledged records are gone from {before:?}"
        );
        let done =
            told.code == clean.code && !told.stdout.is_empty() && told.stdout == clean.stdout;
        assert!(
            !done || found.kinds.len() >= after.kinds.len(),
            "{context}; told of {after:?}"
        );
        if case.args == ["hook", "claude", "pre-tool-use"] && told.signal.is_none() {
            assert_eq!(
                told.code,
                Some(2),
                "{context}: an open breaker let a tool pass"
            );
        }
    }
    faults.len()
}

fn sweep_all(cases: &[Case]) {
    if !strace::available() {
        return;
    }
    let began = Instant::now();
    let openings = Openings::default();
    let tried = cases.iter().map(|case| sweep(case, &openings)).sum();
    openings.tell();
    proof(
        "faults",
        tried,
        &format!("{} commands in {:.1?}", cases.len(), began.elapsed()),
    );
}

#[test]
fn commands_that_keep_files_survive_kills_and_refusals() {
    sweep_all(&CASES[..5]);
}

#[test]
fn blackboards_hooks_and_tasks_survive_kills_and_refusals() {
    sweep_all(&CASES[5..]);
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
