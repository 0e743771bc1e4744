//! What one decision costs, without a process, a disk or a clock around it.
//!
//! The engine is pure, so this is the only figure of it that a faster disk would
//! not change. Whoever calls it pays for two clones of the state, and the limit
//! says that the state must stay small enough for that not to matter.

use super::Subject;
use super::figure::{Figure, Report, Unit};
use crate::place;
use anyhow::{Context, Result, ensure};

const MICROSECONDS_AT_MOST: f64 = 20.0;
const MEGABYTES_AT_MOST: f64 = 0.064;

pub(super) fn measure(_: &Subject, report: &mut Report) -> Result<()> {
    let mut example = place::cargo(&["run", "--quiet", "--locked", "--profile", "ci"])?;
    example.args(["--package", "fusebox-core", "--example", "decide"]);
    let output = example.output().context("`cargo` cannot be started")?;
    ensure!(
        output.status.success(),
        "the example `decide` failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    report.add_all(&figures(&String::from_utf8_lossy(&output.stdout))?);
    Ok(())
}

/// The figures that the example printed: four times in nanoseconds, then bytes.
fn figures(printed: &str) -> Result<[Figure; 5]> {
    let numbers = printed.split_whitespace().map(str::parse);
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
    let [check, check_p99, tick, tick_p99, bytes] = numbers[..] else {
        anyhow::bail!("`{printed}` is not five numbers");
    };
    let time = |name, ns| Figure::new(name, f64::from(ns) / 1e3, Unit::Microseconds);
    let mean = |name, ns| time(name, ns).value_at_most(MICROSECONDS_AT_MOST);
    let (check, tick) = (mean("decide-check", check), mean("decide-tick", tick));
    Ok([
        time("decide-check-p99", check_p99).beside(&check),
        time("decide-tick-p99", tick_p99).beside(&tick),
        check,
        tick,
        Figure::bytes("decide-state-largest", u64::from(bytes)).value_at_most(MEGABYTES_AT_MOST),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_numbers_become_five_figures_with_their_limits() {
        let lines = |printed| figures(printed).map(|all| all.map(|figure| figure.to_string()));
        assert_eq!(
            lines("5000 9000 9500 41000 21000\n").unwrap(),
            [
                "decide-check-p99 9.0 us 1.80 decide-check",
                "decide-tick-p99 41.0 us 4.32 decide-tick",
                "decide-check 5.0 us 1.00 decide-check limit 20us ok",
                "decide-tick 9.5 us 1.00 decide-tick limit 20us ok",
                "decide-state-largest 0.021 MB 1.00 decide-state-largest limit 0.064MB ok",
            ]
        );
        let missed = lines("20001 1 20001 1 64001").unwrap();
        assert!(missed[2..].iter().all(|line| line.ends_with("MISSED")));
        assert!(lines("").is_err() && lines("1 2 3 4 x").is_err());
    }
}
