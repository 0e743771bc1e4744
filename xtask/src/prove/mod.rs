//! `cargo xtask prove`: what was done to the program, and what it let happen.
//!
//! Nothing here knows a result. Tests say how much they tried in lines that begin with
//! `proof:`, and this chore adds up: what was tried, and how many tests failed.

mod fuzz;
mod page;
mod scoreboard;
mod stages;
mod trials;
mod twice;

use crate::stage::{Outcome, Stages};
use crate::{install, place};
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
        self.only.is_none() && self.depth != Depth::Quick && self.results.is_none()
    }

    /// What has to be told of.
    fn board(&self) -> Scoreboard {
        let Some(only) = self.only.as_deref() else {
            return Scoreboard::default();
        };
        let tested = stages::STAGES.iter().filter(|stage| stage.part == only);
        let figures = tested.flat_map(|stage| stage.figures).copied();
        let inputs = (only == INPUTS).then_some("inputs");
        Scoreboard::of_one_part(figures.chain(inputs).collect())
    }
}

fn parts() -> Vec<&'static str> {
    let tested = stages::STAGES.iter().map(|stage| stage.part);
    let mut parts: Vec<_> = tested.chain([INPUTS, MUTANTS, TWICE]).collect();
    parts.dedup();
    parts
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut board = options.board();
    let stages = match &options.results {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            let mut stages = Stages::within(LIMIT);
            stages.run("results", |_| Ok(trials::hear(&text, &mut board)));
            stages
        }
        None => try_all(options, &mut board),
    };
    let concluded = stages.conclude();
    println!("\n{}\n\n{}", board.table(), board.lines());
    let is_proved = concluded == ExitCode::SUCCESS && board.is_clean();
    if options.is_whole() {
        if is_proved {
            write_page(&board)?;
        } else {
            println!("the page stays as it is: not all of it was tried, or not all of it held");
        }
    }
    Ok(if is_proved {
        ExitCode::SUCCESS
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

fn try_all(options: &Options, board: &mut Scoreboard) -> Stages {
    let depth = options.depth;
    let deep = depth == Depth::Deep;
    let mut stages = Stages::within(if deep { DEEP_LIMIT } else { LIMIT });
    let tested = stages::STAGES.iter();
    let tested: Vec<_> = tested
        .filter(|stage| options.asks_for(stage.part))
        .collect();
    if !tested.is_empty() {
        stages.run("install", |deadline| Ok(install::for_proof(deadline)));
    }
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
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_alone_that_told_of_nothing_is_not_proved() {
        for part in parts() {
            let only = Some(part.to_owned());
            let options = Options {
                only,
                ..Options::default()
            };
            let has_figures = ![MUTANTS, TWICE].contains(&part);
            assert_eq!(options.board().is_clean(), !has_figures, "{part}");
        }
    }

    #[test]
    fn a_depth_and_a_part_can_be_chosen_and_nothing_else() {
        let parse = |words: &str| Options::parse(words.split_whitespace());
        let soak = parse("--deep --only soak").unwrap();
        assert_eq!((soak.depth, soak.asks_for("soak")), (Depth::Deep, true));
        assert!(!soak.asks_for("disk") && !soak.is_whole());
        assert!(!parse("--quick").unwrap().is_whole());
        assert!(!parse("--results log").unwrap().is_whole());
        let all = parse("").unwrap();
        assert!(all.is_whole() && parts().iter().all(|part| all.asks_for(part)));
        for wrong in ["--quick --deep", "--only", "--only nothing", "--slow"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
