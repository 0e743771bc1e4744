//! Many processes that record into one circuit at once: nothing may be lost,
//! and nobody should wait for long.

use super::Subject;
use super::figure::{Figure, Report, Unit};
use super::samples::Samples;
use super::sandbox::Sandbox;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::thread;
use std::time::{Duration, Instant};

const CIRCUIT: &str = "writers";
const RECORDS: usize = 800;
const RECORDS_IN_FULL: usize = 8_000;

/// What came of some writers at work.
struct Outcome {
    records_per_second: Figure,
    median: Figure,
    p99: Figure,
    lost: Figure,
}

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let records = if subject.full {
        RECORDS_IN_FULL
    } else {
        RECORDS
    };
    let one = write(subject, 1, records)?;
    let eight = write(subject, 8, records)?;
    report.add_all([
        &one.records_per_second,
        &eight.records_per_second.beside(&one.records_per_second),
        &one.median,
        &eight.median.beside(&one.median),
        &one.p99.beside(&one.median),
        &eight.p99.beside(&one.median),
        &one.lost.value_at_most(0.0),
        &eight.lost.value_at_most(0.0),
    ]);
    Ok(())
}

fn write(subject: &Subject, writers: usize, records: usize) -> Result<Outcome> {
    let sandbox = subject.sandbox()?;
    let begun = Instant::now();
    let waits = thread::scope(|scope| {
        let start = |_| scope.spawn(|| record(&sandbox, records / writers));
        let started: Vec<_> = (0..writers).map(start).collect();
        let mut all = Samples::default();
        for writer in started {
            let waits = writer.join().ok().context("a writer panicked")??;
            all.extend(waits);
        }
        anyhow::Ok(all)
    })?;
    let took = begun.elapsed();
    outcome(&sandbox, writers, &waits, took)
}

fn record(sandbox: &Sandbox, records: usize) -> Result<Samples> {
    let mut waits = Samples::default();
    for _ in 0..records {
        waits.push(sandbox.record(CIRCUIT)?.wall);
    }
    Ok(waits)
}

fn outcome(sandbox: &Sandbox, writers: usize, waits: &Samples, took: Duration) -> Result<Outcome> {
    let acknowledged = waits.len();
    let found = records_found(sandbox)?;
    let lost = acknowledged.checked_sub(found);
    let lost = lost.with_context(|| format!("{found} records of {acknowledged} written"))?;
    let name = |what: &str| format!("writers-{writers}-{what}");
    let rate = acknowledged as f64 / took.as_secs_f64();
    Ok(Outcome {
        records_per_second: Figure::new(name("rate"), rate, Unit::RecordsPerSecond),
        median: Figure::time(name("wall"), waits.median()),
        p99: Figure::time(name("wall-p99"), waits.p99()),
        lost: Figure::new(name("lost"), lost as f64, Unit::Count),
    })
}

/// How many records the log holds, once every one of them is verified.
fn records_found(sandbox: &Sandbox) -> Result<usize> {
    let doctor = sandbox.fusebox(CIRCUIT, &["doctor"]).output()?;
    ensure!(doctor.status.success(), "doctor failed: {}", doctor.status);
    let last = ["history", "--json", "--last", "1"];
    let last = sandbox.fusebox(CIRCUIT, &last).output()?;
    let last: Value = serde_json::from_slice(&last.stdout).context("the history makes no sense")?;
    let seq = last["seq"].as_u64().context("the history has no numbers")?;
    Ok(usize::try_from(seq)?)
}
