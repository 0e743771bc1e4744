//! Which workspace a directory belongs to.
//!
//! The answer must not be the agent's to choose. A directory that already has
//! a store keeps it when it is renamed, because it is known by device, inode
//! and birth time (an inode number alone is reused by the next directory), and
//! the outermost known directory wins, so that a `.git` or `fusebox.toml`
//! planted further down does not open a fresh breaker.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags};
use sha2::{Digest, Sha256};

use crate::disk;
use crate::workspace_file::{self, Workspace};
use crate::{BootId, CircuitName, Error, Homes, Location, hex, refuse_remote_filesystem};

/// A directory's workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The workspace's name: 32 hexadecimal digits.
    pub id: String,
    /// The root of the workspace, where it is now.
    pub root: PathBuf,
    /// Whether it is known.
    pub standing: Standing,
    key: Key,
    homes: Homes,
}

/// What is known of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing: no store, no index entry, no head.
    FirstUse,
    /// It was here before.
    Known,
    /// It was here before under another path.
    Moved {
        /// The path it had.
        from: PathBuf,
    },
}

/// What stays the same when a directory is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    /// Nanoseconds; 0 where the file system does not keep birth times.
    pub(crate) born: i128,
}

impl Key {
    fn of(path: &Path) -> Result<Self, Error> {
        let wanted = StatxFlags::INO | StatxFlags::BTIME;
        let stat = rustix::fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, wanted)
            .map_err(|errno| Error::io("examine", path)(errno.into()))?;
        let has_birth = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
        let born =
            i128::from(stat.stx_btime.tv_sec) * 1_000_000_000 + i128::from(stat.stx_btime.tv_nsec);
        Ok(Self {
            dev: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor),
            ino: stat.stx_ino,
            born: if has_birth { born } else { 0 },
        })
    }

    fn index_entry(self, homes: &Homes) -> PathBuf {
        homes
            .index_dir()
            .join(format!("{:x}-{:x}-{:x}", self.dev, self.ino, self.born))
    }
}

/// Finds the workspace that `cwd` belongs to. Writes nothing.
///
/// # Errors
/// When a directory cannot be examined, or the index is unreadable.
pub fn locate(cwd: &Path, homes: &Homes) -> Result<Located, Error> {
    let cwd = cwd.canonicalize().map_err(Error::io("resolve", cwd))?;
    let mut outermost_first: Vec<&Path> = cwd.ancestors().collect();
    outermost_first.reverse();
    for directory in &outermost_first {
        if let Some(located) = known(directory, homes)? {
            return Ok(located);
        }
    }
    let is_root = |directory: &&&Path| {
        ["fusebox.toml", ".git"]
            .iter()
            .any(|name| directory.join(name).exists())
    };
    let root = outermost_first
        .iter()
        .rev()
        .find(is_root)
        .copied()
        .unwrap_or(&cwd);
    Ok(Located {
        id: path_id(root),
        root: root.to_owned(),
        standing: Standing::FirstUse,
        key: Key::of(root)?,
        homes: homes.clone(),
    })
}

/// The workspace rooted at exactly this directory, if there ever was one.
fn known(directory: &Path, homes: &Homes) -> Result<Option<Located>, Error> {
    let key = Key::of(directory)?;
    let by_path = path_id(directory);
    let id = match workspace_file::read_index(&key.index_entry(homes))? {
        Some(id) => id,
        None if disk::exists(&homes.workspace_dir(&by_path))? => by_path,
        None if disk::exists(&homes.heads_dir(&by_path))? => by_path,
        None => return Ok(None),
    };
    // A store without a readable description is still a store.
    let noted = workspace_file::read(&homes.workspace_dir(&id))?;
    let standing = match noted {
        Some(noted) if noted.root != directory => Standing::Moved { from: noted.root },
        _ => Standing::Known,
    };
    Ok(Some(Located {
        id,
        root: directory.to_owned(),
        standing,
        key,
        homes: homes.clone(),
    }))
}

impl Located {
    /// Where one circuit of this workspace is kept.
    #[must_use]
    pub fn circuit(&self, circuit: &CircuitName, boot: BootId) -> Location {
        let entry = self.key.index_entry(&self.homes);
        self.homes.circuit(&self.id, &entry, circuit, boot)
    }

    /// The directory that holds everything about this workspace.
    #[must_use]
    pub fn workspace_dir(&self) -> PathBuf {
        self.homes.workspace_dir(&self.id)
    }

    /// Writes down, durably, what this workspace is and where it is now, so
    /// that it is known again after a rename. Does nothing when that is
    /// written already; belongs before the first update.
    ///
    /// A store that was deleted is *not* brought back: its directory must stay
    /// missing until [`crate::Store::restart`], or the deletion would be
    /// forgotten.
    ///
    /// # Errors
    /// When the files cannot be written, or a home is open to others or on a
    /// file system that cannot be relied on.
    pub fn register(&self) -> Result<(), Error> {
        self.homes.refuse_exposed()?;
        let dir = self.workspace_dir();
        if self.standing != Standing::FirstUse && !disk::exists(&dir)? {
            return Ok(());
        }
        let workspace = Workspace {
            id: self.id.clone(),
            root: self.root.clone(),
            key: self.key,
        };
        let entry = self.key.index_entry(&self.homes);
        let described = workspace_file::read(&dir)?.as_ref() == Some(&workspace);
        let indexed = workspace_file::read_index(&entry)?.as_deref() == Some(&self.id);
        if described && indexed {
            return Ok(());
        }
        refuse_remote_filesystem(&self.homes.state)?;
        refuse_remote_filesystem(&self.homes.heads)?;
        // The index entry goes last: it claims that the directory exists.
        workspace_file::write(&dir, &workspace)?;
        workspace_file::write_index(&entry, &self.id)
    }
}

fn path_id(path: &Path) -> String {
    let digest: [u8; 32] = Sha256::digest(path.as_os_str().as_bytes()).into();
    hex::encode(&digest[..16])
}
