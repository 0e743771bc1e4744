//! `cargo xtask test`: everything that must hold before a change is done.

use crate::stage::{Outcome, Stages, outcome_of};
use crate::watchdog::Deadline;
use crate::{install, musl, place, skipped};
use anyhow::{Result, bail};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Beyond this a run no longer tells anyone anything in time.
const LIMIT: Duration = Duration::from_secs(28 * 60);

/// The same cases for everyone: whether a change may land must not hang on a
/// throw of dice. New cases are looked for with `--deep`, which throws them.
const SEED: &str = "20261116";
const DEEP_CASES: &str = "4096";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Formatting, lints and tests only.
    pub(crate) quick: bool,
    /// Let the tests try more cases than anyone wants to wait for.
    pub(crate) deep: bool,
}

impl Options {
    pub(crate) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        for word in words {
            match word {
                "--quick" => options.quick = true,
                "--deep" => options.deep = true,
                _ => bail!("`{word}` is none of --quick and --deep"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    println!("building into {}", place::target_directory()?.display());
    let mut stages = Stages::within(LIMIT);
    if !options.quick {
        stages.run("install", |deadline| Ok(install::run(deadline)));
    }
    stages.run_command("fmt", place::cargo(&["fmt", "--all", "--check"]));
    stages.run_command("clippy", clippy());
    run_tests(&mut stages, options);
    if !options.quick {
        stages.run_command("doc", doc());
        stages.run("build", static_build);
        stages.run_if_time("deny", deny);
        stages.run_if_time("advisories", advisories);
    }
    Ok(stages.conclude())
}

fn clippy() -> Result<Command> {
    let mut command = place::cargo(&["clippy", "--locked", "--workspace", "--all-targets"])?;
    command.args(["--", "-D", "warnings"]);
    Ok(command)
}

fn doc() -> Result<Command> {
    let mut command = place::cargo(&["doc", "--locked", "--workspace", "--no-deps"])?;
    command
        .arg("--document-private-items")
        .env("RUSTDOCFLAGS", "-D warnings");
    Ok(command)
}

fn deny(deadline: Deadline) -> Result<Outcome> {
    if let Err(error) = install::cargo_deny(deadline) {
        return Ok(Outcome::NotRun(format!(
            "there is no cargo-deny: {error:#}"
        )));
    }
    let mut check = place::cargo(&["deny", "--locked", "check", "bans", "licenses", "sources"])?;
    outcome_of(&mut check, deadline)
}

/// Asks for the advisory database first: whether it can be had is a fact
/// about the network, what it then says is one about our dependencies.
fn advisories(deadline: Deadline) -> Result<Outcome> {
    if !install::has_cargo_deny() {
        return Ok(Outcome::NotRun("there is no cargo-deny".to_owned()));
    }
    let fetched = outcome_of(&mut place::cargo(&["deny", "fetch", "db"])?, deadline)?;
    if fetched != Outcome::Passed {
        let why = "the advisory database cannot be reached";
        return Ok(Outcome::NotRun(why.to_owned()));
    }
    let mut check = place::cargo(&["deny", "--locked", "check", "advisories"])?;
    outcome_of(&mut check, deadline)
}

fn static_build(deadline: Deadline) -> Result<Outcome> {
    let missing = musl::missing();
    if !missing.is_empty() {
        return Ok(Outcome::NotRun(format!("missing: {}", missing.join(", "))));
    }
    let target = musl::target();
    // Whether it links is the question; what it costs, `bench` asks of an optimised one.
    let mut build = place::cargo(&["build", "--locked", "--target", &target])?;
    build.args(["--package", "fusebox", "--bin", "fusebox"]);
    outcome_of(&mut build, deadline)
}

/// One process per test suits tests that send signals, so nextest is used
/// where it is installed. It knows nothing of examples in documentation,
/// which cargo's own runner then has to run.
fn run_tests(stages: &mut Stages, options: Options) {
    let tests = |arguments: &[&str]| -> Result<Command> {
        let mut command = place::cargo(arguments)?;
        command.args(["--locked", "--workspace", "--no-fail-fast"]);
        // Tests drive the binary that was built with them, never one that
        // the caller's environment points at.
        command.env_remove("FUSEBOX_BIN");
        if options.deep {
            command
                .env("FUSEBOX_DEEP", "1")
                .env("PROPTEST_CASES", DEEP_CASES);
        } else {
            command
                .env("FUSEBOX_QUICK", "1")
                .env("PROPTEST_RNG_SEED", SEED);
        }
        Ok(command)
    };
    if place::is_on_path("cargo-nextest") {
        stages.run_command("doctests", tests(&["test", "--doc"]));
        stages.run("tests", |deadline| {
            skipped::forget()?;
            outcome_of(&mut tests(&["nextest", "run"])?, deadline)
        });
        let unheard = |error| vec![format!("what was skipped is not known: {error:#}")];
        stages.remark(skipped::told().unwrap_or_else(unheard));
    } else {
        stages.run_command("tests", tests(&["test"]));
    }
}
