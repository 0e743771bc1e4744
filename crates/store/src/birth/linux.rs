//! Birth times by `statx`.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags};

use crate::locate::Key;

pub(crate) fn key_of(path: &Path) -> rustix::io::Result<Key> {
    let wanted = StatxFlags::INO | StatxFlags::BTIME;
    let stat = rustix::fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, wanted)?;
    let has_birth = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
    let born =
        i128::from(stat.stx_btime.tv_sec) * 1_000_000_000 + i128::from(stat.stx_btime.tv_nsec);
    Ok(Key {
        dev: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor),
        ino: stat.stx_ino,
        born: if has_birth { born } else { 0 },
    })
}
