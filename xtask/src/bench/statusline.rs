//! `fusebox statusline`, as it is drawn with every prompt.

use super::figure::{Figure, Report};
use super::samples::Samples;
use super::{Subject, child, empty_program};
use anyhow::Result;

const ROUNDS: usize = 200;
/// The promise.
const WALL_MS: f64 = 5.0;

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    for _ in 0..10 {
        sandbox.record("prompt")?;
    }
    let (mut empty_cpu, mut empty_wall) = (Samples::default(), Samples::default());
    let (mut line_cpu, mut line_wall) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let empty = child::cost_of(&mut sandbox.program(empty_program()?))?;
        empty_cpu.push(empty.cpu);
        empty_wall.push(empty.wall);
        let line = child::cost_of(&mut sandbox.fusebox("prompt", &["statusline"]))?;
        line_cpu.push(line.cpu);
        line_wall.push(line.wall);
    }
    let cpu = Figure::time("true-cpu", empty_cpu.median());
    let wall = Figure::time("true-wall", empty_wall.median());
    report.add_all([
        &cpu,
        &Figure::time("statusline-cpu", line_cpu.median()).beside(&cpu),
        &wall,
        &Figure::time("statusline-wall", line_wall.median())
            .beside(&wall)
            .value_at_most(WALL_MS),
    ]);
    Ok(())
}
