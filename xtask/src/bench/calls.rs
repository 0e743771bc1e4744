//! `check` and `record`, as a loop of one's own calls them.
//!
//! The promise is about the pair, because every iteration pays for both: at
//! most three times the processor time of two empty programs, and no more time
//! than that plus the two flushes that make the answers durable.

use super::child::{self, Cost};
use super::figure::{Figure, Report, Unit};
use super::samples::Samples;
use super::sandbox::{RECORD, Sandbox};
use super::{Subject, absent, empty_program};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A circuit grants 100 calls an hour, so each is used for half as many.
const ROUNDS_PER_CIRCUIT: usize = 50;
const CIRCUITS: usize = 6;
const CIRCUITS_IN_FULL: usize = 20;

/// The promises.
const TIMES_TWO_EMPTY: u32 = 3;
const MEGABYTES: f64 = 20.0;

/// What one kind of call cost, round after round.
#[derive(Default)]
struct Series {
    cpu: Samples,
    wall: Samples,
}

impl Series {
    fn push(&mut self, cost: Cost) {
        self.cpu.push(cost.cpu);
        self.wall.push(cost.wall);
    }
}

#[derive(Default)]
struct Measured {
    check: Series,
    record: Series,
    pair: Series,
    two_empty: Series,
    flush: Samples,
}

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    let circuits = if subject.full {
        CIRCUITS_IN_FULL
    } else {
        CIRCUITS
    };
    let mut measured = Measured::default();
    for number in 0..circuits {
        take_turns(&sandbox, &format!("calls-{number}"), &mut measured)?;
    }
    report_cpu(&measured, report);
    report_wall(&measured, report);
    report_memory(&sandbox, report)?;
    report_children(&sandbox, report)
}

fn take_turns(sandbox: &Sandbox, circuit: &str, measured: &mut Measured) -> Result<()> {
    // The first pair creates the circuit; the second has the size of all that
    // follow.
    sandbox.pair(circuit)?;
    let before = sandbox.log_size(circuit)?;
    sandbox.pair(circuit)?;
    let grown = usize::try_from(sandbox.log_size(circuit)? - before)?;
    let mut bare = BareFlush::new(&sandbox.beside(circuit), grown / 2)?;
    let empty = || child::cost_of(&mut sandbox.program(empty_program()?));
    for _ in 0..ROUNDS_PER_CIRCUIT {
        let check = sandbox.check(circuit)?;
        let first_empty = empty()?;
        measured.flush.push(bare.append()?);
        let record = sandbox.record(circuit)?;
        let second_empty = empty()?;
        measured.flush.push(bare.append()?);
        measured.check.push(check);
        measured.record.push(record);
        measured.pair.push(check + record);
        measured.two_empty.push(first_empty + second_empty);
    }
    Ok(())
}

/// The least that durability can cost: append to an open file and flush it.
struct BareFlush {
    file: File,
    bytes: Vec<u8>,
}

impl BareFlush {
    fn new(path: &Path, size: usize) -> Result<Self> {
        let file = File::create(path);
        Ok(Self {
            file: file.with_context(|| format!("cannot create {}", path.display()))?,
            bytes: vec![b'x'; size],
        })
    }

    fn append(&mut self) -> Result<Duration> {
        let begun = Instant::now();
        self.file.write_all(&self.bytes)?;
        self.file.sync_data()?;
        Ok(begun.elapsed())
    }
}

fn report_cpu(measured: &Measured, report: &mut Report) {
    let empty = Figure::time("two-true-cpu", measured.two_empty.cpu.median());
    let cpu = |name: &str, series: &Series| Figure::time(name, series.cpu.median()).beside(&empty);
    report.add_all([
        &empty,
        &cpu("check-cpu", &measured.check),
        &cpu("record-cpu", &measured.record),
        &cpu("pair-cpu", &measured.pair).ratio_at_most(f64::from(TIMES_TWO_EMPTY)),
        &Figure::time("pair-cpu-p99", measured.pair.cpu.p99()).beside(&empty),
    ]);
}

fn report_wall(measured: &Measured, report: &mut Report) {
    let empty = Figure::time("two-true-wall", measured.two_empty.wall.median());
    let flush = Figure::time("bare-fdatasync-wall", measured.flush.median());
    let flush_p99 = Figure::time("bare-fdatasync-wall-p99", measured.flush.p99());
    report.add_all([&empty, &flush, &flush_p99.beside(&flush)]);
    for (name, series) in [("check", &measured.check), ("record", &measured.record)] {
        report.add(&Figure::time(format!("{name}-wall"), series.wall.median()).beside(&flush));
        report.add(&Figure::time(format!("{name}-wall-p99"), series.wall.p99()).beside(&flush));
    }
    let allowed = measured.two_empty.wall.median() * TIMES_TWO_EMPTY + measured.flush.median() * 2;
    let allowed = Figure::time("pair-wall-allowance", allowed);
    let pair = |name, time| Figure::time(name, time).beside(&allowed);
    report.add_all([
        &allowed,
        &pair("pair-wall", measured.pair.wall.median()).ratio_at_most(1.0),
        &pair("pair-wall-p99", measured.pair.wall.p99()),
    ]);
}

fn report_memory(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    let calls: [(&str, &[&str]); 2] = [("check-memory", &["check"]), ("record-memory", &RECORD)];
    for (name, arguments) in calls {
        // People's output says nothing when all is well; JSON always speaks.
        let mut command = sandbox.fusebox("memory", arguments);
        let peak = child::peak_memory_when_speaking(command.arg("--json"))?;
        report.add(&Figure::bytes(name, peak).value_at_most(MEGABYTES));
    }
    Ok(())
}

/// Counts the processes and threads that `check` and `record` start.
fn report_children(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    if let Some(why) = absent("strace") {
        report.not_run("children", &why);
        return Ok(());
    }
    let mut children = 0;
    for arguments in [&["check"][..], &RECORD] {
        children += children_of(sandbox, arguments)?;
    }
    let figure = Figure::new("children", f64::from(children), Unit::Count);
    report.add(&figure.value_at_most(0.0));
    Ok(())
}

fn children_of(sandbox: &Sandbox, arguments: &[&str]) -> Result<u32> {
    let trace = sandbox.beside("trace");
    let measured = sandbox.fusebox("children", arguments);
    let mut strace = sandbox.program(Path::new("strace"));
    strace.args(["-f", "-e", "trace=/^(clone3?|v?fork|execve)$", "-o"]);
    strace.arg(&trace).arg(measured.get_program());
    strace.args(measured.get_args()).stdin(Stdio::null());
    child::wall_of(&mut strace)?;
    let trace = fs::read_to_string(&trace).context("strace left no trace")?;
    let calls = |name: &str| trace.lines().filter(|line| line.contains(name)).count();
    // Its own start is in every trace; without it, nothing was traced at all.
    ensure!(calls("execve(") == 1, "not one program in:\n{trace}");
    Ok(u32::try_from(calls("clone") + calls("fork("))?)
}
