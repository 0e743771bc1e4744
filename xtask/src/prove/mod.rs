//! `cargo xtask prove`: what was done to the program, and what it let happen.
//!
//! Nothing here knows a result. Tests say how much they tried in lines that begin with
//! `proof:`, the fuzzer counts what it ran, and this chore adds up: what was tried, and what
//! went wrong, which is a failed test, a crash, or a finding that a test counted itself.

mod fuzz;
mod page;
mod scoreboard;
mod tests;
mod twice;

use crate::place;
use crate::stage::{Outcome, Stages};
use anyhow::{Context, Result, bail};
use scoreboard::Scoreboard;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A run that anybody waits for.
const LIMIT: Duration = Duration::from_secs(40 * 60);
/// One that nobody does.
const DEEP_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Every point instead of some of them, and hours instead of minutes.
    pub(crate) deep: bool,
}

impl Options {
    pub(crate) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        for word in words {
            match word {
                "--deep" => options.deep = true,
                _ => bail!("`{word}` is not --deep"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let mut stages = Stages::within(if options.deep { DEEP_LIMIT } else { LIMIT });
    let mut board = Scoreboard::default();
    stages.run("build", tests::build);
    stages.run("build the fuzzer", fuzz::build);
    let began = Instant::now();
    for stage in &tests::STAGES {
        stages.run(stage.name, |deadline| {
            tests::run(stage, options.deep, deadline, &mut board)
        });
    }
    stages.run("fuzz", |_| fuzz::run(options.deep, &mut board));
    board.took = began.elapsed();
    if options.deep {
        stages.run("mutants", |_| {
            Ok(match crate::mutants::run()? == ExitCode::SUCCESS {
                true => Outcome::Passed,
                false => Outcome::Failed("a change went unnoticed".to_owned()),
            })
        });
        stages.run("built twice", twice::run);
    }
    let page = place::repository().join("docs/src/explanation/proof.md");
    let text = std::fs::read_to_string(&page)
        .with_context(|| format!("{} cannot be read", page.display()))?;
    std::fs::write(&page, page::with_scoreboard(&text, &board)?)
        .with_context(|| format!("{} cannot be written", page.display()))?;
    let concluded = stages.conclude();
    println!("\n{}", board.table());
    Ok(if board.is_clean() {
        concluded
    } else {
        ExitCode::FAILURE
    })
}
