//! By its name, without following a link: what takes its place meanwhile is either in the
//! same directory, or a link whose own permissions mean nothing.

use std::ffi::OsStr;
use std::io;
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, Mode};

pub(in crate::keep) fn directory(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    permissions: Mode,
) -> io::Result<()> {
    rustix::fs::chmodat(parent, name, permissions, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(())
}
