//! Files below the root of a work tree, written without trusting it.
//!
//! The work tree is the agent's: every step of the way is opened without
//! following a link, so that nothing is ever written outside of it. What is
//! replaced is replaced whole: a reader finds the old file or the new one.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{
    Access, AtFlags, CWD, FileType, Mode, OFlags, accessat, fstat, mkdirat, openat, renameat,
    statat, unlinkat,
};
use rustix::io::Errno;

/// The end of a name that a file has before it is whole.
const UNFINISHED: &str = ".fusebox-new";

/// Opens a directory beneath `root`, making what is missing.
pub(crate) fn descend(root: &Path, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut here = openat(CWD, root, flags, Mode::empty())?;
    for component in path.components() {
        let Component::Normal(name) = component else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        match mkdirat(here.as_fd(), name, Mode::from(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        here = openat(&here, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(here)
}

/// Puts a file in the place of another, or where there was none. Who may read it
/// stays as it was.
pub(crate) fn replace(root: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let (directory, name) = parts(root, path)?;
    let mode = match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(about) if FileType::from_raw_mode(about.st_mode) == FileType::RegularFile => {
            // A file that may not be written says so, even to whoever could
            // replace it.
            accessat(&directory, name, Access::WRITE_OK, AtFlags::empty())?;
            Mode::from_raw_mode(about.st_mode & 0o777)
        }
        Ok(_) => return Err(io::Error::other("it is not a regular file")),
        Err(Errno::NOENT) => Mode::from(0o644),
        Err(error) => return Err(error.into()),
    };
    let mut unfinished = name.to_owned();
    unfinished.push(UNFINISHED);
    let mut file = create(&directory, &unfinished, mode)?;
    file.write_all(content)?;
    file.sync_data()?;
    Ok(renameat(&directory, &unfinished, &directory, name)?)
}

/// A new and empty file, in the place of whatever had that name: a pipe there would have us
/// wait for somebody to read from it, with the memory locked.
pub(crate) fn create(directory: &OwnedFd, name: &OsStr, mode: Mode) -> io::Result<File> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let opened = openat(directory, name, flags | OFlags::CLOEXEC, mode)?;
    Ok(File::from(opened))
}

/// Removes a file, if there is one.
pub(super) fn remove(root: &Path, path: &Path) -> io::Result<()> {
    let (directory, name) = parts(root, path)?;
    match unlinkat(&directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Adds to the end of a file, which begins with `header` if it is new.
pub(super) fn append(root: &Path, path: &Path, header: &str, text: &str) -> io::Result<()> {
    let (directory, name) = parts(root, path)?;
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
    let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(openat(&directory, name, flags, Mode::from(0o644))?);
    let about = fstat(&file)?;
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    let begun = match about.st_size {
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
    Ok((descend(root, parent)?, name))
}
