//! Where things are kept.
//!
//! ```text
//! <state>/index/<dev>-<ino>-<btime>            which workspace a directory is
//! <state>/repositories/…, <heads>/repositories/…   which workspaces are work trees of one repository
//! <state>/<workspace>/workspace                what the workspace is
//! <state>/<workspace>/roll                     the circuits that hold records
//! <state>/<workspace>/circuits/<name>/         log, log.<number>, slots, tampered, quarantine/
//! <state>/<workspace>/…                        room for others, such as history.db
//! <state>/forgotten/…, <heads>/forgotten/…      workspaces that a person had put aside
//! <heads>/<workspace>/<name>                   how far each log had come
//! <heads>/<workspace>/.tampered-<digest>       that a circuit could not be believed, once more
//! <heads>/<workspace>/.roll                    the circuits that hold records, once more
//! <heads>/<workspace>/.claims                  what vouches for the record of claims on tasks
//! <heads>/fleets/…                             how far fleets in directories had come
//! ```
//!
//! `<state>` is `$XDG_STATE_HOME/fusebox` or the directory the user named;
//! `<heads>` is `$XDG_DATA_HOME/fusebox/heads`, in another place on purpose: who
//! puts back an old copy of the one does not by accident put back the other.
//! Nothing here reads the environment; the caller passes what it found there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::ownership;
use crate::{BootId, CircuitName, DEFAULT_PATIENCE, Error, Location, SEGMENT_BYTES};

/// What the caller knows about where to keep things.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HomeSources {
    /// The state directory that the user named, as an absolute path.
    pub state_dir: Option<PathBuf>,
    /// The value of `XDG_STATE_HOME`.
    pub xdg_state_home: Option<OsString>,
    /// The value of `XDG_DATA_HOME`.
    pub xdg_data_home: Option<OsString>,
    /// The value of `HOME`.
    pub home: Option<OsString>,
}

/// The two directories that hold everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Homes {
    /// The directory that a person has everything in, if there is one.
    pub person: Option<PathBuf>,
    /// Holds the index and one directory per workspace.
    pub state: PathBuf,
    /// Holds the heads, one directory per workspace.
    pub heads: PathBuf,
}

impl Homes {
    /// Settles on the directories. Relative values of the environment are
    /// ignored, as the base directory standard asks.
    ///
    /// # Errors
    /// [`Error::NoHome`] when nothing says where to keep state, and
    /// [`Error::Unsafe`] when the directory the user named is not absolute.
    pub fn resolve(sources: &HomeSources) -> Result<Self, Error> {
        let home = absolute(sources.home.as_ref());
        let below_home = |xdg: Option<&OsString>, usual: &str| {
            absolute(xdg).or_else(|| home.as_ref().map(|home| home.join(usual)))
        };
        let state = match &sources.state_dir {
            Some(named) if named.is_absolute() => named.clone(),
            Some(named) => {
                return Err(Error::Unsafe {
                    path: named.clone(),
                    why: "is not an absolute path".to_owned(),
                });
            }
            None => below_home(sources.xdg_state_home.as_ref(), ".local/state")
                .ok_or(Error::NoHome)?
                .join("fusebox"),
        };
        let heads = below_home(sources.xdg_data_home.as_ref(), ".local/share")
            .map_or_else(|| state.join("heads"), |data| data.join("fusebox/heads"));
        Ok(Self {
            person: home,
            state,
            heads,
        })
    }

    /// Whether a directory, named as it really is, holds whatever else there is.
    pub(crate) fn is_above_all(&self, directory: &Path) -> bool {
        let is_home = |home: &PathBuf| home.canonicalize().is_ok_and(|home| home == directory);
        directory.parent().is_none() || self.person.as_ref().is_some_and(is_home)
    }

    /// Refuses homes that others may write to; ones that do not exist yet will
    /// be created for us alone.
    ///
    /// # Errors
    /// [`Error::Unsafe`].
    pub fn refuse_exposed(&self) -> Result<(), Error> {
        ownership::refuse_exposed_directory(&self.state)?;
        ownership::refuse_exposed_directory(&self.heads)
    }

    /// The directory of one workspace.
    #[must_use]
    pub fn workspace_dir(&self, id: &str) -> PathBuf {
        self.state.join(id)
    }

    pub(crate) fn heads_dir(&self, id: &str) -> PathBuf {
        self.heads.join(id)
    }

    pub(crate) fn index_dir(&self) -> PathBuf {
        self.state.join("index")
    }

    /// Where one circuit of a workspace is kept. `index_entry` is the entry
    /// that leads to the workspace.
    pub(crate) fn circuit(
        &self,
        id: &str,
        index_entry: &Path,
        circuit: &CircuitName,
        boot: BootId,
    ) -> Location {
        let workspace_dir = self.workspace_dir(id);
        let heads_dir = self.heads_dir(id);
        Location {
            dir: workspace_dir.join("circuits").join(circuit.as_str()),
            head_file: heads_dir.join(circuit.as_str()),
            circuit: circuit.clone(),
            boot,
            patience: DEFAULT_PATIENCE,
            workspace_dir,
            witnesses: vec![index_entry.to_owned(), heads_dir],
            listed_twice: false,
            ordinal: 0,
            doubt: None,
            segment_bytes: SEGMENT_BYTES,
        }
    }
}

fn absolute(value: Option<&OsString>) -> Option<PathBuf> {
    value.map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_follow_the_user_then_the_standard_then_home() {
        let table = [
            // state dir, XDG state, XDG data, HOME, expected state and heads
            (
                None,
                Some("/s"),
                Some("/d"),
                Some("/h"),
                Some(("/s/fusebox", "/d/fusebox/heads")),
            ),
            (
                None,
                None,
                None,
                Some("/h"),
                Some(("/h/.local/state/fusebox", "/h/.local/share/fusebox/heads")),
            ),
            (
                None,
                Some("rel"),
                Some(""),
                Some("/h"),
                Some(("/h/.local/state/fusebox", "/h/.local/share/fusebox/heads")),
            ),
            (
                Some("/x"),
                Some("/s"),
                None,
                Some("/h"),
                Some(("/x", "/h/.local/share/fusebox/heads")),
            ),
            (
                Some("/x"),
                Some("/s"),
                Some("/d"),
                None,
                Some(("/x", "/d/fusebox/heads")),
            ),
            (Some("/x"), None, None, None, Some(("/x", "/x/heads"))),
            (Some("x"), None, None, Some("/h"), None),
            (None, None, Some("/d"), Some("h"), None),
            (None, None, None, None, None),
        ];
        for (state_dir, state, data, home, expected) in table {
            let sources = HomeSources {
                state_dir: state_dir.map(PathBuf::from),
                xdg_state_home: state.map(OsString::from),
                xdg_data_home: data.map(OsString::from),
                home: home.map(OsString::from),
            };
            let homes = Homes::resolve(&sources).ok();
            let expected = expected.map(|(state, heads)| Homes {
                person: home.filter(|home| home.starts_with('/')).map(Into::into),
                state: state.into(),
                heads: heads.into(),
            });
            assert_eq!(homes, expected, "{sources:?}");
        }
    }
}
