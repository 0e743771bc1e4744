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
    tracing(place, args, &trace).output().unwrap();
    points_in(&trace)
}

/// `fusebox args`, its system calls to be written to `trace`.
pub(crate) fn tracing(place: &Place, args: &[&str], trace: &Path) -> Command {
    let mut command = place.command("strace");
    command.arg("-qq").arg("-o").arg(trace);
    command.arg(place.program()).args(args);
    command
}

/// The system calls in a trace that strace wrote.
pub(crate) fn points_in(trace: &Path) -> Vec<Point> {
    parse(&fs::read_to_string(trace).unwrap())
}

/// The standard library opens with a poll of the three standard descriptors;
/// what comes before is the loader's.
fn parse(trace: &str) -> Vec<Point> {
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
        points.push(Point {
            name: name.to_owned(),
            ordinal: *seen,
        });
    }
    points.split_off(loaded.unwrap_or(0))
}

/// Runs `fusebox args` and does `fault` to it at `point`. Only the process
/// itself is traced, not what it starts.
pub(crate) fn inject(place: &Place, args: &[&str], point: &Point, fault: &str) -> Told {
    Told::from(injecting(place, args, point, fault).output().unwrap())
}

/// `fusebox args`, to which `fault` will be done at `point`.
pub(crate) fn injecting(place: &Place, args: &[&str], point: &Point, fault: &str) -> Command {
    let Point { name, ordinal } = point;
    let mut command = place.command("strace");
    command
        .args(["-qq", "-o", "/dev/null", "-e", &format!("trace={name}")])
        .args(["-e", &format!("inject={name}:{fault}:when={ordinal}")])
        .arg(place.program())
        .args(args);
    command
}

#[test]
fn calls_are_counted_by_name_from_the_start_of_the_program() {
    let trace = "execve(\"x\") = 0\nread(3) = 0\npoll([]) = 0\nread(3) = 1\n\
                 --- SIGCHLD {si_signo=SIGCHLD (x)} ---\nread(3) = 2\nexit_group(0) = ?\n";
    let names: Vec<_> = parse(trace)
        .into_iter()
        .map(|point| (point.name, point.ordinal))
        .collect();
    let expected = [("poll", 1), ("read", 2), ("read", 3), ("exit_group", 1)];
    assert_eq!(
        names,
        expected.map(|(name, ordinal)| (name.to_owned(), ordinal))
    );
}
