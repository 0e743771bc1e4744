//! What is remembered of a fleet's state outside its directory.
//!
//! Whoever deletes a state or puts an old one back ends halts with it, and refills budgets.
//! So everyone who takes part remembers, at home, which state it was and how far it had come.
//! A witness that is behind says nothing, because others take part from homes of their own.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use fusebox_files::regular;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::file::failed;
use crate::error::FleetError;
use crate::identity::Id;

/// None is longer.
const MOST_BYTES: u64 = 4_096;

/// Where it is remembered how far one fleet had come.
#[derive(Debug)]
pub(super) struct Witness {
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Written {
    fleet: Id,
    changes: u64,
}

impl Witness {
    /// Of the fleet in `directory`, which goes by the directory's path. A slash more is the same
    /// path; where links lead is not asked, since those can be turned elsewhere.
    pub(super) fn of(directory: &Path, witnesses: &Path) -> Self {
        let directory: PathBuf = directory.components().collect();
        let name = Sha256::digest(directory.as_os_str().as_bytes());
        Self {
            path: witnesses.join(base16ct::lower::encode_string(&name)),
        }
    }

    /// Refuses a state that is not the one we know, or an earlier one. `found` is which
    /// fleet's it is, and how often it was written down.
    pub(super) fn refuse_forgotten(
        &self,
        state: &Path,
        found: Option<(&Option<Id>, u64)>,
    ) -> Result<(), FleetError> {
        let Some(known) = self.read()? else {
            return Ok(());
        };
        let why = match found {
            None => "is missing",
            Some((Some(fleet), _)) if *fleet != known.fleet => "is another fleet's",
            Some((None, _)) => "was replaced",
            Some((_, changes)) if changes < known.changes => "was put back to an earlier one",
            Some(_) => return Ok(()),
        };
        Err(FleetError::Forgotten {
            path: state.to_owned(),
            why,
        })
    }

    /// Remembers how far it has come. Belongs under the lock of the state.
    pub(super) fn set(&self, fleet: &Id, changes: u64) -> Result<(), FleetError> {
        let written = Written {
            fleet: fleet.clone(),
            changes,
        };
        let write = || {
            if let Some(witnesses) = self.path.parent() {
                let mut builder = fs::DirBuilder::new();
                builder.recursive(true).mode(0o700).create(witnesses)?;
            }
            fusebox_files::replace_locked_durably(&self.path, &serde_json::to_vec(&written)?)
        };
        write().map_err(|source| failed(&self.path, source))
    }

    fn read(&self) -> Result<Option<Written>, FleetError> {
        let read = match regular::read(&self.path, MOST_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(Into::into),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        read.map_err(|source| failed(&self.path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_has_one_witness_however_its_directory_is_spelled() {
        let of = |directory: &str| Witness::of(Path::new(directory), Path::new("/w")).path;
        for same in ["/a/fleet/", "//a/fleet", "/a/./fleet/."] {
            assert_eq!(of(same), of("/a/fleet"), "{same}");
        }
        assert_ne!(of("/a/fleet/b"), of("/a/fleet"));
    }
}
