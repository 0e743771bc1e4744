//! By what an open file is called in `/proc`.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::fs::{Mode, OFlags};

/// A directory without permissions cannot be opened, only pointed at; and only the
/// name of an open file is sure to be no link.
pub(in crate::keep) fn directory(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    permissions: Mode,
) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    let itself = format!("/proc/self/fd/{}", directory.as_raw_fd());
    rustix::fs::chmod(itself, permissions)?;
    Ok(())
}
