//! Looking at single files of the workspace: whether they are there, and what they say.
//!
//! The evidence for a claim is found in files that the claimant can write. So they are
//! reached without following links and read up to a limit.

use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::beneath::{self, Missing};
use crate::{RootMark, Unmeasured, listing, plain};

const LISTING_BUFFER: usize = 8 << 10;

impl RootMark {
    /// Those of `required` that are missing from the workspace.
    ///
    /// A file or directory counts if it is reached from the root without passing a link. A
    /// link in its place is not the thing itself: it could point at any file that happens to
    /// exist. For the same reason a path that leads out of the workspace is always missing.
    pub fn missing(&self, required: &[PathBuf]) -> Result<Vec<PathBuf>, Unmeasured> {
        let root = self.open()?;
        let is_there = |path: &PathBuf| {
            let path = path.as_os_str().as_bytes();
            let path = path.strip_suffix(b"/").unwrap_or(path);
            matches!(
                beneath::file_type(root.as_fd(), path),
                Some(FileType::RegularFile | FileType::Directory)
            )
        };
        let missing = required.iter().filter(|path| !is_there(path));
        Ok(missing.cloned().collect())
    }

    /// The content of the regular file `path`, or `None` if it is anything else, larger than
    /// `limit`, not readable or not there.
    pub fn read(&self, path: &Path, limit: u64) -> Option<Vec<u8>> {
        let root = self.open().ok()?;
        let (above, name) = beneath::split(path.as_os_str().as_bytes())?;
        let parent = beneath::directory(root.as_fd(), above, Missing::Fails).ok()?;
        plain::read_at(parent, name, limit)
    }

    /// The names in the directory `path`, at most `limit` of them, in no order; none if there
    /// is no such directory. The empty path is the root itself.
    pub fn names(&self, path: &Path, limit: usize) -> Vec<PathBuf> {
        let path = path.as_os_str().as_bytes();
        let opened = self
            .open()
            .ok()
            .filter(|_| path.is_empty() || beneath::split(path).is_some())
            .and_then(|root| beneath::directory(root.as_fd(), path, Missing::Fails).ok());
        let Some(directory) = opened else {
            return Vec::new();
        };
        let mut buffer = [MaybeUninit::uninit(); LISTING_BUFFER];
        let mut names = Vec::new();
        // Of a list that breaks off, what was seen is told.
        let _ = listing::each(directory.as_fd(), &mut buffer, |name, _| {
            if names.len() == limit {
                return ControlFlow::Break(());
            }
            names.push(crate::walk::to_path(name.to_bytes()));
            ControlFlow::Continue(())
        });
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn required_files_are_the_files_themselves() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::write(root.join("docs/a.md"), "").unwrap();
        fs::write(home.path().join("outside"), "").unwrap();
        symlink("docs/a.md", root.join("link.md")).unwrap();
        symlink("docs", root.join("linked")).unwrap();
        let mark = RootMark::of(&root).unwrap();
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();

        let wrong = [
            "absent",
            "docs/absent",
            "link.md",
            "linked/a.md",
            "../outside",
            "/etc/passwd",
            "docs/a.md/b",
            "",
        ];
        assert_eq!(mark.missing(&paths(&wrong)).unwrap(), paths(&wrong));
        let right = ["docs/a.md", "docs", "docs/"];
        assert_eq!(mark.missing(&paths(&right)).unwrap(), paths(&[]));

        fs::rename(&root, home.path().join("moved")).unwrap();
        mark.missing(&paths(&right)).unwrap_err();
    }

    #[test]
    fn files_and_names_are_read_within_bounds_and_within_the_root() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::write(root.join("docs/a.md"), "12345").unwrap();
        fs::write(root.join("docs/b.md"), "").unwrap();
        fs::write(home.path().join("outside"), "").unwrap();
        symlink("docs", root.join("linked")).unwrap();
        let mark = RootMark::of(&root).unwrap();
        let read = |path: &str, limit| mark.read(Path::new(path), limit);
        assert_eq!(read("docs/a.md", 5), Some(b"12345".to_vec()));
        for (path, limit) in [
            ("docs/a.md", 4),
            ("docs", 9),
            ("linked/a.md", 9),
            ("../outside", 9),
        ] {
            assert_eq!(read(path, limit), None, "{path}");
        }
        let count = |path: &str, limit| mark.names(Path::new(path), limit).len();
        assert_eq!(
            [count("docs", 9), count("docs", 1), count("", 9)],
            [2, 1, 2]
        );
        assert_eq!([count("linked", 9), count("..", 9), count("/", 9)], [0; 3]);
    }
}
