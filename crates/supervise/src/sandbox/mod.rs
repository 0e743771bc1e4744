//! Walls around a command: what it cannot delete, write or see.
//!
//! A path that is bound onto itself is a mount point, and a mount point can be
//! neither deleted nor renamed; bound read-only it cannot be written either. All it
//! takes is a mount namespace, and without root's powers a user namespace around
//! it. The command keeps its user, its files and its network: this protects what is
//! precious, and holds nobody prisoner.
//!
//! What the walls do not do: a file that is kept can be emptied in place, one that
//! is created later in a kept directory can be deleted, and editors that save by
//! renaming cannot save onto a kept file. The copies of the guard cover the first
//! two.
//!
//! Not every system lets a user do this, so [`level()`] tries and says what it found.

mod level;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::process::own_program;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

pub use level::{Level, level};
/// What it would take to have walls where there are none.
pub use system::NEEDED;
pub(crate) use system::enter;

/// First argument of the stage that raises walls and becomes a command:
/// `fusebox __walls …`.
pub const WALLS_WORD: &str = "__walls";

/// The command could not be walled in, or not be started: what shells say of it.
pub const NOT_STARTED: u8 = 126;
/// There is no such command: what shells say of it.
pub const NOT_FOUND: u8 = 127;

/// What is to be walled off. Everything must exist, or is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walls {
    /// Directories and files that cannot be deleted or renamed. A directory comes
    /// before what lies beneath it.
    pub kept: Vec<PathBuf>,
    /// What cannot be changed at all.
    pub frozen: Vec<PathBuf>,
    /// Directories in whose place there is an empty one.
    pub hidden: Vec<PathBuf>,
}

impl Walls {
    /// The words from which [`Walls::parse`] reads them back.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let all = [("k", &self.kept), ("f", &self.frozen), ("h", &self.hidden)];
        let words = all.into_iter().flat_map(|(mark, paths)| {
            paths.iter().map(move |path| {
                let mut word = OsString::from(mark);
                word.push(path);
                word
            })
        });
        let words: Vec<OsString> = words.collect();
        let mut args = vec![words.len().to_string().into()];
        args.extend(words);
        args
    }

    /// Reads as many words as the first one says.
    pub(crate) fn parse(args: &mut impl Iterator<Item = OsString>) -> Option<Self> {
        let count: usize = args.next()?.to_str()?.parse().ok()?;
        let mut walls = Self::default();
        for _ in 0..count {
            let word = args.next()?.into_vec();
            let (mark, path) = word.split_first()?;
            let path = PathBuf::from(OsStr::from_bytes(path));
            match mark {
                b'k' => walls.kept.push(path),
                b'f' => walls.frozen.push(path),
                b'h' => walls.hidden.push(path),
                _ => return None,
            }
        }
        Some(walls)
    }

    /// A command that raises these walls and then becomes `program`, with the
    /// terminal and the directory it is started with.
    #[must_use]
    pub fn command(&self, program: &OsStr, args: &[OsString]) -> Command {
        let mut command = Command::new(own_program());
        command.arg(WALLS_WORD).args(self.to_args());
        command.arg(program).args(args);
        command
    }
}

/// The hidden subcommand [`WALLS_WORD`]; `args` are those behind that word. Returns
/// only if the command could not be started, or if there is none: then only the
/// walls were tried.
pub fn walls_main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let walled = Walls::parse(&mut args).ok_or_else(|| io::ErrorKind::InvalidInput.into());
    let (what, code) = match (walled.and_then(|walls| raise(&walls)), args.next()) {
        (Ok(()), None) => return ExitCode::SUCCESS,
        (Ok(()), Some(program)) => {
            let error = Command::new(&program).args(args).exec();
            let program = program.to_string_lossy();
            let what = format!("error: cannot run {}: {error}", program.escape_debug());
            (what, not_started(&error))
        }
        (Err(error), _) => (error.to_string(), NOT_STARTED),
    };
    // This process has nothing else to say, and nobody else to say it.
    let _ = io::Write::write_all(&mut io::stderr(), format!("{what}\n").as_bytes());
    ExitCode::from(code)
}

/// The exit code for a command that could not be started.
#[must_use]
pub fn not_started(error: &io::Error) -> u8 {
    match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_STARTED,
    }
}

/// Raises the walls and steps into the same directory behind them: the one that was
/// open before has none.
fn raise(walls: &Walls) -> io::Result<()> {
    let here = std::env::current_dir()?;
    enter(walls).map_err(io::Error::other)?;
    std::env::set_current_dir(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_are_read_back_whatever_the_names() {
        let walls = Walls {
            kept: vec!["/a b".into(), OsString::from_vec(vec![b'/', 0xff]).into()],
            frozen: vec!["--".into()],
            hidden: vec!["/k".into()],
        };
        for walls in [walls, Walls::default()] {
            let mut words = walls.to_args().into_iter().chain(["next".into()]);
            assert_eq!(Walls::parse(&mut words), Some(walls));
            assert_eq!(words.next(), Some("next".into()));
        }
        let cut = ["2".into(), "k/a".into()];
        assert_eq!(Walls::parse(&mut cut.into_iter()), None);
    }
}
