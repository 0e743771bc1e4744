//! A place to measure in: a work directory and a memory of their own.

use super::child;
use crate::place;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Directories that vanish with it, and commands that know no others.
///
/// They lie in the build directory rather than in `/tmp`, which is kept in
/// memory on many machines: a flush costs nothing there, and would be compared
/// with nothing.
pub(crate) struct Sandbox {
    home: TempDir,
    binary: PathBuf,
}

impl Sandbox {
    pub(crate) fn new(binary: &Path) -> Result<Self> {
        let parent = place::target_directory()?;
        let home = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(&parent)
            .with_context(|| format!("cannot make a directory in {}", parent.display()))?;
        let sandbox = Self {
            home,
            binary: binary.to_owned(),
        };
        for directory in [sandbox.work(), sandbox.state(), sandbox.data()] {
            make_private_directory(&directory)?;
        }
        // A workspace ends at its marker, so nothing above it is looked at.
        let marker = sandbox.work().join("fusebox.toml");
        fs::write(&marker, "").with_context(|| format!("cannot write {}", marker.display()))?;
        Ok(sandbox)
    }

    /// The directory that commands run in.
    pub(crate) fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    /// Room outside the work directory, on the same file system.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn state(&self) -> PathBuf {
        self.beside("state")
    }

    fn data(&self) -> PathBuf {
        self.beside("data")
    }

    /// Any program, in the same surroundings as fusebox.
    pub(crate) fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.home.path())
            .env("XDG_DATA_HOME", self.data())
            .env("XDG_STATE_HOME", self.state());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    /// fusebox on a circuit of this sandbox. The command comes first, as it does where agents
    /// and loops call it.
    pub(crate) fn fusebox(&self, circuit: &str, arguments: &[&str]) -> Command {
        let (first, rest) = arguments.split_at(arguments.len().min(1));
        let mut command = self.program(&self.binary);
        command.args(first).args(["--circuit", circuit]).args(rest);
        command
    }

    /// `check`, which is granted.
    pub(crate) fn check(&self, circuit: &str) -> Result<child::Cost> {
        child::cost_of(&mut self.fusebox(circuit, &["check"]))
    }

    /// `record` of an iteration that made progress.
    pub(crate) fn record(&self, circuit: &str) -> Result<child::Cost> {
        child::cost_of(&mut self.fusebox(circuit, &RECORD))
    }

    /// What one iteration pays: `check` and `record`.
    pub(crate) fn pair(&self, circuit: &str) -> Result<child::Cost> {
        Ok(self.check(circuit)? + self.record(circuit)?)
    }

    /// The size of a circuit's log.
    pub(crate) fn log_size(&self, circuit: &str) -> Result<u64> {
        let state = self.state();
        let entries = fs::read_dir(&state).with_context(|| state.display().to_string())?;
        let logs = entries.flatten().filter_map(|workspace| {
            let log = workspace.path().join("circuits").join(circuit).join("log");
            Some(fs::metadata(log).ok()?.len())
        });
        logs.max()
            .with_context(|| format!("circuit {circuit} has no log in {}", state.display()))
    }
}

/// A report as a loop of one's own would give it.
pub(crate) const RECORD: [&str; 6] = [
    "record",
    "--files-changed",
    "3",
    "--no-errors",
    "--exit-code",
    "0",
];

fn make_private_directory(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = fs::DirBuilder::new().mode(0o700).create(path);
    made.with_context(|| format!("cannot make {}", path.display()))
}
