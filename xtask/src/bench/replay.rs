//! What reading and judging recorded sessions costs, beside a bare parse of the
//! same bytes into the same fields.
//!
//! Whoever tries thresholds on years of sessions waits for this. The parse is
//! what no reader can do without, so the ratio says what judging adds.

use super::Subject;
use super::figure::{Figure, Report, Unit};
use crate::place;
use anyhow::{Context, Result, ensure};

/// The share of the parser's speed that has to be left.
const SPEED_AT_LEAST: f64 = 0.4;
/// The share of its own speed that has to be left in a file four times as long.
const LINEAR_AT_LEAST: f64 = 0.8;
/// What deciding about one call may take.
const MICROSECONDS_AT_MOST: f64 = 5.0;
const MEGABYTES_AT_MOST: f64 = 160.0;

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    let mut example = place::cargo(&["run", "--quiet", "--locked", "--profile", "ci"])?;
    example.args([
        "--package",
        "fusebox-replay",
        "--example",
        "throughput",
        "--",
    ]);
    if subject.full {
        example.arg("--full");
    }
    let output = example.output().context("`cargo` cannot be started")?;
    ensure!(
        output.status.success(),
        "the example `throughput` failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    report.add_all(&figures(&String::from_utf8_lossy(&output.stdout))?);
    Ok(())
}

/// The figures that the example printed: bytes, four times in nanoseconds, and
/// kilobytes of memory.
fn figures(printed: &str) -> Result<[Figure; 5]> {
    let numbers = printed.split_whitespace().map(str::parse);
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
    let [bytes, parsed, replayed, replayed_long, decided, kilobytes] = numbers[..] else {
        anyhow::bail!("`{printed}` is not six numbers");
    };
    let speed = |name, bytes: u64, ns: u64| {
        Figure::new(
            name,
            bytes as f64 * 1e3 / ns as f64,
            Unit::MegabytesPerSecond,
        )
    };
    let parse = speed("replay-bare-parse", bytes, parsed);
    let replay = speed("replay", bytes, replayed);
    Ok([
        speed("replay-of-four-times-as-much", 4 * bytes, replayed_long)
            .beside(&replay)
            .ratio_at_least(LINEAR_AT_LEAST),
        replay.beside(&parse).ratio_at_least(SPEED_AT_LEAST),
        parse,
        Figure::new("replay-decision", decided as f64 / 1e3, Unit::Microseconds)
            .value_at_most(MICROSECONDS_AT_MOST),
        Figure::bytes("replay-memory", kilobytes * 1024).value_at_most(MEGABYTES_AT_MOST),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_numbers_become_five_figures_with_their_limits() {
        let lines = |printed| figures(printed).map(|all| all.map(|figure| figure.to_string()));
        assert_eq!(
            lines("1000000 1000000 2000000 8000000 1500 20000\n").unwrap(),
            [
                "replay-of-four-times-as-much 500 MB/s 1.00 replay limit 0.8x ok",
                "replay 500 MB/s 0.50 replay-bare-parse limit 0.4x ok",
                "replay-bare-parse 1000 MB/s 1.00 replay-bare-parse",
                "replay-decision 1.5 us 1.00 replay-decision limit 5us ok",
                "replay-memory 20.480 MB 1.00 replay-memory limit 160MB ok",
            ]
        );
        assert!(lines("1 2 3").is_err());
    }
}
