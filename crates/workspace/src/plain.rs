//! Reading files that somebody hostile wrote.
//!
//! A name in the workspace may turn out to be a FIFO that never answers, a device that
//! never ends, or a terabyte of nothing. Only regular files are read, only up to a size,
//! and opening never waits.

use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};

use fusebox_files::{Links, regular};
use rustix::fs::{Mode, OFlags};
use rustix::path::Arg;

/// Reads the regular file `name` under `dir`, or answers `None` if it is anything else,
/// larger than `limit`, or not there.
///
/// The last component is not followed if it is a symbolic link.
pub(crate) fn read_at(dir: impl AsFd, name: impl Arg, limit: u64) -> Option<Vec<u8>> {
    regular::read_at(dir, name, limit).ok()
}

/// Reads the last whole lines of a regular file, as many as fit in `limit`.
pub(crate) fn read_tail_at(dir: impl AsFd, name: impl Arg, limit: u64) -> Option<Vec<u8>> {
    let mut file = regular::open_at(dir, name, Links::Refuse).ok()?;
    let skipped = file.metadata().ok()?.len().saturating_sub(limit);
    file.seek(SeekFrom::Start(skipped)).ok()?;
    let mut content = Vec::new();
    file.take(limit).read_to_end(&mut content).ok()?;
    if skipped > 0 {
        let first_whole = content.iter().position(|byte| *byte == b'\n')? + 1;
        content.drain(..first_whole);
    }
    Some(content)
}

/// Opens a directory under `dir`, following symbolic links.
pub(crate) fn open_directory(dir: impl AsFd, name: impl Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}
