//! Finding a work tree's git directory without asking git.
//!
//! Everything here is a bounded read of a plain file. The agent may point us anywhere with
//! a `.git` file, as linked work trees and submodules rightly do; the worst that comes of it
//! is that we look at names that are not there.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::AtFlags;

use crate::plain;

const LONGEST_POINTER: u64 = 8192;

/// The git directory of one work tree.
pub(crate) struct GitDir {
    own: OwnedFd,
    /// The main repository's directory, if this is a linked work tree.
    shared: Option<OwnedFd>,
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
