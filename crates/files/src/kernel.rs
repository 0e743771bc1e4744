//! What the kernel itself says, in files of `/proc`.
//!
//! Any user can make a namespace in which another file is mounted over one of these, and so
//! have a program there believe in another boot, or in other ancestors. Such a mount can be
//! seen: it is not the one that holds the rest.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, Mode, OFlags, PROC_SUPER_MAGIC, StatxFlags, fstatfs, open, readlinkat, statx,
};

/// Longer than anything that is asked for here.
const MOST_BYTES: u64 = 64 * 1024;

/// What a file of `/proc` says, if it is the kernel's and lies on the same mount as `top`,
/// a directory above it. (Containers have `/proc/sys` on one of its own.)
///
/// # Errors
/// What the system says, or that something was mounted over it.
pub fn read(top: &Path, path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    refuse_mounts(top, file.as_fd())?;
    let mut text = String::new();
    file.by_ref().take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Where a link of `/proc` leads by the kernel's own word, under the same condition.
///
/// # Errors
/// What the system says, or that something was mounted over it.
pub fn read_link(top: &Path, path: &Path) -> io::Result<String> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let link = open(path, flags, Mode::empty())?;
    refuse_mounts(top, link.as_fd())?;
    Ok(readlinkat(&link, "", Vec::new())?
        .to_string_lossy()
        .into_owned())
}

fn refuse_mounts(top: &Path, file: BorrowedFd<'_>) -> io::Result<()> {
    let top = File::open(top)?;
    if fstatfs(file)?.f_type == PROC_SUPER_MAGIC && mount_of(file)? == mount_of(top.as_fd())? {
        return Ok(());
    }
    let what = "something else was mounted in its place";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
}

/// The number of the mount that an open file lies on; nothing where the kernel is too old to
/// tell.
fn mount_of(file: BorrowedFd<'_>) -> io::Result<Option<u64>> {
    let about = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)?;
    let told = about.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    Ok(told.then_some(about.stx_mnt_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_is_read_and_what_is_not_its_own_is_not() {
        let said = |top: &str, path: &str| read(Path::new(top), Path::new(path));
        let boot = said("/proc/sys", "/proc/sys/kernel/random/boot_id").unwrap();
        assert_eq!(boot.trim().len(), 36);
        assert!(said("/proc", "/proc/self/uid_map").is_ok());
        assert!(said("/etc", "/etc/passwd").is_err());
        assert!(said("/proc", "/proc/self/no-such-file").is_err());
        let leads = |top: &str, path: &str| read_link(Path::new(top), Path::new(path));
        let namespace = leads("/proc", "/proc/self/ns/pid").unwrap();
        assert!(namespace.starts_with("pid:["), "{namespace}");
        assert!(leads("/dev", "/dev/stdin").is_err());
        assert!(leads("/proc", "/proc/self/ns/no-such-link").is_err());
    }
}
