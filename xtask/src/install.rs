//! Brings the tools that the stages need, as far as this machine lets us.
//!
//! A tool that cannot be had is no failure by itself: what then cannot run
//! is said here, and said again by every stage that it concerns.

use crate::stage::{Outcome, outcome_of};
use crate::watchdog::Deadline;
use crate::{musl, place};
use anyhow::{Result, bail, ensure};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// No download may take the time that the tests need.
const LIMIT: Duration = Duration::from_secs(10 * 60);

/// Newer releases may want a newer compiler than ours; this one is known to
/// work with `deny.toml`.
const CARGO_DENY: &str = "cargo-deny@0.20.2";

/// What it answers changes from one release to the next; the tests were written
/// against this one.
const BEADS: &str = "beads-rs@0.1.26";

/// What it finds wrong changes from one release to the next, too.
const AXE: &str = "axe-core@4.10.3";

/// Of a chore whose tools are too large to be brought unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Fetch them first.
    pub(crate) install: bool,
}

impl Options {
    pub(crate) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        for word in words {
            match word {
                "--install" => options.install = true,
                _ => bail!("`{word}` is not --install"),
            }
        }
        Ok(options)
    }
}

struct Tool {
    name: &'static str,
    source: Source,
    /// What cannot run without it.
    needed_for: &'static str,
}

enum Source {
    /// A program of the tool's name, in this Debian package.
    Debian(&'static str),
    /// A server, whose programs are on nobody's path.
    Postgres,
    RustTarget,
    /// The task tracker, in a directory of its own: nobody's `bd` is replaced.
    Beads,
    /// The check of accessibility that pages are put to.
    Axe,
}

/// Those without which `cargo xtask prove` would prove less than it says.
const FOR_PROOF: [&str; 8] = [
    "git", "strace", "setsid", "setpriv", "prlimit", "unshare", "openssl", "chromium",
];

static TOOLS: [Tool; 14] = [
    Tool {
        name: "git",
        source: Source::Debian("git"),
        needed_for: "tests of snapshots and of runs",
    },
    Tool {
        name: "setsid",
        source: Source::Debian("util-linux"),
        needed_for: "tests of what daemons leave behind",
    },
    Tool {
        name: "setpriv",
        source: Source::Debian("util-linux"),
        needed_for: "tests that act as another user",
    },
    Tool {
        name: "prlimit",
        source: Source::Debian("util-linux"),
        needed_for: "tests of files that may not grow",
    },
    Tool {
        name: "unshare",
        source: Source::Debian("util-linux"),
        needed_for: "tests of full disks",
    },
    Tool {
        name: "openssl",
        source: Source::Debian("openssl"),
        needed_for: "tests of encrypted connections",
    },
    Tool {
        name: "strace",
        source: Source::Debian("strace"),
        needed_for: "tests that watch system calls",
    },
    Tool {
        name: "tmux",
        source: Source::Debian("tmux"),
        needed_for: "tests on a real terminal",
    },
    Tool {
        name: "postgresql",
        source: Source::Postgres,
        needed_for: "tests of fleets",
    },
    Tool {
        name: musl::COMPILER,
        source: Source::Debian("musl-tools"),
        needed_for: "the static build",
    },
    Tool {
        name: "musl target",
        source: Source::RustTarget,
        needed_for: "the static build",
    },
    Tool {
        name: "bd",
        source: Source::Beads,
        needed_for: "tests with a real task tracker",
    },
    Tool {
        name: "chromium",
        source: Source::Debian("chromium"),
        needed_for: "tests of the pages in a browser",
    },
    Tool {
        name: "axe-core",
        source: Source::Axe,
        needed_for: "the check of the pages' accessibility",
    },
];

/// Installs what is missing; [`Outcome::NotRun`] names what stays impossible.
pub(crate) fn run(deadline: Deadline) -> Outcome {
    bring(TOOLS.iter(), deadline)
}

/// The same, of what a proof needs.
pub(crate) fn for_proof(deadline: Deadline) -> Outcome {
    let needed = |tool: &&Tool| FOR_PROOF.contains(&tool.name);
    bring(TOOLS.iter().filter(needed), deadline)
}

fn bring(tools: impl Iterator<Item = &'static Tool>, deadline: Deadline) -> Outcome {
    let deadline = deadline.or_after(LIMIT);
    let mut impossible = Vec::new();
    for tool in tools {
        let name = tool.name;
        if tool.is_present() {
            println!("{name}: present");
            continue;
        }
        println!("{name}: missing, installing it");
        match tool.install(deadline) {
            Ok(()) => println!("{name}: installed"),
            Err(error) => {
                println!("{name}: cannot be installed: {error:#}");
                impossible.push(format!("{} (no {name})", tool.needed_for));
            }
        }
    }
    if impossible.is_empty() {
        Outcome::Passed
    } else {
        Outcome::NotRun(impossible.join(", "))
    }
}

/// Brings `cargo deny`, unless it is there. No test needs it, and a new machine builds it for
/// minutes, so whoever wants it asks when all else is done.
pub(crate) fn cargo_deny(deadline: Deadline) -> Result<()> {
    if has_cargo_deny() {
        return Ok(());
    }
    run_to_success(&mut cargo_install(CARGO_DENY), deadline)
}

/// Whether `cargo deny` can be called.
pub(crate) fn has_cargo_deny() -> bool {
    succeeds(Command::new("cargo").args(["deny", "--version"]))
}

/// Built in a directory of its own, which cargo then removes: what it leaves behind is of no
/// use to any other build. Not optimised: such tools run for seconds, and a new machine waits
/// for their build.
fn cargo_install(package: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["install", "--debug", "--locked", package])
        .env_remove("CARGO_TARGET_DIR");
    cargo
}

/// Whether there is a server to be started, where Debian puts it.
fn has_postgres() -> bool {
    let releases = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    releases
        .flatten()
        .any(|release| release.path().join("bin/initdb").is_file())
}

impl Tool {
    fn is_present(&self) -> bool {
        match self.source {
            Source::Debian(_) => place::is_on_path(self.name),
            Source::Postgres => has_postgres(),
            Source::RustTarget => musl::has_standard_library(),
            Source::Beads => place::beads_directory().is_ok_and(|dir| dir.join("bin/bd").is_file()),
            Source::Axe => place::browser_directory()
                .is_ok_and(|dir| dir.join("node_modules/axe-core/axe.min.js").is_file()),
        }
    }

    fn install(&self, deadline: Deadline) -> Result<()> {
        match self.source {
            Source::Debian(package) => install_package(package, deadline)?,
            Source::Postgres => install_package("postgresql", deadline)?,
            Source::RustTarget => run_to_success(
                Command::new("rustup").args(["target", "add", &musl::target()]),
                deadline,
            )?,
            Source::Beads => run_to_success(
                cargo_install(BEADS)
                    .arg("--root")
                    .arg(place::beads_directory()?),
                deadline,
            )?,
            Source::Axe => {
                ensure!(place::is_on_path("npm"), "there is no npm here");
                let directory = place::browser_directory()?;
                fs::create_dir_all(&directory)?;
                let mut npm = Command::new("npm");
                npm.args([
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "--no-progress",
                    "--prefix",
                ])
                .arg(&directory)
                .arg(AXE);
                run_to_success(&mut npm, deadline)?;
            }
        }
        ensure!(self.is_present(), "it is still not found");
        Ok(())
    }
}

/// Installs from the package lists at hand, and with fresh ones if that
/// fails: a new container often has none, an old one outdated ones.
fn install_package(package: &str, deadline: Deadline) -> Result<()> {
    let install = ["install", "--yes", "--no-install-recommends", package];
    if run_to_success(&mut apt_get(&install)?, deadline).is_ok() {
        return Ok(());
    }
    run_to_success(&mut apt_get(&["update"])?, deadline)?;
    run_to_success(&mut apt_get(&install)?, deadline)
}

fn apt_get(arguments: &[&str]) -> Result<Command> {
    ensure!(place::is_on_path("apt-get"), "there is no apt-get here");
    let mut command = if rustix::process::geteuid().is_root() {
        Command::new("env")
    } else if succeeds(Command::new("sudo").args(["-n", "true"])) {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "env"]);
        sudo
    } else {
        bail!("apt-get needs root or a sudo that asks no password");
    };
    command
        .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"])
        .args([
            "-o",
            "Acquire::Retries=1",
            "-o",
            "Acquire::http::Timeout=20",
        ])
        .args(["-o", "DPkg::Lock::Timeout=60"])
        .args(arguments);
    Ok(command)
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn run_to_success(command: &mut Command, deadline: Deadline) -> Result<()> {
    match outcome_of(command, deadline)? {
        Outcome::Passed => Ok(()),
        Outcome::Failed(why) | Outcome::NotRun(why) => {
            bail!("`{}`: {why}", command.get_program().display())
        }
    }
}

/// Brings the program that reads numbers for Prometheus.
pub(crate) fn promtool(deadline: Deadline) -> Result<Outcome> {
    if !place::is_on_path("promtool") {
        install_package("prometheus", deadline)?;
    }
    Ok(Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_proof_needs_is_among_the_tools() {
        for name in FOR_PROOF {
            assert!(TOOLS.iter().any(|tool| tool.name == name), "{name}");
        }
    }
}
