//! What really changed in a workspace, seen from outside.
//!
//! An agent's own account of its work is a claim. This crate produces the measurement that
//! the claim is held against: a [`Snapshot`] of every file that belongs to the project, and
//! the [`Changes`] between two of them.
//!
//! The workspace is hostile ground. Its repository, its ignore files, its names and its file
//! types are all written by the agent that is being measured. Therefore:
//!
//! * Files are found and read by this crate, without following links and within a [`Budget`].
//!   Git is given their contents on a pipe, in a repository of our own that has no work tree,
//!   and is used for what it is best at: storing trees and telling them apart.
//! * The ignore rules are those of the moment at which they were frozen.
//! * Content decides, not time stamps. These only tell which files need not be read again,
//!   and among them is the change time, which a program cannot set.
//! * A measurement that fails is [`Unmeasured`]: unknown, never "no change".
//!
//! ```no_run
//! # use std::path::Path;
//! # use fusebox_workspace::{Budget, Git, Shadow};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let root = Path::new("/home/me/project");
//! let git = Git::find(&std::env::var_os("PATH").unwrap_or_default(), &[root])?;
//! let home = Path::new("/home/me/.local/state/fusebox/project/shadow");
//! let mut shadow = Shadow::open(git, root, home, None, Budget::default())?;
//! shadow.freeze_ignores()?;
//! let before = shadow.snapshot()?;
//! // The agent works.
//! let after = shadow.snapshot()?;
//! let changes = shadow.compare(&before.id, &after.id)?;
//! # let _ = changes;
//! # Ok(())
//! # }
//! ```

mod beneath;
mod budget;
mod changes;
mod child;
mod crowd;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod doors;
mod error;
mod git;
mod gitdir;
pub mod head;
mod ignore;
mod import;
mod kind;
mod ledger;
mod listing;
mod look;
mod pass;
mod plain;
mod repo;
mod repository;
mod restore;
mod root;
mod shadow;
mod snapshot;
mod stamp;
mod tracked;
mod unhashed;
mod walk;

pub use budget::Budget;
pub use changes::{ChangeKind, Changes, FileChange, PatchSummary};
pub use error::Unmeasured;
pub use git::{Git, GitMissing};
pub use gitdir::common_dir;
pub use head::Head;
pub use kind::{FileKind, KindCounts, Work};
pub use repository::{HeadMove, Repositories, RepositoryMove, StashMove};
pub use restore::{Left, LeftBecause, Restored, Restoring};
pub use root::RootMark;
pub use shadow::Shadow;
pub use snapshot::{NotASnapshotId, Snapshot, SnapshotId};
