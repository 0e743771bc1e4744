//! The tests that prove something, and what they print of it.

use super::Depth;
use super::scoreboard::Scoreboard;
use crate::place;
use crate::stage::{Outcome, outcome_of};
use crate::watchdog::{self, Deadline, Ended};
use anyhow::{Context, Result};
use std::io::{Read, Seek};
use std::process::Command;

/// One target, or some of its tests.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    /// What it is called on the command line.
    pub(crate) part: &'static str,
    /// The figure that a failed test counts against.
    figure: &'static str,
    target: &'static [&'static str],
    filters: &'static [&'static str],
}

/// In the order in which they are run.
pub(crate) const STAGES: [Stage; 9] = [
    Stage {
        name: "the memory on a disk that fails",
        part: "disk",
        figure: "faults",
        target: &["--package", "fusebox-store", "--lib"],
        filters: &[
            "tests::crash",
            "tests::power_cut",
            "tests::sealing",
            "tests::failures",
            "tests::restarting",
            "tests::retaining",
        ],
    },
    Stage {
        name: "the memory, byte for byte",
        part: "bytes",
        figure: "damage",
        target: &["--package", "fusebox-store", "--lib"],
        filters: &["tests::damage", "tests::leading_astray"],
    },
    Stage {
        name: "the program, killed, refused and damaged",
        part: "program",
        figure: "faults",
        target: &["--package", "fusebox", "--test", "faults"],
        filters: &["--skip", "tampering", "--skip", "soak"],
    },
    Stage {
        name: "tampering",
        part: "tampering",
        figure: "tampering",
        target: &["--package", "fusebox", "--test", "faults"],
        filters: &["tampering"],
    },
    Stage {
        name: "hostile repositories",
        part: "repositories",
        figure: "attacks",
        target: &["--package", "fusebox-workspace", "--test", "it"],
        filters: &["hostile", "limits"],
    },
    Stage {
        name: "hostile agents and texts",
        part: "agents",
        figure: "attacks",
        target: &["--package", "fusebox", "--test", "it"],
        filters: &["hostile", "disloyal", "astray", "memory::"],
    },
    Stage {
        name: "what is sent",
        part: "sent",
        figure: "texts",
        target: &["--package", "fusebox-notify"],
        filters: &[],
    },
    Stage {
        name: "every state of the breaker",
        part: "states",
        figure: "states",
        target: &["--package", "fusebox-core", "--test", "exploration"],
        filters: &[],
    },
    Stage {
        name: "soak",
        part: "soak",
        figure: "iterations",
        target: &["--package", "fusebox", "--test", "faults"],
        filters: &["soak"],
    },
];

/// Builds all of them, so that no figure includes a compiler's time.
pub(crate) fn build(stages: &[&Stage], depth: Depth, deadline: Deadline) -> Result<Outcome> {
    for stage in stages {
        let mut cargo = test(stage, depth)?;
        let outcome = outcome_of(cargo.arg("--no-run"), deadline)?;
        if outcome != Outcome::Passed {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Passed)
}

/// Runs a stage and takes down what it says.
pub(crate) fn run(
    stage: &Stage,
    depth: Depth,
    deadline: Deadline,
    board: &mut Scoreboard,
) -> Result<Outcome> {
    let mut said = tempfile::tempfile().context("no place for what tests say")?;
    let mut cargo = command(stage, depth)?;
    cargo.stdout(said.try_clone().context("no place for what tests say")?);
    let ended = watchdog::run(&mut cargo, deadline)?;
    let mut output = String::new();
    said.rewind()?;
    said.read_to_string(&mut output)
        .context("what tests say is not text")?;
    board.hear(&output);
    board.add(stage.figure, 0, failures(&output));
    let outcome = match ended {
        Ended::Exited(status) if status.success() => return Ok(Outcome::Passed),
        Ended::Exited(status) => format!("{status}"),
        Ended::Overran => "it took too long".to_owned(),
    };
    println!("{output}");
    board.add(stage.figure, 0, u64::from(failures(&output) == 0));
    Ok(Outcome::Failed(outcome))
}

fn command(stage: &Stage, depth: Depth) -> Result<Command> {
    let mut cargo = test(stage, depth)?;
    cargo.arg("--no-fail-fast").arg("--").args(stage.filters);
    cargo.arg("--nocapture").env_remove("FUSEBOX_BIN");
    match depth {
        Depth::Quick => cargo.env("FUSEBOX_QUICK", "1"),
        Depth::Usual => cargo.env_remove("FUSEBOX_QUICK"),
        Depth::Deep => cargo.env("FUSEBOX_DEEP", "1"),
    };
    Ok(cargo)
}

/// What takes hours is worth an optimised build.
fn test(stage: &Stage, depth: Depth) -> Result<Command> {
    let mut cargo = place::cargo(&["test", "--locked"])?;
    cargo.args(stage.target);
    if depth == Depth::Deep {
        cargo.args(["--profile", "ci"]);
    }
    Ok(cargo)
}

/// Takes down what an earlier run said. Which figure a failed test would have counted against
/// is not known any more, so it counts against the first.
pub(crate) fn hear(output: &str, board: &mut Scoreboard) {
    board.hear(output);
    board.add(STAGES[0].figure, 0, failures(output));
}

/// How many tests failed, by the list that ends a run of them.
fn failures(output: &str) -> u64 {
    let counts = output.lines().filter_map(|line| {
        let (_, failed) = line.strip_prefix("test result: ")?.split_once("passed; ")?;
        failed.split(' ').next()?.parse::<u64>().ok()
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_counted_over_all_targets() {
        let output = "test a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\
            test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured\n";
        assert_eq!(failures(output), 2);
        assert_eq!(failures("error: could not compile"), 0);
    }
}
