//! Everything that is kept, for whoever looks at all of it together.
//!
//! A person with six loops on a machine does not want to visit six directories.
//! This lists what is there by the workspaces' own descriptions, and never asks
//! the directories they describe: one that was deleted still has its memory.

use std::path::PathBuf;

use crate::kin::Belonging;
use crate::locate::Key;
use crate::workspace_file::{self, Workspace};
use crate::{BootId, CircuitName, Error, Homes, Location, roll};

/// The most workspaces that are listed, those registered last.
pub const MOST_WORKSPACES: usize = 1_000;
/// The most circuits that are listed of a workspace.
pub const MOST_CIRCUITS: usize = 64;

/// A workspace and the circuits that it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The workspace's name.
    pub id: String,
    /// Where its root was when it was last used.
    pub root: PathBuf,
    /// The circuits that hold records.
    pub circuits: Vec<CircuitName>,
    pub(crate) belonging: Option<Belonging>,
    key: Key,
    listed_twice: bool,
    pub(crate) homes: Homes,
}

impl Kept {
    pub(crate) fn of(noted: Workspace, homes: &Homes) -> Self {
        let homes = Homes {
            heads: noted.heads.unwrap_or_else(|| homes.heads.clone()),
            ..homes.clone()
        };
        let (dir, heads_dir) = (homes.workspace_dir(&noted.id), homes.heads_dir(&noted.id));
        let circuits = roll::names(&dir, &heads_dir).into_iter();
        Self {
            id: noted.id,
            root: noted.root,
            circuits: circuits.take(MOST_CIRCUITS).collect(),
            belonging: noted.belonging,
            key: noted.key,
            listed_twice: noted.listed_twice,
            homes,
        }
    }

    /// The directory that holds everything about this workspace.
    #[must_use]
    pub fn workspace_dir(&self) -> PathBuf {
        self.homes.workspace_dir(&self.id)
    }

    /// Where one of the circuits is kept.
    #[must_use]
    pub fn circuit(&self, circuit: &CircuitName, boot: BootId) -> Location {
        let entry = self.key.index_entry(&self.homes);
        Location {
            listed_twice: self.listed_twice,
            ..self.homes.circuit(&self.id, &entry, circuit, boot)
        }
    }
}

/// Lists the workspaces under `homes`, in the order in which they were
/// registered. What cannot be read is left out: it is told where it is used.
///
/// # Errors
/// When the state directory cannot be listed.
pub fn survey(homes: &Homes) -> Result<Vec<Kept>, Error> {
    let mut found = workspace_file::all(&homes.state)?;
    found.sort_by(|a, b| (a.ordinal, &a.id).cmp(&(b.ordinal, &b.id)));
    found.drain(..found.len().saturating_sub(MOST_WORKSPACES));
    let kept = found.into_iter().map(|noted| Kept::of(noted, homes));
    Ok(kept.collect())
}
