//! `cargo xtask clients`: fusebox with the real agents.
//!
//! They are a gigabyte of other people's programs, so they are installed only
//! when asked for, and outside the tree.

use crate::install::Options;
use crate::place;
use crate::stage::{Outcome, Stages, outcome_of};
use crate::watchdog::Deadline;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Half of it for a slow download, half for the tests.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// A client, and the release that the tests were written against.
///
/// Exact versions, for two reasons. What a client prints changes from one
/// release to the next, and a failing test should mean that fusebox changed.
/// And without one npm chooses by the `node` it runs on: of Claude Code, which
/// needs none, it then silently takes an old one.
struct Client {
    package: &'static str,
    program: &'static str,
    version: &'static str,
}

const CLIENTS: [Client; 4] = [
    Client {
        package: "@anthropic-ai/claude-code",
        program: "claude",
        version: "2.1.325",
    },
    Client {
        package: "@openai/codex",
        program: "codex",
        version: "0.166.0",
    },
    Client {
        package: "@google/gemini-cli",
        program: "gemini",
        version: "0.61.0",
    },
    Client {
        package: "opencode-ai",
        program: "opencode",
        version: "1.18.33",
    },
];

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let directory = place::clients_directory()?;
    println!("clients in {}", directory.display());
    let mut stages = Stages::within(LIMIT);
    if options.install {
        stages.run("npm", |deadline| install(&directory, deadline));
    }
    // Without the clients every test would fail, for a reason that is not
    // its own.
    for client in &CLIENTS {
        if let Err(error) = client.check(&directory) {
            bail!("{error:#}\nhint: `cargo xtask clients --install` installs it");
        }
        println!("{} {}", client.program, client.version);
    }
    stages.run_command("tests", tests(&directory));
    Ok(stages.conclude())
}

fn install(directory: &Path, deadline: Deadline) -> Result<Outcome> {
    ensure!(place::is_on_path("npm"), "there is no npm here");
    let manifest = directory.join("package.json");
    fs::create_dir_all(directory)
        .and_then(|()| fs::write(&manifest, wanted().to_string()))
        .with_context(|| format!("{} cannot be written", manifest.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-progress"])
        .current_dir(directory);
    outcome_of(&mut npm, deadline)
}

/// The manifest of a package that is nothing but its dependencies.
fn wanted() -> Value {
    let pin = |client: &Client| (client.package.to_owned(), json!(client.version));
    let dependencies: serde_json::Map<_, _> = CLIENTS.iter().map(pin).collect();
    json!({"private": true, "dependencies": dependencies})
}

fn tests(directory: &Path) -> Result<Command> {
    let mut command = place::cargo(&["test", "--locked", "--package", "fusebox"])?;
    command
        .args(["--test", "clients"])
        .env_remove("FUSEBOX_BIN")
        .env("FUSEBOX_CLIENTS", std::path::absolute(directory)?);
    Ok(command)
}

impl Client {
    /// Whether this very release is installed.
    fn check(&self, directory: &Path) -> Result<()> {
        let modules = directory.join("node_modules");
        let manifest = modules.join(self.package).join("package.json");
        let text = fs::read_to_string(&manifest)
            .with_context(|| format!("{} is not installed", self.program))?;
        let manifest: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is not JSON", manifest.display()))?;
        let found = manifest["version"].as_str().unwrap_or("no version");
        ensure!(
            found == self.version,
            "{} {found} is installed, but the tests are about {}",
            self.program,
            self.version
        );
        let program = modules.join(".bin").join(self.program);
        ensure!(program.is_file(), "{} is missing", program.display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(client: &Client, directory: &Path, version: &str) {
        let package = directory.join("node_modules").join(client.package);
        let programs = directory.join("node_modules/.bin");
        fs::create_dir_all(&package).unwrap();
        fs::create_dir_all(&programs).unwrap();
        let manifest = json!({"version": version}).to_string();
        fs::write(package.join("package.json"), manifest).unwrap();
        fs::write(programs.join(client.program), "").unwrap();
    }

    #[test]
    fn only_the_pinned_release_counts_as_installed() {
        for client in &CLIENTS {
            let directory = tempfile::tempdir().unwrap();
            let check = || client.check(directory.path()).map_err(|e| e.to_string());
            assert!(check().unwrap_err().contains("is not installed"));
            installed(client, directory.path(), "0.0.1");
            assert!(check().unwrap_err().contains("0.0.1 is installed"));
            installed(client, directory.path(), client.version);
            assert_eq!(check(), Ok(()));
        }
    }

    #[test]
    fn npm_gets_no_choice_of_versions() {
        let manifest = wanted();
        let dependencies = manifest["dependencies"].as_object().unwrap();
        assert_eq!(dependencies.len(), CLIENTS.len());
        for version in dependencies.values() {
            let version = version.as_str().unwrap();
            assert!(
                version.starts_with(|c: char| c.is_ascii_digit()),
                "{version}"
            );
        }
    }
}
