//! `cargo xtask dist`: the binary that is shipped, and the packages around it.

use crate::package::{self, Packed};
use crate::{elf, musl, place};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What releases are compiled with: only the same compiler makes the same bytes of the same
/// sources. Whoever works on the project may have any that is new enough, so this is no
/// `rust-toolchain.toml`, which would fetch it for everybody.
const COMPILER: &str = "rustc 1.95.0 ";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Pack this one instead of building it.
    pub(crate) binary: Option<PathBuf>,
}

impl Options {
    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--binary" => {
                    let path = words.next().context("--binary needs a path")?;
                    options.binary = Some(path.into());
                }
                _ => bail!("`{word}` is not --binary"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let path = match &options.binary {
        Some(path) => path.clone(),
        None => {
            ensure_compiler(&compiler()?)?;
            build()?
        }
    };
    println!("{} bytes  {}", size(&path)?, path.display());
    for packed in package::all(&path, &place::target_directory()?.join("packages"))? {
        match packed {
            Packed::File(path) => println!("{} bytes  {}", size(&path)?, path.display()),
            Packed::NotMade(what, why) => println!("NOT MADE: {what}: {why}"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the compiler says of itself.
fn compiler() -> Result<String> {
    let said = Command::new("rustc").arg("--version").output();
    let said = said.context("`rustc` cannot be started")?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

fn ensure_compiler(found: &str) -> Result<()> {
    ensure!(
        found.starts_with(COMPILER),
        "releases are built with {COMPILER}and this is `{found}`; \
         `rustup run` starts another, and --binary packs what was built elsewhere"
    );
    Ok(())
}

fn size(path: &Path) -> Result<u64> {
    let about = std::fs::metadata(path);
    let about = about.with_context(|| format!("cannot examine {}", path.display()))?;
    Ok(about.len())
}

/// Builds the binary, makes sure that it is static, and says where it is.
pub(crate) fn build() -> Result<PathBuf> {
    let missing = musl::missing();
    ensure!(
        missing.is_empty(),
        "a static binary cannot be built here; missing: {}",
        missing.join(", ")
    );
    let target = musl::target();
    // The list of what is in it then travels in the program itself.
    let auditable = place::is_on_path("cargo-auditable");
    let verb: &[&str] = if auditable {
        &["auditable", "build"]
    } else {
        &["build"]
    };
    let status = place::cargo(verb)?
        .args(["--locked", "--profile", "dist", "--target", &target])
        .args(["--package", "fusebox", "--bin", "fusebox"])
        .status()
        .context("`cargo` cannot be started")?;
    ensure!(status.success(), "the build failed: {status}");

    let path = place::target_directory()?
        .join(&target)
        .join("dist/fusebox");
    let file = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_static = elf::is_static(&file).with_context(|| path.display().to_string())?;
    ensure!(
        is_static,
        "{} asks for a dynamic loader, so it is not static",
        path.display()
    );
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_of_one_compiler() {
        assert!(ensure_compiler("rustc 1.95.0 (59807616e 2026-04-14)").is_ok());
        for other in ["rustc 1.95.1 (0)", "rustc 1.95.0-nightly (0)", ""] {
            assert!(ensure_compiler(other).is_err(), "{other}");
        }
    }
}
