//! Regular files, and nothing that only looks like one.
//!
//! Whatever lies in the work tree, and whatever of ours lies where the agent can write, may have
//! become a pipe since we last looked. Opening that waits for a partner who never comes, and
//! the loop with it: no limit of time and no signal ends such a wait. A link leads elsewhere, and a
//! file may have grown beyond all memory. So such files are opened here.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};

/// Whether a symbolic link is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// Where the user may keep the file elsewhere.
    Follow,
    /// Where somebody else might make us read what is not theirs.
    Refuse,
}

impl Links {
    /// How a file is opened for reading without waiting for anybody.
    pub(crate) fn flags(self) -> OFlags {
        let plain = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        match self {
            Self::Follow => plain,
            Self::Refuse => plain | OFlags::NOFOLLOW,
        }
    }
}

/// Opens a file for reading, at once or not at all.
pub(crate) fn open(path: &Path, links: Links) -> io::Result<File> {
    regular(rustix::fs::open(path, links.flags(), Mode::empty())?)
}

/// What is in a file of at most `most` bytes. No link is followed.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, Links::Refuse)?
        .take(most + 1)
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// A new and empty file for its owner alone, in the place of whatever had that name: that is
/// neither opened nor written through.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// A file to add to, for its owner alone.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
    let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC;
    regular(rustix::fs::open(path, flags, Mode::from(0o600))?)
}

fn regular(opened: OwnedFd) -> io::Result<File> {
    let file = File::from(opened);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::process::Command;

    fn pipe(path: &Path) {
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo").success());
    }

    fn place() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
        let top = tempfile::tempdir().expect("a directory");
        let path = top.path().to_owned();
        (top, move |name| path.join(name))
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let (_top, at) = place();
        fs::write(at("file"), "text").expect("a file");
        pipe(&at("pipe"));
        symlink("file", at("link")).expect("a link");
        assert_eq!(read(&at("file"), 4).expect("read"), b"text");
        assert!(read(&at("file"), 3).is_err(), "a byte too many");
        for name in ["pipe", "link", ".", "none"] {
            assert!(read(&at(name), 100).is_err(), "{name}");
        }
        for name in ["pipe", "link", "."] {
            assert!(append(&at(name)).is_err(), "{name}");
        }
        assert!(open(&at("link"), Links::Follow).is_ok());
        assert!(open(&at("pipe"), Links::Follow).is_err());
    }

    #[test]
    fn what_is_in_the_way_is_not_written_through() {
        let (_top, at) = place();
        fs::write(at("other"), "theirs").expect("a file");
        symlink("other", at("link")).expect("a link");
        pipe(&at("pipe"));
        for name in ["link", "pipe", "new"] {
            let file = create(&at(name)).expect(name);
            assert!(file.metadata().expect("about it").is_file(), "{name}");
        }
        assert_eq!(fs::read(at("other")).expect("the file"), b"theirs");
    }
}
