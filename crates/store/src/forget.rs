//! Putting aside all that is kept about a workspace, as if it had never been used.
//!
//! A directory that became a workspace by mistake holds all below it to one breaker.
//! Nothing is deleted, and nothing here asks who wants it: that is for the caller, since
//! what is put aside may be an open breaker.
//!
//! ```text
//! <state>/forgotten/<workspace>-<when>/    its memory
//! <heads>/forgotten/<workspace>-<when>/    its heads
//! ```
//!
//! The heads go last. Where this is cut short they are what is left, which is a memory
//! that is missing and not a first use; doing it again completes it.

use std::path::{Path, PathBuf};

use crate::locate::Key;
use crate::{DEFAULT_PATIENCE, Error, Located, disk, workspace_file};

impl Located {
    /// Puts everything aside that is kept about this workspace, and says where its memory
    /// is now.
    ///
    /// # Errors
    /// When something cannot be moved, or a home is open to others.
    pub fn forget(&self, stamp: u64) -> Result<PathBuf, Error> {
        let homes = self.homes();
        homes.refuse_exposed()?;
        disk::ensure_directory(&homes.state)?;
        let _one_registrar = disk::lock_directory(&homes.state, DEFAULT_PATIENCE)?;
        for key in self.all_keys()? {
            disk::remove_if_present(&key.index_entry(homes))?;
        }
        for home in [&homes.state, &homes.heads] {
            let repositories = home.join("repositories");
            for repository in disk::names_in(&repositories)? {
                disk::remove_if_present(&repositories.join(repository).join(&self.id))?;
            }
        }
        let name = format!("{}-{stamp}", self.id);
        let shelf = put_aside(&self.workspace_dir(), &homes.state, &name)?;
        put_aside(&homes.heads_dir(&self.id), &homes.heads, &name)?;
        Ok(shelf)
    }
}

impl Located {
    /// Every directory that ever led to this workspace. One that was moved away would
    /// otherwise lead to what is no longer there, which looks like tampering.
    fn all_keys(&self) -> Result<Vec<Key>, Error> {
        let mut keys = vec![self.key];
        if let Some(written) = workspace_file::read(&self.workspace_dir(), &self.id)? {
            keys.push(written.key);
            keys.extend(written.former_keys);
        }
        Ok(keys)
    }
}

/// Moves a directory onto the shelf of its home, if it is there.
fn put_aside(directory: &Path, home: &Path, name: &str) -> Result<PathBuf, Error> {
    let shelves = home.join("forgotten");
    let shelf = shelves.join(name);
    if disk::exists(directory)? {
        disk::ensure_directory(&shelves)?;
        disk::rename(directory, &shelf)?;
        disk::sync_directory(&shelves)?;
        disk::sync_directory(home)?;
    }
    Ok(shelf)
}
