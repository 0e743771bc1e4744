//! Files below the root of a work tree, written without trusting it.
//!
//! The work tree is the agent's: every step of the way is opened without
//! following a link, so that nothing is ever written outside of it. What is
//! replaced is replaced whole: a reader finds the old file or the new one.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use fusebox_files::beneath::{self, Missing};
use fusebox_files::replace::{Permissions, put_at};
use fusebox_files::{drafts, regular};
use rustix::fs::{Access, AtFlags, FileType, Mode, accessat, statat, unlinkat};
use rustix::io::Errno;

/// Puts a file in the place of another, or where there was none. Who may read it
/// stays as it was.
pub(crate) fn replace(root: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let (directory, name) = parts(root, path)?;
    let permissions = match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(about) if FileType::from_raw_mode(about.st_mode) == FileType::RegularFile => {
            // A file that may not be written says so, even to whoever could
            // replace it.
            accessat(&directory, name, Access::WRITE_OK, AtFlags::empty())?;
            Permissions::Kept(Mode::from_raw_mode(about.st_mode & 0o777))
        }
        Ok(_) => return Err(io::Error::other("it is not a regular file")),
        Err(Errno::NOENT) => Permissions::New(Mode::from(0o644)),
        Err(error) => return Err(error.into()),
    };
    put_at(&directory, name, permissions, content).map(drop)
}

/// Removes a file, if there is one, and what an interrupted process left of a draft of it.
pub(super) fn remove(root: &Path, path: &Path) -> io::Result<()> {
    let (directory, name) = parts(root, path)?;
    drafts::discard(&directory, Path::new(name))?;
    match unlinkat(&directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Adds to the end of a file, which begins with `header` if it is new.
pub(super) fn append(root: &Path, path: &Path, header: &str, text: &str) -> io::Result<()> {
    let (directory, name) = parts(root, path)?;
    let mut file = regular::extend_at(&directory, name, Mode::from(0o644))?;
    let begun = match file.metadata()?.len() {
        0 => header.to_owned(),
        // Whoever wrote last may have left the last line open.
        _ if ends_open(&mut file)? => "\n".to_owned(),
        _ => String::new(),
    };
    file.write_all(format!("{begun}{text}").as_bytes())
}

fn ends_open(file: &mut File) -> io::Result<bool> {
    use std::io::{Seek as _, SeekFrom};
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

fn parts<'a>(root: &Path, path: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let root = beneath::root(root)?;
    Ok((beneath::directory(root, parent, Missing::IsMade)?, name))
}
