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
//! that is missing and not a first use; doing it again completes it, on the same shelf.

use std::path::{Path, PathBuf};

use crate::locate::Key;
use crate::{DEFAULT_PATIENCE, Error, Homes, Located, disk, workspace_file};

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
        let begun = self.begun(homes)?;
        let name = begun.unwrap_or_else(|| format!("{}-{stamp}", self.id));
        let shelf = put_aside(&self.workspace_dir(), &homes.state, &name)?;
        put_aside(&homes.heads_dir(&self.id), &homes.heads, &name)?;
        Ok(shelf)
    }
}

impl Located {
    /// What the shelf is called on which its memory was put already, where this was cut short
    /// before the heads followed.
    fn begun(&self, homes: &Homes) -> Result<Option<String>, Error> {
        if disk::exists(&self.workspace_dir())? {
            return Ok(None);
        }
        let of_heads = disk::names_in(&homes.heads.join("forgotten"))?;
        let mut begun = disk::names_in(&homes.state.join("forgotten"))?;
        let ours = format!("{}-", self.id);
        begun.retain(|name| !of_heads.contains(name));
        let names = begun.into_iter().filter_map(|name| name.into_string().ok());
        // The stamp of the last one is the greatest.
        let stamp = |name: &String| name.strip_prefix(&ours)?.parse::<u64>().ok();
        Ok(names.filter(|name| stamp(name).is_some()).max_by_key(stamp))
    }

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
