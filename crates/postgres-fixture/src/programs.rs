//! The programs of the server, and the user they run as.

use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{FixtureError, quiet};

/// Users that own nothing of worth; PostgreSQL refuses to run as root.
const USERS: [&str; 2] = ["postgres", "nobody"];

/// Where they are, and as whom they are run.
#[derive(Clone, Debug)]
pub struct Programs {
    directory: PathBuf,
    user: Option<&'static str>,
}

impl Programs {
    /// Those of the newest release that is installed.
    #[must_use]
    pub fn find() -> Option<Self> {
        let releases = fs::read_dir("/usr/lib/postgresql").ok()?;
        let number = |path: &PathBuf| -> u32 {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(|name| name.parse().ok()).unwrap_or(0)
        };
        let newest = releases
            .flatten()
            .map(|entry| entry.path())
            .max_by_key(number)?;
        let directory = newest.join("bin");
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let known = |user: &&str| {
            users
                .lines()
                .any(|line| line.starts_with(&format!("{user}:")))
        };
        let root = rustix::process::geteuid().is_root();
        let user = root.then(|| USERS.into_iter().find(known)).flatten();
        directory
            .join("initdb")
            .is_file()
            .then_some(Self { directory, user })
    }

    /// A command that runs `program` as a user without rights. Names without a
    /// directory are looked for among the server's programs first.
    #[must_use]
    pub fn command(&self, program: &str) -> Command {
        let ours = self.directory.join(program);
        let path = if ours.is_file() {
            ours
        } else {
            PathBuf::from(program)
        };
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(path);
                command
            }
            None => Command::new(path),
        };
        quiet(&mut command).env("LC_ALL", "C").env("TMPDIR", "/tmp");
        command
    }

    /// Runs it to its end and gives back what it printed.
    pub(crate) fn output(&self, program: &str, arguments: &[&str]) -> Result<String, FixtureError> {
        // Into a file and not a pipe: a server that goes on running would hold it open.
        let shell =
            r#"out=$(mktemp) && "$@" >"$out" 2>&1; code=$?; cat "$out"; rm -f "$out"; exit $code"#;
        let ours = self.directory.join(program);
        let path = if ours.is_file() {
            ours
        } else {
            PathBuf::from(program)
        };
        let mut command = self.command("sh");
        command.args(["-c", shell, "sh"]).arg(path).args(arguments);
        let done = command.output().map_err(|source| FixtureError::Start {
            program: program.to_owned(),
            source,
        })?;
        let output = String::from_utf8_lossy(&done.stdout).into_owned();
        if done.status.success() {
            return Ok(output);
        }
        Err(FixtureError::Failed {
            program: program.to_owned(),
            output,
        })
    }

    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), FixtureError> {
        let failed = |source| FixtureError::Start {
            program: "tee".to_owned(),
            source,
        };
        let mut tee = self.command("tee");
        tee.arg(path).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = tee.spawn().map_err(failed)?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(text.as_bytes()).map_err(failed)?;
        }
        child.wait().map_err(failed).map(drop)
    }

    pub(crate) fn reaper(&self, script: &str, place: &Path) -> Result<Child, FixtureError> {
        let mut command = self.command("sh");
        command
            .args(["-c", script])
            .arg(self.directory.join("pg_ctl"))
            .arg(place)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C is for the tests; whoever tidies up after them must outlive it.
            .process_group(0);
        command.spawn().map_err(|source| FixtureError::Start {
            program: "sh".to_owned(),
            source,
        })
    }
}
