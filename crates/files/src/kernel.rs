//! What the kernel itself says, in files of `/proc`.
//!
//! Any user can make a namespace in which another file is mounted over one of these, and so
//! have a program there believe in another boot, or in other ancestors. Such a mount can be
//! seen: it is not the one that holds the rest.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{AtFlags, PROC_SUPER_MAGIC, StatxFlags, fstatfs, statx};

/// Longer than anything that is asked for here.
const MOST_BYTES: u64 = 64 * 1024;

/// What a file of `/proc` says, if it is the kernel's and lies on the same mount as `top`,
/// a directory above it. (Containers have `/proc/sys` on one of its own.)
///
/// # Errors
/// What the system says, or that something was mounted over it.
pub fn read(top: &Path, path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let top = File::open(top)?;
    if fstatfs(&file)?.f_type != PROC_SUPER_MAGIC || mount_of(&file)? != mount_of(&top)? {
        let what = "something else was mounted in its place";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    let mut text = String::new();
    file.by_ref().take(MOST_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// The number of the mount that an open file lies on; nothing where the kernel is too old to
/// tell.
fn mount_of(file: &File) -> io::Result<Option<u64>> {
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
    }
}
