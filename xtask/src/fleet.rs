//! `cargo xtask fleet`: the fleet against servers of its own, which are crashed, cut off
//! and driven as fast as they can be.
//!
//! The tests of the crate say that each rule holds; this says that they hold together, for
//! long and under load. Each experiment is an example of the crate, prints its figures,
//! and fails when one of them is not what it must be.

use crate::place;
use anyhow::{Context, Result, bail};
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// As long and as many as is claimed, rather than as is quick.
    pub(crate) full: bool,
}

struct Experiment {
    name: &'static str,
    quick: &'static [&'static str],
    full: &'static [&'static str],
}

const EXPERIMENTS: [Experiment; 4] = [
    Experiment {
        name: "side_by_side",
        quick: &["8", "3", "2"],
        full: &["64", "10", "5"],
    },
    Experiment {
        name: "never_exceeded",
        quick: &["16", "20000", "400", "100", "1"],
        // A limit that the disk is far from: most attempts are then refused, as in a fleet.
        full: &["64", "1000000", "20000", "60", "3"],
    },
    Experiment {
        name: "cut_link",
        quick: &["45"],
        full: &["90"],
    },
    Experiment {
        name: "simulated",
        quick: &["200", "20", "16"],
        full: &["1000", "300", "32"],
    },
];

impl Options {
    pub(crate) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        for word in words {
            match word {
                "--full" => options.full = true,
                _ => bail!("`{word}` is not --full"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let mut failed = Vec::new();
    for experiment in &EXPERIMENTS {
        let name = experiment.name;
        let sizes = if options.full {
            experiment.full
        } else {
            experiment.quick
        };
        println!("{name} {}", sizes.join(" "));
        let mut command = place::cargo(&["run", "--quiet", "--locked", "--profile", "ci"])?;
        command.args(["--package", "fusebox-fleet", "--example", name, "--"]);
        let status = command
            .args(sizes)
            .status()
            .context("`cargo` cannot be started")?;
        if !status.success() {
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("failed: {}", failed.join(", "));
    Ok(ExitCode::FAILURE)
}
