//! The directory with the protected files, and ways beneath it that follow no link.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use fusebox_files::beneath::Missing;
use fusebox_files::regular;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;

use super::report::KeepError;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The root, held open: whoever swaps it for another gains nothing.
pub(super) struct Root {
    path: PathBuf,
    directory: OwnedFd,
}

impl Root {
    pub(super) fn open(path: &Path) -> Result<Self, KeepError> {
        match rustix::fs::open(path, DIRECTORY, Mode::empty()) {
            Ok(directory) => Ok(Self {
                path: path.to_owned(),
                directory,
            }),
            Err(error) => Err(KeepError::Root {
                path: path.to_owned(),
                error: error.into(),
            }),
        }
    }

    /// The same, made anew if it is not there at all: whoever deletes the whole directory
    /// has deleted what is protected in it.
    pub(super) fn open_or_create(path: &Path) -> Result<Self, KeepError> {
        match Self::open(path) {
            Err(KeepError::Root { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                let made = rustix::fs::mkdir(path, Mode::from_raw_mode(0o755));
                made.map_err(|error| KeepError::Root {
                    path: path.to_owned(),
                    error: error.into(),
                })?;
                Self::open(path)
            }
            opened => opened,
        }
    }

    /// Its path when it was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is at a path beneath it, without following a link there. Links on the way are
    /// followed: whoever cares about those asks [`Root::is_direct`].
    pub(super) fn stat(&self, path: &Path) -> Result<Stat, Errno> {
        rustix::fs::statat(&self.directory, named(path), AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Whether a path is a directory, and no link to one.
    pub(super) fn is_direct(&self, path: &Path) -> bool {
        self.stat(path)
            .is_ok_and(|stat| kind(&stat) == FileType::Directory)
    }

    /// The directory at a path. No component may be a link.
    pub(super) fn directory(&self, path: &Path, missing: Missing) -> io::Result<OwnedFd> {
        fusebox_files::beneath::directory(&self.directory, path, missing)
            .map_err(|error| on_the_way(path, error))
    }

    /// What a file holds, unless that is too much. No link is followed.
    pub(super) fn content(&self, path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
        let (parent, name) = parts(path)?;
        let parent = self.directory(parent, Missing::Fails)?;
        match regular::read_at(parent, name, most) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(None),
            read => read.map(Some),
        }
    }
}

fn on_the_way(path: &Path, error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::XDEV => {
            let what = format!("{} is reached through a link", path.display());
            io::Error::new(io::ErrorKind::InvalidInput, what)
        }
        other => other.into(),
    }
}

/// What a path is in and what it is called there.
pub(super) fn parts(path: &Path) -> io::Result<(&Path, &OsStr)> {
    let parts = path.parent().zip(path.file_name());
    parts.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

pub(super) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// The permissions of a file, without its kind.
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the widths of these numbers differ between systems"
)]
pub(super) fn permissions(stat: &Stat) -> u32 {
    u32::from(stat.st_mode) & 0o7777
}

/// What the system takes for these permissions.
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the widths of these numbers differ between systems"
)]
pub(super) fn mode(permissions: u32) -> Mode {
    Mode::from_raw_mode(RawMode::try_from(permissions & 0o7777).unwrap_or(0))
}

/// The root itself has no name beneath itself.
fn named(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}
