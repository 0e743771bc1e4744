//! `cargo xtask dist`: the binary that is shipped.

use crate::{elf, musl, place};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) fn run() -> Result<ExitCode> {
    let path = build()?;
    let size = std::fs::metadata(&path)
        .with_context(|| format!("cannot examine {}", path.display()))?
        .len();
    println!("{}", path.display());
    println!("{size} bytes, static");
    Ok(ExitCode::SUCCESS)
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
