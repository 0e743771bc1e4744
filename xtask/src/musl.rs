//! What it takes to link fusebox statically.
//!
//! A hook runs once per tool call, and half of what it costs is the dynamic
//! loader; the shipped binary therefore has none.

use std::path::PathBuf;
use std::process::Command;

/// The C compiler that SQLite is built with, from Debian's `musl-tools`.
pub(crate) const COMPILER: &str = "musl-gcc";

/// The static target for the processor this runs on.
pub(crate) fn target() -> String {
    format!("{}-unknown-linux-musl", std::env::consts::ARCH)
}

/// Whether Rust's standard library is installed for [`target`].
pub(crate) fn has_standard_library() -> bool {
    let printed = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", &target()])
        .output();
    printed.is_ok_and(|output| {
        let directory = String::from_utf8_lossy(&output.stdout);
        output.status.success() && PathBuf::from(directory.trim()).is_dir()
    })
}

/// What is missing for a static build, each with the command that brings it.
pub(crate) fn missing() -> Vec<String> {
    let mut missing = Vec::new();
    if !has_standard_library() {
        let target = target();
        missing.push(format!("target {target} (rustup target add {target})"));
    }
    if !crate::place::is_on_path(COMPILER) {
        missing.push(format!("{COMPILER} (apt-get install musl-tools)"));
    }
    missing
}
