//! `cargo xtask docs`: the book as a web site.
//!
//! What must hold of the book (every page listed, every link alive, every command true) is
//! checked by the tests of `fusebox` without mdBook, because building that costs a new machine
//! minutes that nobody gains. So this is for whoever wants to read or publish it; a warning of
//! mdBook is a failure here all the same.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::place;

/// What reads our `book.toml`; later ones may want a later compiler.
const MDBOOK: &str = "mdbook@0.5.4";

pub(crate) fn run() -> Result<ExitCode> {
    let book = place::target_directory()?.join("book");
    if !place::is_on_path("mdbook") {
        println!("mdbook: missing, installing it");
        let installed = Command::new("cargo")
            .args([
                "install",
                "--debug",
                "--locked",
                "--no-default-features",
                MDBOOK,
            ])
            .env_remove("CARGO_TARGET_DIR")
            .status()
            .context("`cargo` cannot be started")?;
        ensure!(
            installed.success(),
            "mdbook cannot be installed: {installed}"
        );
    }
    let built = Command::new("mdbook")
        .args(["build", "docs", "--dest-dir"])
        .arg(&book)
        .current_dir(place::repository())
        .output()
        .context("`mdbook` cannot be started")?;
    let said = String::from_utf8_lossy(&built.stderr);
    print!("{said}");
    ensure!(
        built.status.success(),
        "the book could not be built: {}",
        built.status
    );
    let complaint = said.lines().find(|line| complains(line));
    ensure!(
        complaint.is_none(),
        "mdBook warns: {}",
        complaint.unwrap_or_default()
    );
    println!("{}", book.join("index.html").display());
    Ok(ExitCode::SUCCESS)
}

fn complains(line: &str) -> bool {
    ["WARN", "ERROR"].iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_told_from_talk() {
        assert!(complains(" WARN unclosed HTML tag"));
        assert!(!complains(" INFO Book building has started"));
    }
}
