//! `cargo xtask semver`: whether those who build on the engine can go on doing so.
//!
//! `fusebox-core` is a library that others may use; the rest of the workspace is the
//! program's own. The comparison is cargo-semver-checks'; the version it compares with is
//! a commit of this repository, the last release unless another is named.

use crate::place;
use anyhow::{Context, Result, bail, ensure};
use std::process::{Command, ExitCode};

const LIBRARY: &str = "fusebox-core";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The commit to compare with, instead of the last release.
    pub(crate) since: Option<String>,
}

impl Options {
    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--since" => {
                    let commit = words.next().context("--since needs a commit")?;
                    options.since = Some(commit.to_owned());
                }
                _ => bail!("`{word}` is not --since"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    ensure!(
        place::is_on_path("cargo-semver-checks"),
        "there is no cargo-semver-checks; `cargo install --locked cargo-semver-checks` gets it"
    );
    let since = match &options.since {
        Some(commit) => commit.clone(),
        None => last_release()?,
    };
    println!("{LIBRARY} compared with {since}");
    let status = place::cargo(&["semver-checks", "--package", LIBRARY])?
        .args(["--baseline-rev", &since])
        .status()
        .context("`cargo` cannot be started")?;
    Ok(ExitCode::from(u8::from(!status.success())))
}

/// The last tag of the shape `v1.2.3` before this commit.
fn last_release() -> Result<String> {
    let found = Command::new("git")
        .args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"])
        .current_dir(place::repository())
        .output()
        .context("`git` cannot be started")?;
    ensure!(
        found.status.success(),
        "nothing was released yet, so there is nothing to compare with; \
         `--since COMMIT` names a commit instead"
    );
    Ok(String::from_utf8_lossy(&found.stdout).trim().to_owned())
}
