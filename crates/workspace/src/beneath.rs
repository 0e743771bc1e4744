//! Reaching into the workspace without ever being led out of it, by paths as git has them:
//! bytes, from the root on.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub(crate) use fusebox_files::beneath::Missing;
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::{Errno, Result};

/// A path split into the directory that holds it and its last component.
///
/// `None` for what is not plainly a path below: absolute, empty, or with a component that
/// means another directory.
pub(crate) fn split(path: &[u8]) -> Option<(&[u8], &OsStr)> {
    let is_plain = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.contains(&0);
    path.split(|byte| *byte == b'/').all(is_plain).then(|| {
        match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..slash], OsStr::from_bytes(&path[slash + 1..])),
            None => (&path[..0], OsStr::from_bytes(path)),
        }
    })
}

/// Opens the directory `path` below `root`; the empty path is the root itself.
pub(crate) fn directory(root: BorrowedFd<'_>, path: &[u8], missing: Missing) -> Result<OwnedFd> {
    let path = Path::new(OsStr::from_bytes(path));
    fusebox_files::beneath::directory(root, path, missing)
}

/// What is at `path` below `root`, without following a link there or on the way.
pub(crate) fn stat(root: BorrowedFd<'_>, path: &[u8]) -> Result<Stat> {
    let (above, name) = split(path).ok_or(Errno::INVAL)?;
    let parent = directory(root, above, Missing::Fails)?;
    rustix::fs::statat(parent.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW)
}

/// The type of what is at `path` below `root`.
pub(crate) fn file_type(root: BorrowedFd<'_>, path: &[u8]) -> Option<FileType> {
    let found = stat(root, path).ok()?;
    Some(FileType::from_raw_mode(found.st_mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain;
    use rustix::fs::CWD;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_dots_lead_nowhere() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        fs::create_dir_all(root.join("real/deep")).unwrap();
        fs::write(root.join("real/file"), "").unwrap();
        fs::write(home.path().join("outside"), "").unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("../outside", root.join("out")).unwrap();
        let root = plain::open_directory(CWD, &root).unwrap();
        for (path, expected) in [
            ("real/file", Some(FileType::RegularFile)),
            ("real/deep", Some(FileType::Directory)),
            ("out", Some(FileType::Symlink)),
            ("link/file", None),
            ("../outside", None),
            ("real/../real/file", None),
            ("./real/file", None),
            ("/etc/passwd", None),
            ("real//file", None),
            ("real/", None),
            ("", None),
        ] {
            assert_eq!(file_type(root.as_fd(), path.as_bytes()), expected, "{path}");
        }
    }
}
