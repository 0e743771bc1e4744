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
use anyhow::{Context, Result, bail, ensure};
use scoreboard::Scoreboard;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A run that anybody waits for.
const LIMIT: Duration = Duration::from_secs(40 * 60);
/// One that nobody does.
const DEEP_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The parts that are not tests: made-up input, and what only a deep proof does.
const INPUTS: &str = "inputs";
const MUTANTS: &str = "mutants";
const TWICE: &str = "twice";

/// How much is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Some points, for whoever changes something and wants to know at once.
    Quick,
    /// Every kind of fault, at every call that stores.
    #[default]
    Usual,
    /// Every point, and hours of it.
    Deep,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// What an earlier run of the tests printed, instead of running them.
    pub(crate) results: Option<PathBuf>,
    pub(crate) depth: Depth,
    /// One part instead of all of them.
    pub(crate) only: Option<String>,
}

impl Options {
    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--quick" | "--deep" if options.depth != Depth::Usual => {
                    bail!("it is --quick or --deep, and once");
                }
                "--quick" => options.depth = Depth::Quick,
                "--deep" => options.depth = Depth::Deep,
                "--only" => {
                    let part = words.next().context("--only needs a part")?;
                    let parts = parts();
                    let known = parts.contains(&part);
                    ensure!(known, "`{part}` is none of {}", parts.join(", "));
                    options.only = Some(part.to_owned());
                }
                "--results" => {
                    let file = words.next().context("--results needs a file")?;
                    options.results = Some(PathBuf::from(file));
                }
                _ => bail!("`{word}` is none of --quick, --deep, --only and --results"),
            }
        }
        Ok(options)
    }

    fn asks_for(&self, part: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == part)
    }

    /// Whether what comes of it can stand for all there is to prove.
    fn is_whole(&self) -> bool {
        self.only.is_none() && self.depth != Depth::Quick
    }
}

fn parts() -> Vec<&'static str> {
    let tested = trials::STAGES.iter().map(|stage| stage.part);
    tested.chain([INPUTS, MUTANTS, TWICE]).collect()
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut board = match options.only {
        Some(_) => Scoreboard::of_one_part(),
        None => Scoreboard::default(),
    };
    let concluded = match &options.results {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            trials::hear(&text, &mut board);
            ExitCode::SUCCESS
        }
        None => try_all(options, &mut board),
    };
    println!("\n{}\n\n{}", board.table(), board.lines());
    if options.is_whole() {
        write_page(&board)?;
    }
    Ok(if board.is_clean() {
        concluded
    } else {
        ExitCode::FAILURE
    })
}

fn write_page(board: &Scoreboard) -> Result<()> {
    let page = place::repository().join("docs/src/explanation/proof.md");
    let text = std::fs::read_to_string(&page)
        .with_context(|| format!("{} cannot be read", page.display()))?;
    std::fs::write(&page, page::with_scoreboard(&text, board)?)
        .with_context(|| format!("{} cannot be written", page.display()))
}

fn try_all(options: &Options, board: &mut Scoreboard) -> ExitCode {
    let depth = options.depth;
    let deep = depth == Depth::Deep;
    let mut stages = Stages::within(if deep { DEEP_LIMIT } else { LIMIT });
    let tested = trials::STAGES.iter();
    let tested: Vec<_> = tested
        .filter(|stage| options.asks_for(stage.part))
        .collect();
    stages.run("build", |deadline| trials::build(&tested, depth, deadline));
    if options.asks_for(INPUTS) {
        stages.run("build of the fuzzer", fuzz::build);
    }
    let began = Instant::now();
    if options.asks_for(INPUTS) {
        stages.run("made-up input", |_| fuzz::run(depth, board));
    }
    for stage in tested {
        stages.run(stage.name, |deadline| {
            trials::run(stage, depth, deadline, board)
        });
    }
    board.took = began.elapsed();
    let also = |part| options.only.as_deref() == Some(part) || (deep && options.only.is_none());
    if also(MUTANTS) {
        stages.run("mutants", |_| {
            Ok(
                if crate::mutants::run(&crate::mutants::Options::all_at_once())?
                    == ExitCode::SUCCESS
                {
                    Outcome::Passed
                } else {
                    Outcome::Failed("a change went unnoticed".to_owned())
                },
            )
        });
    }
    if also(TWICE) {
        stages.run("built twice", twice::run);
    }
    stages.conclude()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_and_a_part_can_be_chosen_and_nothing_else() {
        let parse = |words: &str| Options::parse(words.split_whitespace());
        let soak = parse("--deep --only soak").unwrap();
        assert_eq!((soak.depth, soak.asks_for("soak")), (Depth::Deep, true));
        assert!(!soak.asks_for("disk") && !soak.is_whole());
        assert!(!parse("--quick").unwrap().is_whole());
        let all = parse("").unwrap();
        assert!(all.is_whole() && parts().iter().all(|part| all.asks_for(part)));
        for wrong in ["--quick --deep", "--only", "--only nothing", "--slow"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
