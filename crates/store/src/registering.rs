//! Writing down what a workspace is.
//!
//! A description goes before whatever relies on it, and the index entry last, so
//! that a crash leaves a first use, or a workspace that the next command goes on
//! to describe.

use crate::roll::{self, Repeated};
use crate::workspace_file::{self, Workspace};
use crate::{DEFAULT_PATIENCE, Error, Located, Standing, disk, refuse_remote_filesystem};

/// What becomes of the lists of circuits when a workspace is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// Only a second one that there never was is made.
    AsTheyAre,
    /// A person has looked: what is missing or wrong is made anew.
    Anew,
}

impl Located {
    /// Writes down, durably, what this workspace is and where it is now, so
    /// that it is known again after a rename. Does nothing when that is
    /// written already; belongs before the first update.
    ///
    /// A store that was deleted, or that is in doubt, is *not* put right: what
    /// was found must stay to be found until [`Located::restore`].
    ///
    /// # Errors
    /// When the files cannot be written, or a home is open to others or on a
    /// file system that cannot be relied on.
    pub fn register(&self) -> Result<(), Error> {
        if self.described {
            return Ok(());
        }
        self.homes.refuse_exposed()?;
        let deleted = self.standing != Standing::FirstUse && !disk::exists(&self.workspace_dir())?;
        if deleted || self.doubt.is_some() {
            return Ok(());
        }
        self.describe(Lists::AsTheyAre)
    }

    /// Registers whatever was found to be wrong with the old registration.
    /// Belongs behind [`crate::Store::restart`]: before it, the finding would
    /// be gone before a new log has taken the old one's place.
    ///
    /// # Errors
    /// As [`Located::register`].
    pub fn restore(&self) -> Result<(), Error> {
        self.homes.refuse_exposed()?;
        self.describe(Lists::Anew)?;
        self.relist_repository()
    }

    fn describe(&self, lists: Lists) -> Result<(), Error> {
        let dir = self.workspace_dir();
        let entry = self.key.index_entry(&self.homes);
        let noted = workspace_file::read(&dir, &self.id)?;
        let indexed = workspace_file::read_index(&entry)?.as_deref() == Some(&self.id);
        if let (true, Some(noted), Lists::AsTheyAre) = (indexed, noted, lists) {
            let description = self.description(Some(noted.clone()), lists)?;
            if noted == description && !self.may_be_listed_twice(&description)? {
                return Ok(());
            }
        }
        refuse_remote_filesystem(&self.homes.state)?;
        refuse_remote_filesystem(&self.homes.heads)?;
        disk::ensure_directory(&self.homes.state)?;
        let _one_registrar = disk::lock_directory(&self.homes.state, DEFAULT_PATIENCE)?;
        let noted = workspace_file::read(&dir, &self.id)?;
        let mut description = self.description(noted, lists)?;
        if lists == Lists::Anew || self.may_be_listed_twice(&description)? {
            // A directory of heads without a description would be all that is
            // left of a workspace; a description that knows of no second list is
            // one whose registration was cut short.
            workspace_file::write(&dir, &description)?;
            let heads_dir = self.homes.heads_dir(&self.id);
            roll::establish(&dir, &heads_dir, description.ordinal)?;
            description.listed_twice = true;
        }
        // The index entry goes last: it claims that the rest exists.
        workspace_file::write(&dir, &description)?;
        workspace_file::write_index(&entry, &self.id)
    }

    /// Whether the second list is still to be made, or to be told the ordinal, and it is
    /// known where.
    fn may_be_listed_twice(&self, description: &Workspace) -> Result<bool, Error> {
        let is_known = description.heads.as_ref() == Some(&self.homes.heads);
        let repeated = || roll::repeated(&self.homes.heads_dir(&self.id));
        Ok(is_known && (!description.listed_twice || repeated()? == Repeated::NotYet))
    }

    /// What the workspace's file should say, given what it says.
    fn description(&self, noted: Option<Workspace>, lists: Lists) -> Result<Workspace, Error> {
        let is_new = self.standing == Standing::FirstUse;
        let mut workspace = match noted {
            Some(noted) => noted.now_at(&self.root, self.key),
            None => Workspace {
                id: self.id.clone(),
                root: self.root.clone(),
                key: self.key,
                former_keys: Vec::new(),
                ordinal: if is_new {
                    workspace_file::next_ordinal(&self.homes.state)?
                } else {
                    0
                },
                heads: None,
                belonging: None,
                listed_twice: false,
            },
        };
        if lists == Lists::Anew && !is_new {
            workspace.ordinal = self.ordinal;
        }
        // Of an old workspace only heads that are there are known to be right.
        if is_new || disk::exists(&self.homes.heads_dir(&self.id))? {
            workspace.heads = Some(self.homes.heads.clone());
        }
        Ok(workspace)
    }
}
