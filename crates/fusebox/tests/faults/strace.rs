//! Faults at a chosen system call, by way of strace.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::place::{Place, Told, scratch};

/// The `ordinal`th call of `name`, counted from the start of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) ordinal: usize,
}

/// Whether strace is there and may trace; says so loudly if not.
pub(crate) fn available() -> bool {
    let tried = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .output();
    let works = tried.is_ok_and(|output| output.status.success());
    if !works {
        eprintln!("SKIPPED: strace is not installed or may not trace");
    }
    works
}

/// Every system call that `fusebox args` makes in `place`, once it is loaded.
pub(crate) fn points(place: &Place, args: &[&str]) -> Vec<Point> {
    let dir = scratch();
    let trace = dir.path().join("trace");
    under(place, &tracing(&trace), args).output().unwrap();
    points_in(&trace, |_| true)
}

/// The words before a command whose system calls are to be written to `trace`.
pub(crate) fn tracing(trace: &Path) -> Vec<String> {
    let trace = trace.display().to_string();
    ["strace", "-qq", "-o", &trace].map(str::to_owned).to_vec()
}

/// `fusebox args` with these words before it.
fn under(place: &Place, words: &[String], args: &[&str]) -> Command {
    let mut command = place.command(&words[0]);
    command.args(&words[1..]).arg(place.program()).args(args);
    command
}

/// The system calls in a trace that strace wrote, those on a line as it is wanted.
pub(crate) fn points_in(trace: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Point> {
    parse(&fs::read_to_string(trace).unwrap(), wanted)
}

/// The standard library opens with a poll of the three standard descriptors;
/// what comes before is the loader's.
fn parse(trace: &str, wanted: impl Fn(&str) -> bool) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut loaded = None;
    for line in trace.lines() {
        let Some((name, _)) = line.split_once('(') else {
            continue;
        };
        if !name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            continue;
        }
        if name == "poll" {
            loaded.get_or_insert(points.len());
        }
        let seen = counts.entry(name).or_insert(0);
        *seen += 1;
        if wanted(line) {
            points.push(Point {
                name: name.to_owned(),
                ordinal: *seen,
            });
        }
    }
    points.split_off(loaded.unwrap_or(0))
}

/// Runs `fusebox args` and does `fault` to it at `point`. Only the process
/// itself is traced, not what it starts.
pub(crate) fn inject(place: &Place, args: &[&str], point: &Point, fault: &str) -> Told {
    let mut command = under(place, &injecting(point, fault), args);
    Told::from(command.output().unwrap())
}

/// The words before a command to which `fault` will be done at `point`.
pub(crate) fn injecting(point: &Point, fault: &str) -> Vec<String> {
    let Point { name, ordinal } = point;
    let (trace, inject) = (
        format!("trace={name}"),
        format!("inject={name}:{fault}:when={ordinal}"),
    );
    [
        "strace",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        &trace,
        "-e",
        &inject,
    ]
    .map(str::to_owned)
    .to_vec()
}

#[test]
fn calls_are_counted_by_name_from_the_start_of_the_program() {
    let trace = "execve(\"x\") = 0\nread(3) = 0\npoll([]) = 0\nread(3) = 1\n\
                 --- SIGCHLD {si_signo=SIGCHLD (x)} ---\nread(3) = 2\nexit_group(0) = ?\n";
    let names = |wanted: fn(&str) -> bool| -> Vec<_> {
        let points = parse(trace, wanted).into_iter();
        points.map(|point| (point.name, point.ordinal)).collect()
    };
    let owned = |points: &[(&str, usize)]| -> Vec<_> {
        let points = points.iter();
        points
            .map(|(name, ordinal)| ((*name).to_owned(), *ordinal))
            .collect()
    };
    let all = [("poll", 1), ("read", 2), ("read", 3), ("exit_group", 1)];
    assert_eq!(names(|_| true), owned(&all));
    assert_eq!(names(|line| line.ends_with('2')), owned(&[("read", 3)]));
}
