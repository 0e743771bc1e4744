//! Putting files into a hostile directory tree, and taking them out of it.

use std::ffi::OsStr;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::LeftBecause;
use super::plan::File;
use crate::beneath::{self, Missing};
use crate::stamp::Kind;

/// Where a file is before it gets its name. One that an interrupted rollback left behind is
/// in no snapshot from before, so the next rollback deletes it like any other new file.
const UNFINISHED: &str = ".fusebox-unfinished";

/// The root of the work tree.
pub(super) struct Place<'a> {
    root: BorrowedFd<'a>,
}

type Done = Result<(), LeftBecause>;

impl<'a> Place<'a> {
    pub(super) fn new(root: BorrowedFd<'a>) -> Self {
        Self { root }
    }

    /// Deletes a file or link, and the directories that are empty without it.
    pub(super) fn delete(&self, path: &[u8]) -> Done {
        let (above, name) = beneath::split(path).ok_or(LeftBecause::Forbidden)?;
        let parent = match beneath::directory(self.root, above, Missing::Fails) {
            Ok(parent) => parent,
            // Gone already, together with its directory.
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(why(error)),
        };
        match rustix::fs::unlinkat(&parent, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(why(error)),
        }
        self.delete_if_empty(above);
        Ok(())
    }

    /// A directory that is not empty stays, and so do those above it.
    fn delete_if_empty(&self, mut path: &[u8]) {
        while let Some((above, name)) = beneath::split(path) {
            let emptied = beneath::directory(self.root, above, Missing::Fails)
                .and_then(|parent| rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR));
            if emptied.is_err() {
                return;
            }
            path = above;
        }
    }

    /// Writes a file or link beside its place and renames it into it.
    pub(super) fn write(&self, file: &File, content: &[u8]) -> Done {
        let (above, name) = beneath::split(&file.path).ok_or(LeftBecause::Forbidden)?;
        let parent = beneath::directory(self.root, above, Missing::IsMade).map_err(why)?;
        let permissions = present_permissions(&parent, name, file.replaces)?;
        match rustix::fs::unlinkat(&parent, UNFINISHED, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(why(error)),
        }
        let done = create(&parent, file.kind, permissions, content)
            .and_then(|()| rustix::fs::renameat(&parent, UNFINISHED, &parent, name).map_err(why));
        if done.is_err() {
            let _ = rustix::fs::unlinkat(&parent, UNFINISHED, AtFlags::empty());
        }
        done
    }
}

/// The permissions of the file that is to be replaced, if there is one.
///
/// What the present snapshot does not hold must not be replaced, nor what is neither file
/// nor link.
fn present_permissions(
    parent: &OwnedFd,
    name: &OsStr,
    replaces: bool,
) -> Result<Option<Mode>, LeftBecause> {
    let found = match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(why(error)),
        Ok(found) => found,
    };
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile if replaces => Ok(Some(Mode::from_raw_mode(found.st_mode))),
        FileType::Symlink if replaces => Ok(None),
        _ => Err(LeftBecause::InTheWay),
    }
}

fn create(parent: &OwnedFd, kind: Kind, permissions: Option<Mode>, content: &[u8]) -> Done {
    if kind == Kind::Symlink {
        return rustix::fs::symlinkat(OsStr::from_bytes(content), parent, UNFINISHED).map_err(why);
    }
    let executable = kind == Kind::Executable;
    let fresh = Mode::from_raw_mode(if executable { 0o777 } else { 0o666 });
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(parent, UNFINISHED, flags, fresh).map_err(why)?;
    if let Some(present) = permissions {
        let wanted = with_execution(present, executable);
        rustix::fs::fchmod(opened.as_fd(), wanted).map_err(why)?;
    }
    std::fs::File::from(opened)
        .write_all(content)
        .map_err(|error| LeftBecause::Refused(error.to_string()))
}

/// Whoever may read an executable file may also run it. Bits that grant another user's
/// rights are not carried over to new content.
fn with_execution(mode: Mode, executable: bool) -> Mode {
    let readable = mode.as_raw_mode() & 0o666;
    let runnable = (readable & 0o444) >> 2;
    Mode::from_raw_mode(match executable {
        true => readable | runnable | 0o100,
        false => readable,
    })
}

fn why(error: Errno) -> LeftBecause {
    match error {
        // A link or a file where a directory should be, or a directory with something in it.
        Errno::LOOP | Errno::NOTDIR | Errno::ISDIR | Errno::NOTEMPTY | Errno::EXIST => {
            LeftBecause::InTheWay
        }
        error => LeftBecause::Refused(std::io::Error::from(error).to_string()),
    }
}
