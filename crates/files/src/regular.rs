//! Regular files, and nothing that only looks like one.
//!
//! Opening a pipe waits for a partner who never comes, and no limit of time and no signal ends
//! such a wait. A link leads elsewhere, and a file may have grown beyond all memory.
//!
//! Each function comes in two forms: for a path, and (`…_at`) for a name in a directory that is
//! held open.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;

/// Never wait for a partner, never become somebody's terminal, never be inherited.
const AT_ONCE: OFlags = OFlags::NONBLOCK
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// What nobody but its owner reads or writes.
pub const OWNER_ALONE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Whether a symbolic link is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Where the user may keep the file elsewhere.
    Follow,
    /// Where somebody else might make us read what is not theirs.
    Refuse,
}

impl Links {
    fn flags(self) -> OFlags {
        match self {
            Self::Follow => OFlags::empty(),
            Self::Refuse => OFlags::NOFOLLOW,
        }
    }
}

/// Opens a file for reading, at once or not at all.
///
/// # Errors
/// As [`open_at`].
pub fn open(path: &Path, links: Links) -> io::Result<File> {
    open_at(CWD, path, links)
}

/// Opens a file for reading, at once or not at all.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub fn open_at(directory: impl AsFd, name: impl Arg, links: Links) -> io::Result<File> {
    let flags = OFlags::RDONLY | links.flags();
    opened(directory, name, flags, Mode::empty())
}

/// What is in a file of at most `most` bytes. No link is followed.
///
/// # Errors
/// As [`open_at`]; [`io::ErrorKind::FileTooLarge`] if there is more in it.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_at(CWD, path, most)
}

/// What is in a file of at most `most` bytes. No link is followed.
///
/// # Errors
/// As [`open_at`]; [`io::ErrorKind::FileTooLarge`] if there is more in it.
pub fn read_at(directory: impl AsFd, name: impl Arg, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let file = open_at(directory, name, Links::Refuse)?;
    match read_up_to(&file, most, &mut content)? {
        true => Ok(content),
        false => Err(io::ErrorKind::FileTooLarge.into()),
    }
}

/// Replaces `content` by what is in an open file; says whether that was all of it.
///
/// # Errors
/// What the system says.
pub fn read_up_to(file: &File, most: u64, content: &mut Vec<u8>) -> io::Result<bool> {
    content.clear();
    file.take(most.saturating_add(1)).read_to_end(content)?;
    Ok(content.len() as u64 <= most)
}

/// A new and empty file for its owner alone, in the place of whatever had that name: that is
/// neither opened nor written through.
///
/// # Errors
/// As [`create_at`].
pub fn create(path: &Path) -> io::Result<File> {
    create_at(CWD, path, OWNER_ALONE)
}

/// A new and empty file, in the place of whatever had that name: that is neither opened nor
/// written through.
///
/// # Errors
/// What the system says, or that somebody was faster.
pub fn create_at(directory: impl AsFd, name: impl Arg, mode: Mode) -> io::Result<File> {
    let name = name.into_c_str()?;
    match rustix::fs::unlinkat(&directory, &*name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | AT_ONCE;
    Ok(rustix::fs::openat(directory, &*name, flags, mode)?.into())
}

/// A file to add to, for its owner alone, made if there is none.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub fn append(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
    opened(CWD, path, flags, OWNER_ALONE)
}

/// A file to read and add to, made with `mode` if there is none.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub fn extend_at(directory: impl AsFd, name: impl Arg, mode: Mode) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
    opened(directory, name, flags, mode)
}

/// A file to read and to write over, for its owner alone, made if there is none.
///
/// # Errors
/// As [`update_at`].
pub fn update(path: &Path) -> io::Result<File> {
    update_at(CWD, path, OWNER_ALONE)
}

/// A file to read and to write over, made with `mode` if there is none.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub fn update_at(directory: impl AsFd, name: impl Arg, mode: Mode) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW;
    opened(directory, name, flags, mode)
}

fn opened(directory: impl AsFd, name: impl Arg, flags: OFlags, mode: Mode) -> io::Result<File> {
    let opened = rustix::fs::openat(directory, name, flags | AT_ONCE, mode)?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode);
    match kind {
        FileType::RegularFile => Ok(opened.into()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::pipe;
    use std::fs;
    use std::os::unix::fs::symlink;

    type Opens = fn(&Path) -> io::Result<File>;

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::write(at("file"), "text").unwrap();
        pipe(&at("pipe"));
        symlink("file", at("link")).unwrap();
        assert_eq!(read(&at("file"), 4).unwrap(), b"text");
        assert_eq!(
            read(&at("file"), 3).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
        let opens: [Opens; 4] = [
            |path| open(path, Links::Refuse),
            append,
            |path| extend_at(CWD, path, OWNER_ALONE),
            update,
        ];
        for (number, open) in opens.into_iter().enumerate() {
            for name in ["pipe", "link", "."] {
                assert!(open(&at(name)).is_err(), "{number}: {name}");
            }
            assert!(open(&at("file")).is_ok(), "{number}");
        }
        assert!(read(&at("none"), 100).is_err());
        assert!(open(&at("link"), Links::Follow).is_ok());
        assert!(open(&at("pipe"), Links::Follow).is_err());
        assert_eq!(fs::read(at("file")).unwrap(), b"text", "nothing is emptied");
    }

    #[test]
    fn what_is_in_the_way_is_not_written_through() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::write(at("other"), "theirs").unwrap();
        symlink("other", at("link")).unwrap();
        pipe(&at("pipe"));
        for name in ["link", "pipe", "new"] {
            let file = create(&at(name)).unwrap();
            assert!(file.metadata().unwrap().is_file(), "{name}");
        }
        assert_eq!(fs::read(at("other")).unwrap(), b"theirs");
    }
}
