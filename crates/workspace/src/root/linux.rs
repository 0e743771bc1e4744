//! Identities by `statx`.

use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, StatxFlags};

use super::Identity;

impl Identity {
    pub(super) fn of(directory: BorrowedFd<'_>) -> rustix::io::Result<Self> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let found = rustix::fs::statx(directory, "", AtFlags::EMPTY_PATH, wanted)?;
        let has_birth = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
        Ok(Self {
            device: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
            born: has_birth.then_some((found.stx_btime.tv_sec, found.stx_btime.tv_nsec)),
        })
    }
}
