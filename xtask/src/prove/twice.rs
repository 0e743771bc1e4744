//! Two builds in two places, which must come out the same to the byte: then whoever builds the
//! sources can tell whether what they were given was built from them.

use crate::place;
use crate::stage::{Outcome, outcome_of};
use crate::watchdog::Deadline;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn run(deadline: Deadline) -> Result<Outcome> {
    let top = tempfile::tempdir().context("no place to build in")?;
    let places = ["one", "another/deeper"].map(|name| top.path().join(name).join("sources"));
    // Both before either is built: that takes a while, in which somebody may commit.
    for sources in &places {
        copy_sources(sources)?;
    }
    let mut built = Vec::new();
    for sources in &places {
        let outcome = outcome_of(&mut build(sources), deadline)?;
        if outcome != Outcome::Passed {
            return Ok(outcome);
        }
        let program = target(sources).join("dist/fusebox");
        built.push(fs::read(&program).with_context(|| format!("no {}", program.display()))?);
    }
    Ok(if built.windows(2).all(|pair| pair[0] == pair[1]) {
        println!(
            "two builds from different paths: {} bytes, all the same",
            built[0].len()
        );
        Outcome::Passed
    } else {
        Outcome::Failed("two builds from different paths differ".to_owned())
    })
}

/// What git knows of, and nothing that lies beside it.
fn copy_sources(to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let script = "git -C \"$1\" archive --format=tar HEAD | tar -x -C \"$2\"";
    let status = Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(place::repository())
        .arg(to)
        .status()
        .context("`sh` cannot be started")?;
    ensure!(status.success(), "the sources cannot be copied");
    Ok(())
}

fn build(sources: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    let remap = format!("--remap-path-prefix={}=/fusebox", sources.display());
    cargo
        .args([
            "build",
            "--locked",
            "--profile",
            "dist",
            "--package",
            "fusebox",
            "--bin",
            "fusebox",
        ])
        .current_dir(sources)
        .env("RUSTFLAGS", remap)
        .env("CARGO_TARGET_DIR", target(sources));
    cargo
}

fn target(sources: &Path) -> PathBuf {
    sources.with_file_name("target")
}
