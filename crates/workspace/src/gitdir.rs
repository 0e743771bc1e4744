//! Finding a work tree's git directory without asking git.
//!
//! Everything here is a bounded read of a plain file. The agent may point us anywhere with
//! a `.git` file, as linked work trees and submodules rightly do; the worst that comes of it
//! is that we look at names that are not there.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD};

use crate::plain;

const LONGEST_POINTER: u64 = 8192;
/// More work trees of one repository than anybody has.
const MOST_WORK_TREES: usize = 256;

/// The git directory of one work tree.
pub(crate) struct GitDir {
    own: OwnedFd,
    /// The main repository's directory, if this is a linked work tree.
    shared: Option<OwnedFd>,
}

/// The directory that all work trees of a repository have in common, for the work tree
/// whose top is `work_tree`.
///
/// A linked work tree must be known to the repository as well: a pointer alone anybody can
/// write, and it would make two repositories one that have nothing to do with each other.
pub fn common_dir(work_tree: &Path) -> Option<PathBuf> {
    let work_tree = work_tree.canonicalize().ok()?;
    let pointer = work_tree.join(".git");
    let common = if pointer.symlink_metadata().ok()?.is_dir() {
        pointer
    } else {
        let own = work_tree.join(named_in(&pointer, b"gitdir: ")?);
        let own = own.canonicalize().ok()?;
        let common = own.join(named_in(&own.join("commondir"), b"")?);
        let common = common.canonicalize().ok()?;
        let back = own.join(named_in(&own.join("gitdir"), b"")?);
        let mutual = back.canonicalize().ok()? == pointer;
        if own.parent()? != common.join("worktrees") || !mutual {
            return None;
        }
        common
    };
    common.join("HEAD").symlink_metadata().ok()?;
    Some(common)
}

/// The top of a work tree, and those of all others that belong to the same repository, each
/// by its real path.
pub(crate) fn work_trees(root: &Path) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut trees = vec![real(root)];
    let Some(common) = common_dir(root) else {
        return trees;
    };
    let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten();
    let linked = linked.flatten().take(MOST_WORK_TREES).filter_map(|own| {
        let pointer = own.path().join(named_in(&own.path().join("gitdir"), b"")?);
        Some(pointer.parent()?.to_owned())
    });
    let named = common
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(linked);
    // Whoever is only named is none of them, or a repository could name `/`.
    let theirs = named.filter(|tree| common_dir(tree).as_ref() == Some(&common));
    trees.extend(theirs.map(|tree| real(&tree)));
    trees
}

/// The path that a file of one line names.
fn named_in(file: &Path, prefix: &[u8]) -> Option<PathBuf> {
    let line = plain::read_at(CWD, file, LONGEST_POINTER)?;
    let path = line.strip_prefix(prefix)?.trim_ascii_end();
    (!path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(path)))
}

impl GitDir {
    /// The git directory of the work tree whose top is `work_tree`.
    pub(crate) fn of(work_tree: BorrowedFd<'_>) -> Option<Self> {
        let own = match plain::read_at(work_tree, ".git", LONGEST_POINTER) {
            Some(pointer) => {
                let target = pointer.strip_prefix(b"gitdir: ")?.trim_ascii_end();
                plain::open_directory(work_tree, OsStr::from_bytes(target)).ok()?
            }
            None => plain::open_directory(work_tree, ".git").ok()?,
        };
        let shared = plain::read_at(own.as_fd(), "commondir", LONGEST_POINTER).and_then(|target| {
            plain::open_directory(own.as_fd(), OsStr::from_bytes(target.trim_ascii_end())).ok()
        });
        let found = Self { own, shared };
        // Like git, take no directory for a repository that merely has the right name.
        found.has("HEAD").then_some(found)
    }

    /// Reads a file that each work tree has for itself.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        plain::read_at(&self.own, name, limit)
    }

    /// Whether there is anything under that name, readable or not.
    pub(crate) fn has(&self, name: &str) -> bool {
        rustix::fs::statat(&self.own, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Reads a file that linked work trees share.
    pub(crate) fn read_shared(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        plain::read_at(self.shared.as_ref().unwrap_or(&self.own), name, limit)
    }

    /// Reads the end of a file that each work tree has for itself.
    pub(crate) fn read_tail(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        plain::read_tail_at(&self.own, name, limit)
    }

    /// Reads the end of a file that linked work trees share.
    pub(crate) fn read_shared_tail(&self, name: &str, limit: u64) -> Option<Vec<u8>> {
        plain::read_tail_at(self.shared.as_ref().unwrap_or(&self.own), name, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A repository with a linked work tree, laid out as git does it.
    fn linked(home: &Path, name: &str) -> (PathBuf, PathBuf) {
        let common = home.join(name).join(".git");
        let own = common.join("worktrees/side");
        let side = home.join(format!("{name}-side"));
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(&side).unwrap();
        fs::write(common.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(own.join("gitdir"), format!("{}/.git\n", side.display())).unwrap();
        fs::write(side.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        (common, side)
    }

    #[test]
    fn work_trees_of_a_repository_have_its_directory_in_common() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (common, side) = linked(&home, "main");
        assert_eq!(common_dir(&home.join("main")), Some(common.clone()));
        assert_eq!(common_dir(&side), Some(common.clone()));
        // Paths relative to where they are written, as git may be told to write them.
        fs::write(side.join(".git"), "gitdir: ../main/.git/worktrees/side").unwrap();
        let back = common.join("worktrees/side/gitdir");
        fs::write(back, "../../../../main-side/.git").unwrap();
        assert_eq!(common_dir(&side), Some(common));
        assert_eq!(common_dir(&home), None);
    }

    /// Whoever compares with them has resolved what is compared.
    #[test]
    fn a_work_tree_that_is_named_by_a_detour_is_known_by_its_real_path() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (common, side) = linked(&home, "main");
        std::os::unix::fs::symlink(&side, home.join("link")).unwrap();
        let back = common.join("worktrees/side/gitdir");
        let link = format!("{}/link/.git", home.display());
        for named in ["../../../../main-side/.git", &link] {
            fs::write(&back, named).unwrap();
            let trees = work_trees(&home.join("main"));
            assert!(trees.contains(&side), "{named}: {trees:?}");
        }
    }

    #[test]
    fn a_pointer_that_the_repository_does_not_return_leads_nowhere() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (theirs, _) = linked(&home, "theirs");
        let (common, side) = linked(&home, "ours");
        let own = common.join("worktrees/side");
        let pointer = side.join(".git");
        let forged = [
            format!("gitdir: {}", theirs.display()),
            format!("gitdir: {}/worktrees/side", theirs.display()),
            format!("gitdir: {}", home.display()),
            "gitdir: ".to_owned(),
            "x".repeat(20_000),
        ];
        for text in &forged {
            fs::write(&pointer, text).unwrap();
            assert_eq!(common_dir(&side), None, "{text:.60}");
        }
        // Our own administrative directory may claim to be part of theirs.
        fs::write(&pointer, format!("gitdir: {}", own.display())).unwrap();
        fs::write(own.join("commondir"), theirs.to_str().unwrap()).unwrap();
        assert_eq!(common_dir(&side), None);
        fs::remove_file(&pointer).unwrap();
        std::os::unix::fs::symlink(&theirs, &pointer).unwrap();
        assert_eq!(common_dir(&side), None);
    }
}
