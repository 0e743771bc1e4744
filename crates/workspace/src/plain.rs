//! Reading files that somebody hostile wrote.
//!
//! A name in the workspace may turn out to be a FIFO that never answers, a device that
//! never ends, or a terabyte of nothing. Only regular files are read, only up to a size,
//! and opening never waits.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::path::Arg;

/// Reads the regular file `name` under `dir`, or answers `None` if it is anything else,
/// larger than `limit`, or not there.
///
/// The last component is not followed if it is a symbolic link.
pub(crate) fn read_at(dir: impl AsFd, name: impl Arg, limit: u64) -> Option<Vec<u8>> {
    let file = open_regular(dir, name).ok()??;
    let mut content = Vec::new();
    read_up_to(&file, limit, &mut content)
        .is_ok_and(|whole| whole)
        .then_some(content)
}

/// Reads the last whole lines of a regular file, as many as fit in `limit`.
pub(crate) fn read_tail_at(dir: impl AsFd, name: impl Arg, limit: u64) -> Option<Vec<u8>> {
    let mut file = open_regular(dir, name).ok()??;
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

/// Opens `name` under `dir` for reading if it is a regular file.
pub(crate) fn open_regular(dir: impl AsFd, name: impl Arg) -> rustix::io::Result<Option<File>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(dir, name, flags | OFlags::NOCTTY, Mode::empty())?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode);
    Ok((kind == FileType::RegularFile).then(|| File::from(opened)))
}

/// Replaces `content` with what `file` holds; answers whether that was all of it.
pub(crate) fn read_up_to(file: &File, limit: u64, content: &mut Vec<u8>) -> io::Result<bool> {
    content.clear();
    file.take(limit + 1).read_to_end(content)?;
    Ok(content.len() as u64 <= limit)
}

/// Opens a directory under `dir`, following symbolic links.
pub(crate) fn open_directory(dir: impl AsFd, name: impl Arg) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}
