//! Everything that can keep the store from answering.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::version::{RELEASE, Writer};
use crate::{FoldError, Tamper};

/// Why there is no answer. Whatever the reason, a caller that asked whether
/// the next step may run has to take it as *no*.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is on disk was not left there by this store.
    #[error("the state is inconsistent or was tampered with: {0}")]
    Tampered(#[from] Tamper),
    /// A later release wrote this store. Nothing is wrong with it, and nothing
    /// was changed.
    #[error("{} was written by fusebox {writer} (format {format}); this is fusebox {RELEASE}, which reads up to {known}", path.display())]
    Newer {
        /// The file that holds it.
        path: PathBuf,
        /// The release that wrote it, as far as it can be told.
        writer: String,
        /// The format it is in.
        format: u32,
        /// The latest format this release knows.
        known: u32,
    },
    /// The record could not be stored for want of space; nothing changed.
    #[error("no space to store the record in {}: {source}", path.display())]
    Full {
        /// The file that could not grow.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process kept the lock for too long.
    #[error("{} stayed locked by another process for {waited:?}", path.display())]
    Busy {
        /// The locked file.
        path: PathBuf,
        /// How long this process was willing to wait.
        waited: Duration,
    },
    /// A file or directory that others could change.
    #[error("{} is not safe to keep state in: it {why}", path.display())]
    Unsafe {
        /// What was looked at.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Locks and flushes cannot be trusted on this file system.
    #[error("{} is on {name}, where locks and flushes cannot be relied on; choose a local state directory", path.display())]
    RemoteFilesystem {
        /// The state directory asked for.
        path: PathBuf,
        /// The kind of file system.
        name: &'static str,
    },
    /// The heads were kept in another directory than the one looked in now.
    #[error("the heads of this workspace are kept in {}, not in {}", recorded.display(), resolved.display())]
    HeadsElsewhere {
        /// Where they were when the workspace was registered.
        recorded: PathBuf,
        /// Where the present environment says they are.
        resolved: PathBuf,
    },
    /// There is no place to keep state.
    #[error("no state directory: neither --state-dir nor HOME is set")]
    NoHome,
    /// Not a name a circuit can have.
    #[error("{0:?} is not a circuit name (1 to 64 of A-Z a-z 0-9 . _ -, not starting with . or -)")]
    CircuitName(String),
    /// A draft or a state beyond its limit; nothing was written.
    #[error("{what} has {bytes} bytes, and at most {limit} can be stored")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The caller's state refused the caller's own draft; nothing was written.
    #[error("the new record does not fold: {0}")]
    DraftRefused(FoldError),
    /// The system refused an operation.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The read model cannot be used even after rebuilding it.
    #[error("the read model {} cannot be used: {source}", path.display())]
    ReadModel {
        /// The database file.
        path: PathBuf,
        /// What the database said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Names the operation and the path an I/O error belongs to.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// Tells a full disk from other trouble with writing.
    pub(crate) fn writing(action: &'static str, path: &Path, source: io::Error) -> Self {
        let full = [
            io::ErrorKind::StorageFull,
            io::ErrorKind::QuotaExceeded,
            io::ErrorKind::FileTooLarge,
            io::ErrorKind::WriteZero,
        ];
        if full.contains(&source.kind()) {
            let path = path.to_owned();
            Self::Full { path, source }
        } else {
            Self::io(action, path)(source)
        }
    }

    /// Something sound that only a later release can read.
    pub(crate) fn newer(path: &Path, writer: String, format: u32, known: u32) -> Self {
        Self::Newer {
            path: path.to_owned(),
            writer,
            format,
            known,
        }
    }

    /// What a refusal by the caller's state means for bytes that `writer` put on
    /// disk: a later release, or somebody else's hand.
    pub(crate) fn refused(path: &Path, writer: Writer, why: FoldError) -> Self {
        match why {
            FoldError::Newer { version, known, .. } => {
                Self::newer(path, writer.name(), version.into(), known.into())
            }
            FoldError::Invalid(why) => {
                let path = path.to_owned();
                Tamper::StateRefused { path, why }.into()
            }
        }
    }
}
