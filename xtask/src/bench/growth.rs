//! Whether the past makes the next call dearer. It must not: whoever lets a
//! loop run for a year should not pay for it at every step.

use super::Subject;
use super::figure::{Figure, Report};
use super::samples::Samples;
use super::sandbox::Sandbox;
use crate::place;
use anyhow::{Context, Result, ensure};

const ITERATIONS: [u32; 3] = [10, 1_000, 100_000];
/// A circuit grants 100 calls an hour; one may be left from its past.
const ROUNDS: usize = 60;
const TIMES_THE_FEWEST: f64 = 1.2;

/// What a pair of calls costs after this many iterations.
struct Past {
    iterations: u32,
    circuit: String,
    cpu: Samples,
    wall: Samples,
}

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let sandbox = subject.sandbox()?;
    let mut pasts = ITERATIONS.map(|iterations| Past {
        iterations,
        circuit: format!("past-{iterations}"),
        cpu: Samples::default(),
        wall: Samples::default(),
    });
    for past in &pasts {
        live_through(&sandbox, &past.circuit, past.iterations)?;
    }
    for _ in 0..ROUNDS {
        for past in &mut pasts {
            let cost = sandbox.pair(&past.circuit)?;
            past.cpu.push(cost.cpu);
            past.wall.push(cost.wall);
        }
    }
    report_beside_the_fewest(&pasts, "cpu", |past| &past.cpu, report);
    report_beside_the_fewest(&pasts, "wall", |past| &past.wall, report);
    Ok(())
}

/// Gives a circuit its past in bulk, through the engine and the store. Running
/// the program 100,000 times would leave the same log behind, minutes later.
pub(super) fn live_through(sandbox: &Sandbox, circuit: &str, iterations: u32) -> Result<()> {
    let mut prefill = place::cargo(&["run", "--quiet", "--locked", "--package", "fusebox"])?;
    prefill.args(["--example", "prefill", "--"]);
    let surroundings = sandbox.fusebox(circuit, &[]);
    for (name, value) in surroundings.get_envs() {
        // Cargo needs the real home; the example does not look at it.
        if name != "HOME" {
            prefill.env(name, value.unwrap_or_default());
        }
    }
    prefill.arg(sandbox.work()).arg(circuit);
    prefill.arg(iterations.to_string());
    let status = prefill.status().context("`cargo` cannot be started")?;
    ensure!(status.success(), "the example `prefill` failed: {status}");

    let doctor = sandbox.fusebox(circuit, &["doctor"]).output()?;
    let said = String::from_utf8_lossy(&doctor.stdout);
    ensure!(
        doctor.status.success() && said.contains("sound"),
        "the past of {iterations} iterations is not believed:\n{said}"
    );
    Ok(())
}

fn report_beside_the_fewest(
    pasts: &[Past; ITERATIONS.len()],
    what: &str,
    samples: impl Fn(&Past) -> &Samples,
    report: &mut Report,
) {
    let median = |past: &Past| {
        let name = format!("pair-{what}-after-{}", past.iterations);
        Figure::time(name, samples(past).median())
    };
    let [fewest, more, most] = pasts;
    let fewest = median(fewest);
    report.add_all([
        &fewest,
        &median(more).beside(&fewest),
        &median(most).beside(&fewest).ratio_at_most(TIMES_THE_FEWEST),
    ]);
}
