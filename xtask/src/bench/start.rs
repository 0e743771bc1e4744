//! What it costs to start at all: the floor under every call.

use super::figure::{Figure, Report};
use super::samples::Samples;
use super::{Subject, child, empty_program};
use anyhow::{Context, Result};
use std::fs;

const ROUNDS: usize = 200;
/// What is downloaded before anything is known of it should not be large: 20 MB.
const MOST_BYTES: f64 = 20.0 * 1024.0 * 1024.0;

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    let (mut empty_cpu, mut empty_wall) = (Samples::default(), Samples::default());
    let (mut version_cpu, mut version_wall) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let empty = child::cost_of(&mut sandbox.program(empty_program()?))?;
        empty_cpu.push(empty.cpu);
        empty_wall.push(empty.wall);
        let version = child::cost_of(sandbox.program(subject.binary()).arg("--version"))?;
        version_cpu.push(version.cpu);
        version_wall.push(version.wall);
    }
    let cpu = Figure::time("true-cpu", empty_cpu.median());
    let wall = Figure::time("true-wall", empty_wall.median());
    report.add_all([
        &cpu,
        &Figure::time("version-cpu", version_cpu.median()).beside(&cpu),
        &wall,
        &Figure::time("version-wall", version_wall.median()).beside(&wall),
    ]);
    let path = subject.binary();
    let size = fs::metadata(path).with_context(|| format!("cannot examine {}", path.display()))?;
    report.add(&Figure::bytes("binary-size", size.len()).value_at_most(MOST_BYTES));
    Ok(())
}
