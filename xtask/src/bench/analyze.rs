//! Looking for patterns on a large blackboard. Ten thousand anomalies are more than
//! any sprint has; whoever has them must not wait, and twice as many must not cost
//! four times as much.

use std::fmt::Write as _;
use std::fs;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::Subject;
use super::child;
use super::figure::{Figure, Report};
use super::samples::Samples;
use super::sandbox::Sandbox;

const FEW: u32 = 1_000;
const MANY: u32 = 10_000;
const ROUNDS: usize = 10;
/// n log n, and a little for noise.
const TIMES_THE_FEW: f64 = 14.0;
const MILLISECONDS: f64 = 200.0;
const MEGABYTES: f64 = 100.0;

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    fs::create_dir(sandbox.work().join(".liza")).context("cannot make .liza")?;
    let few = cost(&sandbox, FEW, report)?;
    let many = cost(&sandbox, MANY, report)?;
    report.add(&many.beside(&few).ratio_at_most(TIMES_THE_FEW));
    let peak = peak(&sandbox, MANY)?;
    report.add(&Figure::bytes(format!("analyze-memory-{MANY}"), peak).value_at_most(MEGABYTES));
    Ok(())
}

/// The processor time of an analysis of so many anomalies; how long it took is
/// reported on the way.
fn cost(sandbox: &Sandbox, anomalies: u32, report: &mut Report) -> Result<Figure> {
    let (mut cpu, mut wall) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let cost = child::cost_of(&mut analysis(sandbox, anomalies)?)?;
        cpu.push(cost.cpu);
        wall.push(cost.wall);
    }
    let took = Figure::time(format!("analyze-wall-{anomalies}"), wall.median());
    report.add(&took.value_at_most(MILLISECONDS));
    Ok(Figure::time(
        format!("analyze-cpu-{anomalies}"),
        cpu.median(),
    ))
}

/// An analysis of a fresh blackboard.
fn analysis(sandbox: &Sandbox, anomalies: u32) -> Result<Command> {
    let path = sandbox.work().join(".liza/state.yaml");
    fs::write(&path, board(anomalies)).with_context(|| path.display().to_string())?;
    let mut command = sandbox.fusebox("default", &["analyze"]);
    command.env("FUSEBOX_PRESET", "liza");
    Ok(command)
}

/// A blackboard where every error is another one: nothing is found, and everything
/// has to be looked at.
fn board(anomalies: u32) -> String {
    let mut board = String::from(
        "version: 1\nsprint: {timeline: {started: 2025-01-01T00:00:00Z}}\nanomalies:\n",
    );
    for n in 0..anomalies {
        let (hour, minute, second) = (n / 3_600 % 24, n / 60 % 60, n % 60);
        let _ = write!(
            board,
            "  - timestamp: 2025-01-18T{hour:02}:{minute:02}:{second:02}Z\n    task: task-{n}\n    reporter: code-reviewer-1\n    type: retry_loop\n    details:\n      count: 3\n      error_pattern: \"{:x} failure on nested entity\"\n      root_cause_hypothesis: \"data model doesn't support nesting\"\n",
            u64::from(n).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        );
    }
    board
}

/// The most memory that an analysis ever had, as its last look at itself tells.
fn peak(sandbox: &Sandbox, anomalies: u32) -> Result<u64> {
    let mut command = analysis(sandbox, anomalies)?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = child::start(&mut command)?;
    let mut most = 0;
    while child
        .try_wait()
        .context("cannot wait for a child")?
        .is_none()
    {
        most = most.max(high_water(&child));
    }
    child::succeed(&command, &mut child)?;
    ensure!(most > 0, "its memory could not be read");
    Ok(most)
}

fn high_water(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1_024
}
