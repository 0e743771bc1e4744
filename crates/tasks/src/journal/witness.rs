//! What vouches for the journal, kept elsewhere: how much was written, and what.
//!
//! A journal that was deleted, emptied, put back or edited would have a task taken twice, both
//! times under the same number. So what is about to be written is noted here first, and that it
//! was written afterwards: after a crash the journal is one of the two, or a part in between that
//! nobody was told of.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use fusebox_files::regular;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// No note is longer.
const MOST_BYTES: u64 = 4096;

/// How much of the journal there is, and what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    sha256: String,
}

impl Extent {
    pub(super) fn of(bytes: u64, digest: &Sha256) -> Self {
        let digest = digest.clone().finalize();
        Self {
            bytes,
            sha256: base16ct::lower::encode_string(&digest),
        }
    }
}

/// What was noted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Noted {
    /// What is known to be written.
    pub(super) settled: Extent,
    /// What was about to be.
    pub(super) next: Option<Extent>,
    /// The highest number that a claim was given.
    pub(super) fence: u64,
}

impl Noted {
    /// Whether the journal is one of those that there can be.
    pub(super) fn allows(&self, found: &Extent) -> bool {
        *found == self.settled || self.next.as_ref() == Some(found)
    }

    /// How much of the journal is good where a crash has left a part of what was being written.
    pub(super) fn good_part(&self, found: u64) -> Option<u64> {
        let next = self.next.as_ref()?;
        (self.settled.bytes < found && found <= next.bytes).then_some(self.settled.bytes)
    }
}

/// The file that vouches for the journal.
pub(super) struct Witness {
    path: PathBuf,
}

impl Witness {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)?;
        }
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// What was noted, if anything ever was.
    pub(super) fn read(&self) -> io::Result<Option<Noted>> {
        match regular::read(&self.path, MOST_BYTES) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Notes it, for whoever holds the lock of the journal.
    pub(super) fn note(&self, noted: &Noted) -> io::Result<()> {
        fusebox_files::replace_locked_durably(&self.path, &serde_json::to_vec(noted)?)
    }
}
