//! Knowing the workspace root by what it is, not by what it is called.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use crate::Unmeasured;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

/// The identity of a directory at the moment it was opened.
///
/// A path is only a name: an agent that renames the repository and leaves a copy in its
/// place would otherwise have the copy measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootMark {
    path: PathBuf,
    identity: Identity,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    /// Birth time, where the file system keeps one: inode numbers are reused.
    born: Option<(i64, u32)>,
}

impl RootMark {
    /// Takes the mark of the directory at `root`.
    pub fn of(root: &Path) -> std::io::Result<Self> {
        let path = root.canonicalize()?;
        let directory = open_directory(&path)?;
        Ok(Self {
            identity: Identity::of(directory.as_fd())?,
            path,
        })
    }

    /// The canonical path under which the directory was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the same directory is still at the same path.
    pub fn still_there(&self) -> bool {
        self.open().is_ok()
    }

    /// Opens the directory, checking the identity of what was opened rather than of the name.
    pub(crate) fn open(&self) -> Result<OwnedFd, Unmeasured> {
        let same = |directory: &OwnedFd| {
            Identity::of(directory.as_fd()).is_ok_and(|identity| identity == self.identity)
        };
        open_directory(&self.path)
            .ok()
            .filter(same)
            .ok_or_else(|| Unmeasured::RootMoved {
                root: self.path.clone(),
            })
    }
}

fn open_directory(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(CWD, path, flags, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn renamed_and_replaced_roots_are_noticed() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("repo");
        fs::create_dir(&root).unwrap();
        let mark = RootMark::of(&root).unwrap();
        fs::write(root.join("file"), "x").unwrap();
        assert!(mark.still_there());

        fs::rename(&root, home.path().join("moved")).unwrap();
        assert!(!mark.still_there());
        fs::create_dir(&root).unwrap();
        assert!(!mark.still_there());
        fs::remove_dir(&root).unwrap();
        std::os::unix::fs::symlink(home.path().join("moved"), &root).unwrap();
        assert!(!mark.still_there());

        fs::remove_file(&root).unwrap();
        fs::rename(home.path().join("moved"), &root).unwrap();
        assert!(mark.still_there());
    }
}
