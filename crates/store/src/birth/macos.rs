//! Birth times by `stat`, which has a field for them here.

use std::path::Path;

use rustix::fs::{AtFlags, CWD};

use super::device;
use crate::filesystem::keeps_birth_times;
use crate::locate::Key;

pub(crate) fn key_of(path: &Path) -> rustix::io::Result<Key> {
    let stat = rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)?;
    // The field is always filled, with some other time where the file system
    // keeps no birth times; that would make another directory of this one with
    // each change.
    let born = if keeps_birth_times(&rustix::fs::statfs(path)?) {
        i128::from(stat.st_birthtime) * 1_000_000_000 + i128::from(stat.st_birthtime_nsec)
    } else {
        0
    };
    Ok(Key {
        dev: device(&stat),
        ino: stat.st_ino,
        born,
    })
}
