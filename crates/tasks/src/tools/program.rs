//! Running a tool: found outside of the repository, within a time limit, with a
//! bounded answer.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};
use rustix::process::{Pid, Signal, kill_process_group};

use super::scratch;
use crate::error::SourceError;

/// How long a tool may take: a first call may start a server of its own.
const PATIENCE: Duration = Duration::from_secs(30);
/// No answer that is worth reading is longer.
const MOST_BYTES: u64 = 64 << 20;

/// A tool.
pub(super) struct Program {
    name: &'static str,
    path: PathBuf,
    root: PathBuf,
    env: Vec<(&'static str, String)>,
}

/// What a tool said.
pub(super) struct Answer {
    /// Its exit code; `None` if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// What it complained about, in a line. Tools complain on either stream.
    pub(super) fn complaint(&self) -> String {
        let said = [&self.err, &self.out];
        let lines = said.iter().flat_map(|text| text.lines());
        let line = lines.map(str::trim).find(|line| !line.is_empty());
        let code = self
            .code
            .map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
        let line: String = line.unwrap_or_default().chars().take(300).collect();
        format!("{code}: {line}")
    }
}

impl Program {
    /// The first program of that name on `path` that does not lie in the repository.
    pub(super) fn find(
        name: &'static str,
        path: Option<&OsStr>,
        root: &Path,
    ) -> Result<Self, SourceError> {
        let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let found = std::env::split_paths(path.unwrap_or_default())
            .filter(|directory| directory.is_absolute())
            .map(|directory| directory.join(name))
            .find(|file| {
                let real = std::fs::canonicalize(file);
                real.is_ok_and(|real| real.is_file() && !real.starts_with(&root))
                    && access(file, Access::EXEC_OK).is_ok()
            });
        let path = found.ok_or_else(|| SourceError::Unavailable {
            source_name: name.to_owned(),
            why: format!("there is no program `{name}` on PATH outside of the repository"),
        })?;
        Ok(Self {
            name,
            path,
            root,
            env: Vec::new(),
        })
    }

    /// The same with a variable of the environment.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Runs it to its end. What it says goes to a file and not through a pipe: a
    /// server that it leaves behind would keep a pipe open for good.
    pub(super) fn run(&self, args: &[&str]) -> Result<Answer, SourceError> {
        let stream = || scratch::file().map_err(|error| self.failed(&error));
        let (mut out, mut err) = (stream()?, stream()?);
        let clone = |file: &File| {
            file.try_clone()
                .map(Stdio::from)
                .map_err(|error| self.failed(&error))
        };
        let mut child = Command::new(&self.path)
            .args(args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(clone(&out)?)
            .stderr(clone(&err)?)
            .process_group(0)
            .spawn()
            .map_err(|error| self.failed(&error))?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if start.elapsed() > PATIENCE => {
                    end(&mut child);
                    return Err(self.failed(&format!(
                        "it did not answer within {} s",
                        PATIENCE.as_secs()
                    )));
                }
                Ok(None) if is_too_much(&out) || is_too_much(&err) => {
                    end(&mut child);
                    return Err(self.failed(&"it says more than anybody can read"));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(error) => return Err(self.failed(&error)),
            }
        };
        Ok(Answer {
            code: status.code(),
            out: said(&mut out),
            err: said(&mut err),
        })
    }

    /// The same for what must succeed.
    pub(super) fn ask(&self, args: &[&str]) -> Result<String, SourceError> {
        let answer = self.run(args)?;
        if answer.is_success() {
            return Ok(answer.out);
        }
        Err(self.failed(&format!(
            "`{} {}` failed with {}",
            self.name,
            args.join(" "),
            answer.complaint()
        )))
    }

    pub(super) fn failed(&self, why: &dyn std::fmt::Display) -> SourceError {
        SourceError::Unavailable {
            source_name: self.name.to_owned(),
            why: why.to_string(),
        }
    }
}

/// Ends a tool with all that it has started.
fn end(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

/// What nobody reads takes room all the same.
fn is_too_much(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.len() > MOST_BYTES)
}

fn said(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file
        .rewind()
        .and_then(|()| file.take(MOST_BYTES).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
