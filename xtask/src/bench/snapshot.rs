//! What measuring the work tree costs, beside `git status`.
//!
//! It is measured through `check --from-git`, as people pay for it: the check
//! itself, some milliseconds, is part of the figure.

use super::child::wall_of;
use super::figure::{Figure, Report};
use super::samples::Samples;
use super::sandbox::Sandbox;
use super::{Subject, absent};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const DIRECTORIES: usize = 1_000;
const FILES_EACH: usize = 20;
const CHANGES: usize = 50;
const ROUNDS: usize = 9;
const FIRST_ROUNDS: usize = 3;

/// The promises.
const FIRST_MS: f64 = 3_000.0;
const TIMES_STATUS_UNCHANGED: f64 = 2.0;
const TIMES_STATUS_CHANGED: f64 = 3.0;

#[derive(Default)]
struct Measured {
    status: Samples,
    unchanged: Samples,
    status_changed: Samples,
    changed: Samples,
    reported: Samples,
}

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    if let Some(why) = absent("git") {
        report.not_run("snapshot", &why);
        return Ok(());
    }
    let sandbox = subject.sandbox()?;
    generate(&sandbox.work())?;
    git(&sandbox, &["init", "--quiet"])?;
    git(&sandbox, &["add", "--all"])?;
    commit(&sandbox, &["-qmall"])?;
    report_first(&sandbox, report)?;

    wall_of(&mut sandbox.fusebox("default", &["check", "--from-git"]))?;
    let mut measured = Measured::default();
    for round in 0..ROUNDS {
        take_turns(&sandbox, round, &mut measured)?;
    }
    report_later(&measured, report);
    Ok(())
}

/// A tree that was never seen before: each time for a fresh memory, and for a
/// fresh repository of git's.
fn report_first(sandbox: &Sandbox, report: &mut Report) -> Result<()> {
    let (mut added, mut first) = (Samples::default(), Samples::default());
    for number in 0..FIRST_ROUNDS {
        let fresh = |what: &str| sandbox.beside(&format!("fresh-{number}.{what}"));
        let repository = format!("--git-dir={}", fresh("git").display());
        git(sandbox, &[&repository, "init", "--quiet"])?;
        let add = [&repository, "--work-tree=.", "add", "--all"];
        added.push(git(sandbox, &add)?);
        let mut command = sandbox.fusebox("default", &["check", "--from-git"]);
        // The head must be as fresh as the rest, or the rest would be missed.
        command.env("FUSEBOX_STATE_DIR", fresh("state"));
        command.env("XDG_DATA_HOME", fresh("data"));
        first.push(wall_of(&mut command)?);
    }
    let added = Figure::time("git-add-all", added.median());
    let first = Figure::time("snapshot-first", first.median()).beside(&added);
    report.add_all([&added, &first.value_at_most(FIRST_MS)]);
    Ok(())
}

fn take_turns(sandbox: &Sandbox, round: usize, measured: &mut Measured) -> Result<()> {
    let mut check = sandbox.fusebox("default", &["check", "--from-git"]);
    let mut record = sandbox.fusebox("default", &["record", "--from-git"]);
    measured.status.push(status(sandbox)?);
    measured.unchanged.push(wall_of(&mut check)?);
    edit(&sandbox.work(), &format!("round {round}, before a check\n"))?;
    measured.status_changed.push(status(sandbox)?);
    measured.changed.push(wall_of(&mut check)?);
    edit(
        &sandbox.work(),
        &format!("round {round}, before a report\n"),
    )?;
    measured.status_changed.push(status(sandbox)?);
    measured.reported.push(wall_of(&mut record)?);
    // Clean again for git, and new to the breaker: going back to an earlier work
    // tree each round would look like a loop.
    commit(sandbox, &["-qam", "round"])?;
    wall_of(&mut check)?;
    wall_of(&mut record)?;
    Ok(())
}

fn report_later(measured: &Measured, report: &mut Report) {
    let status = Figure::time("git-status-unchanged", measured.status.median());
    let changed = Figure::time("git-status-50-changes", measured.status_changed.median());
    let ms = |name: &str, samples: &Samples| Figure::time(name, samples.median());
    report.add_all([
        &status,
        &ms("snapshot-unchanged", &measured.unchanged)
            .beside(&status)
            .ratio_at_most(TIMES_STATUS_UNCHANGED),
        &changed,
        &ms("snapshot-50-changes", &measured.changed)
            .beside(&changed)
            .ratio_at_most(TIMES_STATUS_CHANGED),
        &ms("snapshot-and-compare-50-changes", &measured.reported).beside(&changed),
    ]);
}

fn commit(sandbox: &Sandbox, arguments: &[&str]) -> Result<Duration> {
    let author = ["-c", "user.name=n", "-c", "user.email=e", "commit"];
    git(sandbox, &[&author[..], arguments].concat())
}

fn status(sandbox: &Sandbox) -> Result<Duration> {
    git(sandbox, &["status", "--porcelain"])
}

fn git(sandbox: &Sandbox, arguments: &[&str]) -> Result<Duration> {
    let mut command: Command = sandbox.program(Path::new("git"));
    wall_of(command.args(arguments))
}

/// Text of some 75 MB that looks like source and is hard to compress, the same
/// every time.
fn generate(root: &Path) -> Result<()> {
    let mut seed = 1_u64;
    for directory in 0..DIRECTORIES {
        let first = file(root, directory, 0);
        let parent = first.parent().unwrap_or(root);
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        for number in 0..FILES_EACH {
            let mut text = String::new();
            for line in 0..10 + (directory * 11 + number * 17) % 164 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                writeln!(text, "    let line_{line} = {seed};")?;
            }
            write(&file(root, directory, number), &text)?;
        }
    }
    Ok(())
}

/// Gives the same files another content each time, so that git never sees more
/// than these changed.
fn edit(root: &Path, text: &str) -> Result<()> {
    for change in 0..CHANGES {
        let directory = change * (DIRECTORIES / CHANGES);
        write(&file(root, directory, change % FILES_EACH), text)?;
    }
    Ok(())
}

fn file(root: &Path, directory: usize, number: usize) -> PathBuf {
    let area = directory % 40;
    root.join(format!("area{area}/part{directory}/file{number}.rs"))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
