//! The files as they are now, behind a trait so that tests can sketch them.
//!
//! The analysis only looks. Nothing is opened but the scripts that a command would run, the
//! archives that it would unpack and the index of git, and those without following a link and
//! without waiting for a pipe.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Mode, OFlags};

/// How much of a script is read; what is longer is not understood.
pub const LONGEST_SCRIPT: usize = 128 * 1024;

/// How many names of a directory are looked at.
const LONGEST_LISTING: usize = 10_000;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Link,
    /// A file, or anything else that is no directory.
    File,
}

/// When a file was last written and changed, in seconds and nanoseconds, and which it is: cut
/// to the width that an index of git has for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// When anything about it was changed.
    pub changed: (u32, u32),
    /// When its content was.
    pub written: (u32, u32),
    /// Its number on the file system.
    pub number: u32,
    /// How many bytes it has.
    pub size: u32,
}

/// What the analysis may ask about files. All paths are absolute.
pub trait Tree {
    /// What is at the path, without following a link there.
    fn kind(&self, path: &Path) -> Option<Kind>;
    /// Where a link leads, as it is written.
    fn read_link(&self, path: &Path) -> Option<PathBuf>;
    /// The names in a directory.
    fn list(&self, directory: &Path) -> Vec<OsString>;
    /// The text of a script of at most [`LONGEST_SCRIPT`] bytes.
    fn read(&self, path: &Path) -> Option<String>;
    /// How many bytes a file holds, if that can be told.
    fn length(&self, path: &Path) -> Option<u64> {
        let text = self.read(path)?;
        u64::try_from(text.len()).ok()
    }
    /// So many bytes of a file from an offset on, or as many as there are.
    fn bytes(&self, _path: &Path, _offset: u64, _length: usize) -> Option<Vec<u8>> {
        None
    }
    /// Whether it is certain that something may be read, or written to.
    fn permits(&self, _path: &Path, _writing: bool) -> bool {
        false
    }
    /// What git goes by to tell whether a file was changed, if that can be told.
    fn stamp(&self, _path: &Path) -> Option<Stamp> {
        None
    }
    /// What tells whether two names are one file, if that can be told.
    fn identity(&self, path: &Path) -> Option<(u64, u64)>;
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Tree for Disk {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let found = path.symlink_metadata().ok()?.file_type();
        Some(if found.is_dir() {
            Kind::Directory
        } else if found.is_symlink() {
            Kind::Link
        } else {
            Kind::File
        })
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        path.read_link().ok()
    }

    fn list(&self, directory: &Path) -> Vec<OsString> {
        let Ok(entries) = directory.read_dir() else {
            return Vec::new();
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut names: Vec<_> = names.take(LONGEST_LISTING).collect();
        names.sort();
        names
    }

    fn read(&self, path: &Path) -> Option<String> {
        let file = open(path)?;
        let mut text = Vec::new();
        let limit = u64::try_from(LONGEST_SCRIPT).ok()? + 1;
        file.take(limit).read_to_end(&mut text).ok()?;
        (text.len() <= LONGEST_SCRIPT)
            .then(|| String::from_utf8(text).ok())
            .flatten()
    }

    fn bytes(&self, path: &Path, offset: u64, length: usize) -> Option<Vec<u8>> {
        let file = open(path)?;
        let mut bytes = vec![0; length];
        let mut read = 0;
        while read < length {
            let at = offset.checked_add(u64::try_from(read).ok()?)?;
            match file.read_at(&mut bytes[read..], at).ok()? {
                0 => break,
                count => read += count,
            }
        }
        bytes.truncate(read);
        Some(bytes)
    }

    fn length(&self, path: &Path) -> Option<u64> {
        let found = path.symlink_metadata().ok()?;
        found.is_file().then_some(found.len())
    }

    fn permits(&self, path: &Path, writing: bool) -> bool {
        let asked = if writing {
            Access::WRITE_OK
        } else {
            Access::READ_OK
        };
        rustix::fs::access(path, asked).is_ok()
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let found = path.symlink_metadata().ok()?;
        let low = |number: i64| u32::try_from(number & 0xffff_ffff).ok();
        let low_of = |number: u64| u32::try_from(number & 0xffff_ffff).ok();
        Some(Stamp {
            changed: (low(found.ctime())?, low(found.ctime_nsec())?),
            written: (low(found.mtime())?, low(found.mtime_nsec())?),
            number: low_of(found.ino())?,
            size: low_of(found.len())?,
        })
    }

    fn identity(&self, path: &Path) -> Option<(u64, u64)> {
        let found = path.symlink_metadata().ok()?;
        (found.is_file() && found.nlink() > 1).then(|| (found.dev(), found.ino()))
    }
}

/// Files that are looked at once: a command names the same directories again and again, and
/// what they are does not change while it is only read.
pub(crate) struct Seen<'a> {
    tree: &'a dyn Tree,
    kinds: RefCell<BTreeMap<OsString, Option<Kind>>>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(tree: &'a dyn Tree) -> Self {
        Self {
            tree,
            kinds: RefCell::default(),
        }
    }
}

impl Tree for Seen<'_> {
    fn kind(&self, path: &Path) -> Option<Kind> {
        if let Some(kind) = self.kinds.borrow().get(path.as_os_str()) {
            return *kind;
        }
        let kind = self.tree.kind(path);
        self.kinds.borrow_mut().insert(path.into(), kind);
        kind
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        self.tree.read_link(path)
    }

    fn list(&self, directory: &Path) -> Vec<OsString> {
        self.tree.list(directory)
    }

    fn read(&self, path: &Path) -> Option<String> {
        self.tree.read(path)
    }

    fn length(&self, path: &Path) -> Option<u64> {
        self.tree.length(path)
    }

    fn bytes(&self, path: &Path, offset: u64, length: usize) -> Option<Vec<u8>> {
        self.tree.bytes(path, offset, length)
    }

    fn permits(&self, path: &Path, writing: bool) -> bool {
        self.tree.permits(path, writing)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.tree.stamp(path)
    }

    fn identity(&self, path: &Path) -> Option<(u64, u64)> {
        self.tree.identity(path)
    }
}

/// Opens a file, without following a link and without waiting for a pipe.
fn open(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_asked_as_the_files_are() {
        let directory = tempfile::tempdir().expect("a directory");
        let (one, other) = (directory.path().join("a"), directory.path().join("b"));
        std::fs::write(&one, "x").expect("a file");
        std::fs::hard_link(&one, &other).expect("another name");
        let seen = Seen::new(&Disk);
        assert!(seen.identity(&one).is_some());
        assert_eq!(seen.identity(&one), Disk.identity(&other));
        assert_eq!(seen.identity(directory.path()), None);
    }

    #[test]
    fn a_pipe_is_neither_read_nor_waited_for() {
        let directory = tempfile::tempdir().expect("a directory");
        let pipe = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        assert_eq!(Disk.read(&pipe), None);
        assert_eq!(Disk.bytes(&pipe, 0, 1), None);
    }
}
