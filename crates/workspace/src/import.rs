//! Handing changed files to git.
//!
//! One `git fast-import` takes the previous tree, the changed contents and the deleted
//! names on its input and answers with the id of the new tree. It is started by the first
//! change, so a workspace in which nothing happened costs no process at all.

use std::io::{self, BufWriter, Write};
use std::process::ChildStdin;
use std::time::Duration;

use crate::child::Running;
use crate::repo::{REF, Repo};
use crate::{SnapshotId, Unmeasured};

const DOING: &str = "storing a snapshot";
/// Where a snapshot's tree keeps the hashed files.
pub(crate) const FILES: &str = "files/";
/// Where it keeps the list of the others. Always present, so that no tree is ever empty.
pub(crate) const UNHASHED: &str = "unhashed";

pub(crate) struct Import<'a> {
    repo: &'a Repo,
    base: Option<&'a SnapshotId>,
    limit: Duration,
    started: Option<Started>,
}

struct Started {
    input: BufWriter<ChildStdin>,
    running: Running,
}

impl<'a> Import<'a> {
    pub(crate) fn new(repo: &'a Repo, base: Option<&'a SnapshotId>, limit: Duration) -> Self {
        Self {
            repo,
            base,
            limit,
            started: None,
        }
    }

    pub(crate) fn put(
        &mut self,
        path: &[u8],
        git_mode: &str,
        content: &[u8],
    ) -> Result<(), Unmeasured> {
        self.send(|input| {
            write!(input, "M {git_mode} inline ")?;
            write_path(input, FILES, path)?;
            write_data(input, content)
        })
    }

    pub(crate) fn delete(&mut self, path: &[u8]) -> Result<(), Unmeasured> {
        self.send(|input| {
            input.write_all(b"D ")?;
            write_path(input, FILES, path)
        })
    }

    pub(crate) fn put_unhashed_list(&mut self, list: &[u8]) -> Result<(), Unmeasured> {
        self.send(|input| {
            writeln!(input, "M 100644 inline {UNHASHED}")?;
            write_data(input, list)
        })
    }

    /// The id of the new tree, or `None` if nothing was sent.
    pub(crate) fn finish(mut self) -> Result<Option<SnapshotId>, Unmeasured> {
        if self.started.is_none() {
            return Ok(None);
        }
        self.send(|input| {
            input.write_all(b"ls \"\"\n")?;
            input.flush()
        })?;
        let Some(Started { input, running }) = self.started.take() else {
            return Ok(None);
        };
        drop(input);
        let answer = running.output(4096)?;
        parse_tree(&answer)
            .map(Some)
            .ok_or_else(|| Unmeasured::GitFailed {
                doing: DOING,
                said: format!("an answer without a tree: {}", answer.escape_ascii()),
            })
    }

    fn send(
        &mut self,
        write: impl FnOnce(&mut BufWriter<ChildStdin>) -> io::Result<()>,
    ) -> Result<(), Unmeasured> {
        let mut started = match self.started.take() {
            Some(started) => started,
            None => self.start()?,
        };
        match write(&mut started.input) {
            Ok(()) => {
                self.started = Some(started);
                Ok(())
            }
            Err(error) => Err(started.explain(&error)),
        }
    }

    fn start(&self) -> Result<Started, Unmeasured> {
        self.repo.clear_leftovers();
        let mut command = self.repo.command("fast-import");
        // Looking for similar objects costs more time than it saves space.
        command.args(["--quiet", "--force", "--depth=0"]);
        let mut running = Running::spawn(&mut command, true, DOING, self.limit)?;
        let Some(stdin) = running.take_stdin() else {
            return Err(Unmeasured::GitFailed {
                doing: DOING,
                said: "it was started without an input".to_owned(),
            });
        };
        let mut started = Started {
            input: BufWriter::with_capacity(1 << 16, stdin),
            running,
        };
        match write_header(&mut started.input, self.base) {
            Ok(()) => Ok(started),
            Err(error) => Err(started.explain(&error)),
        }
    }
}

impl Started {
    /// Git closed its input; how it ended says more than the broken pipe does.
    fn explain(self, error: &io::Error) -> Unmeasured {
        drop(self.input.into_parts());
        match self.running.finish() {
            Err(reason) => reason,
            Ok(()) => Unmeasured::GitFailed {
                doing: DOING,
                said: error.to_string(),
            },
        }
    }
}

/// Nothing in the commit depends on the time or the user: only its tree is of interest.
fn write_header(input: &mut impl Write, base: Option<&SnapshotId>) -> io::Result<()> {
    write!(
        input,
        "commit {REF}\ncommitter fusebox <> 0 +0000\ndata 0\n"
    )?;
    match base {
        Some(tree) => writeln!(input, "M 040000 {tree} \"\""),
        None => Ok(()),
    }
}

fn write_data(input: &mut impl Write, content: &[u8]) -> io::Result<()> {
    writeln!(input, "data {}", content.len())?;
    input.write_all(content)?;
    input.write_all(b"\n")
}

/// Writes a quoted path and a newline. Quoted, a path may hold any byte.
fn write_path(input: &mut impl Write, folder: &str, path: &[u8]) -> io::Result<()> {
    write!(input, "\"{folder}")?;
    for part in path.split_inclusive(|byte| matches!(byte, b'"' | b'\\' | b'\n')) {
        let (plain, special) = match part.split_last() {
            Some((b'"', plain)) => (plain, "\\\""),
            Some((b'\\', plain)) => (plain, "\\\\"),
            Some((b'\n', plain)) => (plain, "\\n"),
            _ => (part, ""),
        };
        input.write_all(plain)?;
        input.write_all(special.as_bytes())?;
    }
    input.write_all(b"\"\n")
}

fn parse_tree(answer: &[u8]) -> Option<SnapshotId> {
    let rest = answer.strip_prefix(b"040000 tree ")?;
    std::str::from_utf8(rest.get(..40)?).ok()?.parse().ok()
}
