//! The tests that prove something, and what they print of it.

use super::Depth;
use super::scoreboard::Scoreboard;
use super::stages::{STAGES, Stage};
use crate::stage::{Outcome, outcome_of};
use crate::watchdog::{self, Deadline, Ended};
use crate::{place, skipped};
use anyhow::{Context, Result};
use std::io::{Read, Seek};
use std::process::Command;

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
    let ended = watchdog::hear(&mut command(stage, depth)?, &said, deadline)?;
    let mut output = String::new();
    said.rewind()?;
    said.read_to_string(&mut output)
        .context("what tests say is not text")?;
    board.hear(&output);
    let failed = failures(&output);
    board.add(stage.figures[0], 0, failed);
    let mut wrong = match ended {
        Ended::Exited(status) if status.success() => Vec::new(),
        Ended::Exited(status) => vec![status.to_string()],
        Ended::Overran => vec!["it took too long".to_owned()],
    };
    if !wrong.is_empty() {
        println!("{output}");
        board.add(stage.figures[0], 0, u64::from(failed == 0));
    }
    wrong.extend(untried(stage, &output));
    Ok(if wrong.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(wrong.join("; "))
    })
}

/// What a stage left out, by what it printed: tests that skip pass, and so does a filter that
/// matches none. Neither proves anything.
fn untried(stage: &Stage, output: &str) -> Vec<String> {
    let mut left_out = skipped::said_in(output);
    let mut wanted = stage.filters.iter();
    while let Some(filter) = wanted.next() {
        if *filter == "--skip" {
            wanted.next();
        } else if !tests(output).any(|name| name.contains(filter)) {
            left_out.push(format!("no test is called `{filter}`"));
        }
    }
    if tests(output).next().is_none() {
        left_out.push("no test was run".to_owned());
    }
    let mut said = Scoreboard::default();
    said.hear(output);
    let silent = stage
        .figures
        .iter()
        .filter(|figure| said.tried(figure) == 0);
    left_out.extend(silent.map(|figure| format!("no test told of {figure}")));
    left_out
}

/// The names of the tests that were run.
fn tests(output: &str) -> impl Iterator<Item = &str> {
    // What a test prints may stand on the same line, before its name or behind it.
    output.lines().filter_map(|line| {
        let (_, rest) = line.split_once("test ")?;
        Some(rest.split_once(" ... ")?.0)
    })
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
pub(crate) fn hear(output: &str, board: &mut Scoreboard) -> Outcome {
    board.hear(output);
    board.add(STAGES[0].figures[0], 0, failures(output));
    let skipped = skipped::said_in(output);
    if skipped.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(skipped.join("; "))
    }
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

    const TWO: Stage = Stage {
        name: "two",
        part: "two",
        figures: &["faults", "records"],
        target: &[],
        filters: &["kills", "disk::", "--skip", "soak"],
    };

    #[test]
    fn a_stage_that_tried_all_it_should_is_complete() {
        let output = "running 2 tests\ntest kills::a ... proof: faults 5\nok\n\
            proof: records 7 of them\ntest disk::b ... ok\ntest result: ok. 2 passed; 0 failed\n";
        assert_eq!(untried(&TWO, output), [""; 0]);
    }

    #[test]
    fn a_stage_that_skips_or_tries_nothing_is_not_complete() {
        let output = "test kills::a ... SKIPPED: strace is not installed\nok\nproof: faults 5\n";
        assert_eq!(
            untried(&TWO, output),
            [
                "SKIPPED 1 times: strace is not installed",
                "no test is called `disk::`",
                "no test told of records"
            ]
        );
        let nothing = untried(
            &TWO,
            "running 0 tests\ntest result: ok. 0 passed; 0 failed\n",
        );
        assert!(
            nothing.contains(&"no test was run".to_owned()),
            "{nothing:?}"
        );
    }

    #[test]
    fn each_stage_tells_of_figures_that_the_board_has() {
        let board = Scoreboard::default();
        for stage in &STAGES {
            assert!(!stage.figures.is_empty(), "{}", stage.name);
            for figure in stage.figures {
                assert!(board.has(figure), "{}: {figure}", stage.name);
            }
        }
    }
}
