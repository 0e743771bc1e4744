//! Why a command never became a process.
//!
//! The system's answer alone is ambiguous: `ENOENT` is a missing command as
//! much as a script whose interpreter is missing, and `EACCES` a missing
//! permission as much as a directory. A person who reads "not found" about a
//! file that is there loses an hour, so the leader looks once more.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// What exactly was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartFailureKind {
    /// No such command, neither as a path nor anywhere in `PATH`.
    NotFound,
    /// The file is there, but may not be executed.
    NotExecutable,
    /// The path names a directory.
    IsDirectory,
    /// The file is there, but the interpreter or loader it names is not.
    BadInterpreter,
    /// Command line and environment exceed what the system accepts.
    TooLong,
    /// The working directory cannot be entered.
    WorkingDirectory,
    /// The file meant as standard input cannot be opened.
    Input,
    /// The walls around the command cannot be raised.
    Sandbox,
    /// Anything else; the error number says what.
    Other,
}

impl StartFailureKind {
    const WORDS: [(Self, &'static str); 9] = [
        (Self::NotFound, "not-found"),
        (Self::NotExecutable, "not-executable"),
        (Self::IsDirectory, "is-directory"),
        (Self::BadInterpreter, "bad-interpreter"),
        (Self::TooLong, "too-long"),
        (Self::WorkingDirectory, "working-directory"),
        (Self::Input, "input"),
        (Self::Sandbox, "sandbox"),
        (Self::Other, "other"),
    ];
}

/// A command that never became a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartFailure {
    /// What was wrong.
    pub kind: StartFailureKind,
    /// The system's error number, 0 if it gave none.
    pub errno: i32,
}

impl StartFailure {
    pub(crate) fn new(kind: StartFailureKind, error: &io::Error) -> Self {
        Self {
            kind,
            errno: error.raw_os_error().unwrap_or(0),
        }
    }

    /// Looks at why executing `program` failed with `error`.
    pub(crate) fn of_exec(program: &OsStr, error: &io::Error) -> Self {
        let kind = match (Errno::from_io_error(error), locate(program)) {
            (Some(Errno::NOENT), Some(_)) => StartFailureKind::BadInterpreter,
            (Some(Errno::NOENT), None) => StartFailureKind::NotFound,
            (Some(Errno::ACCESS), Some(path)) if path.is_dir() => StartFailureKind::IsDirectory,
            // A directory in `PATH` that we may not enter spoils the answer.
            (Some(Errno::ACCESS), None) if !is_path(program) => StartFailureKind::NotFound,
            (Some(Errno::ACCESS), _) => StartFailureKind::NotExecutable,
            (Some(Errno::TOOBIG), _) => StartFailureKind::TooLong,
            _ => StartFailureKind::Other,
        };
        Self::new(kind, error)
    }

    /// Reads why a stage of our own could not be started for the command.
    pub(crate) fn of_stage(error: &io::Error) -> Self {
        let kind = match Errno::from_io_error(error) {
            Some(Errno::TOOBIG) => StartFailureKind::TooLong,
            _ => StartFailureKind::Other,
        };
        Self::new(kind, error)
    }

    pub(crate) fn encode(self) -> String {
        let word = StartFailureKind::WORDS
            .iter()
            .find(|(kind, _)| *kind == self.kind)
            .map_or("other", |(_, word)| word);
        format!("{word} {}", self.errno)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (word, errno) = text.trim_end().split_once(' ')?;
        let (kind, _) = StartFailureKind::WORDS
            .iter()
            .find(|(_, known)| *known == word)?;
        Some(Self {
            kind: *kind,
            errno: errno.parse().ok()?,
        })
    }
}

impl fmt::Display for StartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            StartFailureKind::NotFound => "the command was not found",
            StartFailureKind::NotExecutable => "the command may not be executed",
            StartFailureKind::IsDirectory => "the command is a directory",
            StartFailureKind::BadInterpreter => "the command's interpreter was not found",
            StartFailureKind::TooLong => "the command line is too long",
            StartFailureKind::WorkingDirectory => "the working directory cannot be entered",
            StartFailureKind::Input => "the input file cannot be opened",
            StartFailureKind::Sandbox => "the sandbox cannot be set up",
            StartFailureKind::Other => "the command could not be started",
        };
        // What the system would add to these is the same in worse words.
        if matches!(
            self.kind,
            StartFailureKind::NotFound | StartFailureKind::IsDirectory
        ) {
            return f.write_str(what);
        }
        write!(f, "{what}: {}", io::Error::from_raw_os_error(self.errno))
    }
}

/// The file that `program` names: itself if it contains a slash, else the
/// first entry of that name in `PATH`.
fn locate(program: &OsStr) -> Option<PathBuf> {
    if is_path(program) {
        return Some(PathBuf::from(program)).filter(|path| exists(path));
    }
    if program.is_empty() {
        return None;
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|candidate| exists(candidate))
}

fn is_path(program: &OsStr) -> bool {
    program.as_bytes().contains(&b'/')
}

/// A symbolic link to nowhere does not count.
fn exists(path: &Path) -> bool {
    path.metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back() {
        for (kind, _) in StartFailureKind::WORDS {
            let failure = StartFailure { kind, errno: 13 };
            assert_eq!(StartFailure::parse(&failure.encode()), Some(failure));
        }
        for text in ["", "not-found", "not-found x", "unheard-of 2"] {
            assert_eq!(StartFailure::parse(text), None, "{text:?}");
        }
    }
}
