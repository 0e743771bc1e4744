//! Identities by `fstat`, which has a field for birth times here.

use std::os::fd::BorrowedFd;

use super::Identity;

/// The file systems that are known to keep birth times. The field is always filled; on
/// others with a time that changes with each file in the directory.
const WITH_BIRTH_TIMES: [&[u8]; 2] = [b"apfs", b"hfs"];

impl Identity {
    pub(super) fn of(directory: BorrowedFd<'_>) -> rustix::io::Result<Self> {
        let found = rustix::fs::fstat(directory)?;
        let name = rustix::fs::fstatfs(directory)?.f_fstypename;
        let name = name.map(i8::cast_unsigned);
        let seconds = found.st_birthtime;
        let nanos = u32::try_from(found.st_birthtime_nsec).unwrap_or(0);
        Ok(Self {
            device: u64::try_from(found.st_dev).unwrap_or(u64::MAX),
            inode: found.st_ino,
            born: keeps_birth_times(&name).then_some((seconds, nanos)),
        })
    }
}

/// `name` is what the system calls the file system, with zeros behind it.
fn keeps_birth_times(name: &[u8]) -> bool {
    let name = name.split(|letter| *letter == 0).next();
    name.is_some_and(|name| WITH_BIRTH_TIMES.contains(&name))
}
