//! `cargo xtask guard`: what the guard stops beforehand, and what it undoes afterwards.
//!
//! Two figures from one table of commands. Each command is judged; then each that should
//! be stopped is let loose on a copy of a workspace, in a system of its own that is
//! thrown away, and what it destroyed is put back.

mod prison;
mod workspace;

use crate::place;
use anyhow::{Context, Result, bail};
use fusebox_guard::keep::{Author, Bounds, Kept};
use fusebox_guard::{Guard, Limits, Protected, batch};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use workspace::Workspace;

/// The share of destructive commands that must be stopped beforehand, in percent.
const LEAST_CAUGHT: usize = 95;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// A table of commands; the project's own if none is named.
    pub(crate) cases: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--cases" => {
                    let file = words.next().context("--cases needs a file")?;
                    options.cases = Some(file.into());
                }
                _ => bail!("`{word}` is not --cases"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let own = || place::repository().join("crates/guard/tests/it/cases.tsv");
    let file = options.cases.clone().unwrap_or_else(own);
    let table = match fs::read_to_string(&file) {
        Ok(table) => table,
        Err(error) => {
            println!("skipped: {} cannot be read: {error}", file.display());
            return Ok(ExitCode::SUCCESS);
        }
    };
    let judged = judge(&table)?;
    let Some(undone) = execute(&table)? else {
        return Ok(judged);
    };
    Ok(if undone == ExitCode::SUCCESS {
        judged
    } else {
        undone
    })
}

/// The first figure: what is stopped.
fn judge(table: &str) -> Result<ExitCode> {
    let workspace = Workspace::new()?;
    let score = batch::run(
        &guard(&workspace),
        &workspace.root(),
        table,
        |case, decision| {
            let wrong = match case.expected.as_str() {
                "block" => decision == fusebox_guard::Decision::Allow,
                "allow" => decision == fusebox_guard::Decision::Deny,
                _ => false,
            };
            if wrong {
                println!("not {}: {}", case.expected, batch::escaped(&case.command));
            }
        },
    );
    let stopped = score.allow.1 - score.allow.0;
    println!(
        "block caught {}/{}, allow stopped {stopped}/{}",
        score.block.0, score.block.1, score.allow.1
    );
    let sound = score.block.0 * 100 >= score.block.1 * LEAST_CAUGHT && stopped == 0;
    Ok(ExitCode::from(u8::from(!sound)))
}

/// A guard that has time even on a busy machine and without optimisation: this is about
/// what it understands. What it costs is measured elsewhere.
fn guard(workspace: &Workspace) -> Guard {
    let limits = Limits {
        cpu: Duration::from_secs(5),
        wall: Duration::from_secs(20),
        ..Limits::default()
    };
    let home = workspace.home().to_string_lossy().into_owned();
    Guard::new(Protected::new(&workspace.root()))
        .with_limits(limits)
        .with_environment([("HOME".to_owned(), home)])
}

/// The second figure: what comes back. `None` if nothing can be executed here.
fn execute(table: &str) -> Result<Option<ExitCode>> {
    if let Err(why) = prison::is_possible() {
        println!("skipped: commands cannot be executed safely here: {why}");
        return Ok(None);
    }
    let (mut executed, mut harmful, mut files, mut back) = (0, 0, 0, 0);
    for case in table.lines().filter_map(batch::Case::parse) {
        if case.expected != "block" {
            continue;
        }
        let workspace = Workspace::new()?;
        let protected = Protected::new(&workspace.root());
        let vault = tempfile::tempdir()?;
        let (mut kept, _) = Kept::take(vault.path(), &protected, Bounds::default())?;
        let before = workspace.protected_files(&protected)?;
        prison::run(workspace.home(), &case.command)?;
        let report = kept.settle(&protected, Author::Calls { writing: &[] })?;
        let after = workspace.protected_files(&protected)?;
        let same = before
            .iter()
            .filter(|(path, content)| after.get(*path) == Some(content));
        let same = same.count();
        executed += 1;
        harmful += usize::from(!report.lost.is_empty());
        files += before.len();
        back += same;
        if same < before.len() {
            println!("not back: {}", batch::escaped(&case.command));
        }
    }
    println!(
        "executed {executed}, of which {harmful} destroyed something; \
         protected files as they were {back}/{files}"
    );
    Ok(Some(ExitCode::from(u8::from(back < files))))
}
