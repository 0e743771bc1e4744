//! Where things are: the repository, and what is built from it.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where everything is built: `CARGO_TARGET_DIR` if it is set, else one
/// directory in the user's cache.
///
/// Outside the clone, because a fresh clone should not build the world anew
/// and because agents that are tested here walk the tree they stand in.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let chosen = choose_target_directory(variable)
        .context("none of CARGO_TARGET_DIR, XDG_CACHE_HOME and HOME is set")?;
    // The commands run elsewhere than we do, and must mean the same place.
    std::path::absolute(&chosen)
        .with_context(|| format!("{} cannot be made absolute", chosen.display()))
}

fn choose_target_directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(chosen) = variable("CARGO_TARGET_DIR") {
        return Some(PathBuf::from(chosen));
    }
    Some(choose_cache(variable)?.join("fusebox-target"))
}

/// Where the real clients are installed: beside what is built, for the same
/// reasons.
pub(crate) fn clients_directory() -> Result<PathBuf> {
    let cache = choose_cache(variable).context("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(cache.join("fusebox-clients"))
}

/// Where the task tracker is installed that tests drive.
pub(crate) fn beads_directory() -> Result<PathBuf> {
    let cache = choose_cache(variable).context("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(cache.join("fusebox-bd"))
}

/// Where the check is installed that pages are put to in a browser.
pub(crate) fn browser_directory() -> Result<PathBuf> {
    let cache = choose_cache(variable).context("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(cache.join("fusebox-browser"))
}

/// Where the tools that are written in Python are installed.
pub(crate) fn python_directory() -> Result<PathBuf> {
    let cache = choose_cache(variable).context("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(cache.join("fusebox-python"))
}

/// Where a compiler and a linker for Macs are kept.
pub(crate) fn macos_directory() -> Result<PathBuf> {
    let cache = choose_cache(variable).context("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(cache.join("fusebox-macos"))
}

fn choose_cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    match variable("XDG_CACHE_HOME") {
        Some(cache) => Some(PathBuf::from(cache)),
        None => Some(Path::new(&variable("HOME")?).join(".cache")),
    }
}

/// A variable of the environment; an empty one counts as none.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A cargo command that works on this repository and builds into
/// [`target_directory`].
pub(crate) fn cargo(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new("cargo");
    command
        .args(arguments)
        .current_dir(repository())
        .env("CARGO_TARGET_DIR", target_directory()?);
    Ok(command)
}

/// Whether a program of this name can be started.
pub(crate) fn is_on_path(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
    })
}

/// The root of the source tree that this was started for. Two trees that build into one directory
/// take each other's program, so what cargo says when it starts it counts, and not when it
/// builds it.
pub(crate) fn repository() -> &'static Path {
    static REPOSITORY: OnceLock<PathBuf> = OnceLock::new();
    REPOSITORY.get_or_init(|| {
        let started_for = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let is_ours = |path: &PathBuf| path.ends_with("xtask");
        let xtask = started_for
            .filter(is_ours)
            .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        xtask.parent().map_or_else(|| xtask.clone(), Path::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_variable_names_the_target_directory() {
        let all = [
            ("CARGO_TARGET_DIR", "/t"),
            ("XDG_CACHE_HOME", "/x"),
            ("HOME", "/h"),
        ];
        for (set, expected) in [
            (&all[..], Some("/t")),
            (&all[1..], Some("/x/fusebox-target")),
            (&all[2..], Some("/h/.cache/fusebox-target")),
            (&all[3..], None),
        ] {
            let chosen = choose_target_directory(|name| {
                let (_, value) = set.iter().find(|(key, _)| *key == name)?;
                Some(OsString::from(value))
            });
            assert_eq!(chosen.as_deref(), expected.map(Path::new));
        }
    }
}
