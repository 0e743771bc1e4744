//! `cargo xtask prove`: what was done to the program, and what it let happen.
//!
//! Nothing here knows a result. Tests say how much they tried in lines that begin with
//! `proof:`, and this chore adds up: what was tried, and how many tests failed.

mod fuzz;
mod page;
mod scoreboard;
mod trials;
mod twice;

use crate::place;
use crate::stage::{Outcome, Stages};
use anyhow::{Context, Result, bail};
use scoreboard::Scoreboard;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A run that anybody waits for.
const LIMIT: Duration = Duration::from_secs(40 * 60);
/// One that nobody does.
const DEEP_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// What an earlier run of the tests printed, instead of running them.
    pub(crate) results: Option<PathBuf>,
    /// Every point instead of some of them, and hours instead of minutes.
    pub(crate) deep: bool,
}

impl Options {
    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--deep" => options.deep = true,
                "--results" => {
                    let file = words.next().context("--results needs a file")?;
                    options.results = Some(PathBuf::from(file));
                }
                _ => bail!("`{word}` is none of --deep and --results"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut board = Scoreboard::default();
    let concluded = match &options.results {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            trials::hear(&text, &mut board);
            ExitCode::SUCCESS
        }
        None => try_all(options.deep, &mut board),
    };
    println!("\n{}", board.table());
    let page = place::repository().join("docs/src/explanation/proof.md");
    let text = std::fs::read_to_string(&page)
        .with_context(|| format!("{} cannot be read", page.display()))?;
    std::fs::write(&page, page::with_scoreboard(&text, &board)?)
        .with_context(|| format!("{} cannot be written", page.display()))?;
    Ok(if board.is_clean() {
        concluded
    } else {
        ExitCode::FAILURE
    })
}

fn try_all(deep: bool, board: &mut Scoreboard) -> ExitCode {
    let mut stages = Stages::within(if deep { DEEP_LIMIT } else { LIMIT });
    stages.run("build", |deadline| trials::build(deep, deadline));
    stages.run("build of the fuzzer", fuzz::build);
    let began = Instant::now();
    stages.run("made-up input", |_| fuzz::run(deep, board));
    for stage in &trials::STAGES {
        stages.run(stage.name, |deadline| {
            trials::run(stage, deep, deadline, board)
        });
    }
    board.took = began.elapsed();
    if deep {
        stages.run("mutants", |_| {
            Ok(
                if crate::mutants::run(&crate::mutants::Options::default())? == ExitCode::SUCCESS {
                    Outcome::Passed
                } else {
                    Outcome::Failed("a change went unnoticed".to_owned())
                },
            )
        });
        stages.run("built twice", twice::run);
    }
    stages.conclude()
}
