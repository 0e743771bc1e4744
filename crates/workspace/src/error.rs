use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::SnapshotId;

/// Why the answer to "what changed?" is *unknown*.
///
/// Unknown is never the same as "nothing changed": a caller that receives one of
/// these has learned nothing about the workspace and must say so.
#[derive(Debug, thiserror::Error)]
pub enum Unmeasured {
    /// The root was renamed, removed or replaced since the shadow was opened.
    #[error("the workspace root {root:?} is no longer the directory that was opened")]
    RootMoved {
        /// Where the root was.
        root: PathBuf,
    },
    /// The state directory lies inside the workspace, so measuring would change what is measured.
    #[error("the state directory {home:?} lies inside the workspace {root:?}")]
    HomeInsideRoot {
        /// The state directory that was asked for.
        home: PathBuf,
        /// The workspace root.
        root: PathBuf,
    },
    /// A step ran out of its time.
    #[error("{doing} did not finish within {limit:?}")]
    Timeout {
        /// The step, as a gerund: "scanning the workspace".
        doing: &'static str,
        /// The time it had.
        limit: Duration,
    },
    /// Git ended unhappily.
    #[error("git failed while {doing}: {said}")]
    GitFailed {
        /// The step, as a gerund: "storing a snapshot".
        doing: &'static str,
        /// The first line of its error output, escaped and shortened.
        said: String,
    },
    /// Git said more than this crate is willing to hold in memory.
    #[error("git answered with more than {limit} bytes while {doing}")]
    TooMuchOutput {
        /// The step, as a gerund.
        doing: &'static str,
        /// The bytes that were allowed.
        limit: u64,
    },
    /// The workspace holds more paths than the budget allows.
    #[error("the workspace holds more than {limit} paths")]
    TooManyPaths {
        /// The number of paths that was allowed.
        limit: usize,
    },
    /// Directories are nested deeper than any honest project needs.
    #[error("{path:?} is nested more than {limit} directories deep")]
    TooDeep {
        /// The directory where the scan stopped.
        path: PathBuf,
        /// The depth that was allowed.
        limit: usize,
    },
    /// The shadow was edited from outside; the next snapshot rebuilds it.
    #[error("the shadow repository {dir:?} was altered from outside: {what}")]
    Damaged {
        /// The shadow git directory.
        dir: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The shadow no longer holds a snapshot: it was started anew since, or damaged.
    #[error("snapshot {id} is no longer kept, so the work tree cannot be made what it was")]
    SnapshotGone {
        /// The snapshot that was asked for.
        id: SnapshotId,
    },
    /// The operating system refused something that has no better name here.
    #[error("could not {doing} {path:?}: {source}")]
    Io {
        /// The attempt, as an infinitive: "read".
        doing: &'static str,
        /// The path it concerned.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

impl Unmeasured {
    /// Builds the conversion for `map_err`, so that every I/O failure names its attempt and path.
    pub(crate) fn io<E: Into<io::Error>>(
        doing: &'static str,
        path: &Path,
    ) -> impl FnOnce(E) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io {
            doing,
            path,
            source: source.into(),
        }
    }
}
