//! What the last snapshot saw, kept so that the next one reads only what is new.
//!
//! The ledger is one file that is replaced as a whole and ends in a digest of itself. It is
//! not synced: losing it costs one full reading of the workspace, and a torn one is noticed.
//! It also holds the frozen ignore rules, because a ledger without them would have to take
//! the rules that lie in the workspace now, which are the agent's.

mod bytes;

#[cfg(feature = "fuzzing")]
pub(crate) use bytes::read_body;

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use fusebox_files::regular;
use rustix::fs::CWD;
use sha2::{Digest, Sha256};

use crate::SnapshotId;
use crate::ignore::FrozenIgnores;
use crate::plain;
use crate::stamp::Stamp;
use crate::unhashed::Unhashed;

const LARGEST: u64 = 1 << 30;
const DIGEST: usize = 32;

/// The memory of one workspace.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// The snapshot that `entries` describes; `None` before the first.
    pub(crate) tree: Option<SnapshotId>,
    /// `None` until rules were frozen for the first time.
    pub(crate) ignores: Option<FrozenIgnores>,
    /// Sorted by path.
    pub(crate) entries: Vec<Entry>,
}

/// One measured file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: Arc<[u8]>,
    pub(crate) stamp: Stamp,
    /// Whether an equal stamp proves equal content. It does not when the file changed so
    /// recently that another change could bear the same time.
    pub(crate) settled: bool,
    pub(crate) content: Content,
}

/// What is known of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Its SHA-256.
    Hashed([u8; DIGEST]),
    /// Nothing; its metadata stands in.
    Unhashed(Unhashed),
}

/// What was found where a ledger should be.
pub(crate) enum Loaded {
    Ledger(Ledger),
    Missing,
    Damaged,
}

impl Ledger {
    pub(crate) fn load(path: &Path) -> Loaded {
        if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Loaded::Missing;
        }
        plain::read_at(CWD, path, LARGEST)
            .and_then(|file| {
                let (body, digest) = file.split_last_chunk::<DIGEST>()?;
                (Sha256::digest(body)[..] == digest[..]).then(|| bytes::decode(body))?
            })
            .map_or(Loaded::Damaged, Loaded::Ledger)
    }

    /// Replaces the file at `path`.
    pub(crate) fn save(&self, path: &Path) -> io::Result<()> {
        let mut file = bytes::encode(self);
        let digest = Sha256::digest(&file);
        file.extend_from_slice(&digest);
        let fresh = path.with_extension("new");
        // Not flushed: what is lost is measured anew.
        regular::create(&fresh)?.write_all(&file)?;
        fs::rename(fresh, path)
    }
}
