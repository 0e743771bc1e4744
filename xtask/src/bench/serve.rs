//! `fusebox serve` and `fusebox report` after a long past, and with many who watch.

use super::figure::{Figure, Report, Unit};
use super::growth::live_through;
use super::samples::Samples;
use super::sandbox::Sandbox;
use super::{Subject, child};
use crate::served::Served;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

const PAST: u32 = 100_000;
const ROUNDS: usize = 20;
const VIEWERS: usize = 50;
/// Ten events a second, for as long as this many take.
const EVENTS: usize = 50;
const PACE: Duration = Duration::from_millis(100);

/// The promises.
const FIRST_PAGE_MS: f64 = 200.0;
const MEMORY_MB: f64 = 100.0;
/// A report and a search are waited for, but not for long.
const REPORT_MS: f64 = 2_000.0;

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    live_through(&sandbox, "past", PAST)?;
    pages(&sandbox, report)?;
    reports(&sandbox, report)?;
    searches(&sandbox, report)?;
    viewers(&sandbox, report)
}

/// The first answer of a server that has just started counts, and the median of many.
fn pages(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    let served = start(sandbox)?;
    let (first, body) = timed(&served, "/pages/overview")?;
    let found = body.split("#/loops/").nth(1);
    let id = found.and_then(|rest| rest.split('"').next());
    let id = id.context("the overview names no loop")?.to_owned();
    report.add(&Figure::time("first-page", first).value_at_most(FIRST_PAGE_MS));
    for (name, target) in [
        ("overview", "/pages/overview".to_owned()),
        ("loop", format!("/pages/loops/{id}")),
        ("incidents", "/pages/incidents".to_owned()),
        ("api-loops", "/api/loops".to_owned()),
        ("api-iterations", format!("/api/loops/{id}/iterations")),
        ("metrics", "/metrics".to_owned()),
    ] {
        let mut times = Samples::default();
        for _ in 0..ROUNDS {
            times.push(timed(&served, &target)?.0);
        }
        let name = format!("{name}-after-{PAST}");
        report.add(&Figure::time(name, times.median()).value_at_most(FIRST_PAGE_MS));
    }
    Ok(())
}

fn reports(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    for scope in ["run", "day", "incident"] {
        let mut times = Samples::default();
        for _ in 0..3 {
            let mut command = sandbox.fusebox("past", &["report", scope]);
            times.push(child::wall_of(&mut command)?);
        }
        let name = format!("report-{scope}-after-{PAST}");
        report.add(&Figure::time(name, times.median()).value_at_most(REPORT_MS));
    }
    Ok(())
}

/// The first search brings the index up to date, and pays for all of the past.
fn searches(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    let search = || sandbox.fusebox("past", &["history", "--search", "nothing of the kind"]);
    let first = child::wall_of(&mut search())?;
    report.add(&Figure::time(format!("first-search-after-{PAST}"), first));
    let mut times = Samples::default();
    for _ in 0..ROUNDS {
        times.push(child::wall_of(&mut search())?);
    }
    let name = format!("search-after-{PAST}");
    report.add(&Figure::time(name, times.median()).value_at_most(REPORT_MS));
    Ok(())
}

fn viewers(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    let served = start(sandbox)?;
    let mut watching = Vec::new();
    for _ in 0..VIEWERS {
        let mut stream = BufReader::new(served.ask("/api/events")?);
        let mut line = String::new();
        while !line.starts_with(": here") {
            line.clear();
            ensure!(stream.read_line(&mut line)? > 0, "a viewer was let go");
        }
        watching.push(thread::spawn(move || count(stream)));
    }
    // What was there before is not news; that it was seen takes a moment.
    thread::sleep(Duration::from_secs(1));
    for _ in 0..EVENTS {
        let begun = Instant::now();
        child::cost_of(&mut sandbox.fusebox("live", &["trip", "--reason", "look"]))?;
        thread::sleep(PACE.saturating_sub(begun.elapsed()));
    }
    thread::sleep(Duration::from_secs(1));
    let peak = peak_memory(&served.child)?;
    drop(served);
    let mut least = usize::MAX;
    for viewer in watching {
        least = least.min(viewer.join().unwrap_or(0));
    }
    report.add_all([
        &Figure::new("viewers", VIEWERS as f64, Unit::Count),
        &Figure::new("events-seen-by-each", least as f64, Unit::Count)
            .value_at_least(EVENTS as f64),
        &Figure::bytes("serve-memory", peak).value_at_most(MEMORY_MB),
    ]);
    Ok(())
}

/// How many events a viewer gets until the server ends.
fn count(stream: BufReader<TcpStream>) -> usize {
    let lines = stream.lines().map_while(Result::ok);
    lines.filter(|line| line.starts_with("data: ")).count()
}

fn peak_memory(child: &Child) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    Ok(kilobytes.context("its memory is not told")? * 1_024)
}

fn start(sandbox: &Sandbox) -> Result<Served> {
    Served::start(&mut sandbox.fusebox("default", &["serve", "--json"]))
}

/// How long it takes until the last byte is here, and all of them.
fn timed(served: &Served, target: &str) -> Result<(Duration, String)> {
    let begun = Instant::now();
    let body = served.get(target)?;
    Ok((begun.elapsed(), body))
}
