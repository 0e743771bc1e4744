//! What happened to the repositories of a workspace: commits, amends, switches, stashes.
//!
//! Their files belong to the agent, so this is something to report and never something to
//! measure by. Git is not asked, because it would obey the configuration that lies beside
//! those files. What they cannot tell for certain is [`HeadMove::Unclear`].

mod reflog;

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::beneath::{self, Missing};
use crate::gitdir::GitDir;
use crate::head::{self, Head};
use crate::{RootMark, Unmeasured};
use reflog::Past;
#[cfg(feature = "fuzzing")]
pub(crate) use reflog::read_log;

/// A workspace with more work trees than this has the others left out.
const MOST: usize = 256;

/// The repositories whose work trees lie in the workspace, by the path of the work tree.
/// The root's own has the empty path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repositories(BTreeMap<PathBuf, State>);

/// What one repository's files say.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    head: Head,
    /// The newest stash.
    stash: Option<String>,
    /// How many there are, as far as their log tells.
    stashes: usize,
}

/// What happened to one repository between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryMove {
    /// Its work tree, relative to the root; empty for the root's own.
    pub work_tree: PathBuf,
    /// What became of its `HEAD`.
    pub head: HeadMove,
    /// What became of its stashes.
    pub stash: StashMove,
}

/// What became of a `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadMove {
    /// It is where it was.
    Stayed,
    /// Commits were added to the branch, and nothing was taken from it.
    Committed {
        /// How many.
        commits: usize,
    },
    /// The commit that was the newest has been replaced.
    Amended,
    /// The branch was reset, rebased or forced to some other commit.
    Rewritten,
    /// Another branch is checked out.
    Switched {
        /// The branch before, if there was one.
        from: Option<String>,
        /// The branch now.
        to: String,
    },
    /// A commit is checked out instead of a branch.
    Detached,
    /// The repository is new.
    Appeared,
    /// The repository is gone.
    Vanished,
    /// Its files do not tell: it moved without leaving a trace, or it is kept in a form that
    /// this reader does not know.
    Unclear,
}

/// What became of the stashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StashMove {
    /// They are what they were.
    Stayed,
    /// There are more: work was put aside, where no snapshot sees it.
    Grew,
    /// There are fewer.
    Shrank,
    /// There are as many, but not the same.
    Unclear,
}

impl Repositories {
    /// Takes note of the repository whose work tree is at `path`.
    pub(crate) fn note(&mut self, path: &[u8], git_dir: &GitDir) {
        if self.0.len() < MOST {
            let state = State {
                head: head::head_of(git_dir).unwrap_or_default(),
                stash: head::reference(git_dir, "refs/stash"),
                stashes: reflog::count(git_dir, "refs/stash"),
            };
            self.0.insert(crate::walk::to_path(path), state);
        }
    }

    /// What happened since `before`; repositories to which nothing did are not listed.
    pub fn moves_since(
        &self,
        before: &Self,
        root: &RootMark,
    ) -> Result<Vec<RepositoryMove>, Unmeasured> {
        let root = root.open()?;
        let past = |work_tree: &Path| {
            let path = work_tree.as_os_str().as_bytes();
            let directory = beneath::directory(root.as_fd(), path, Missing::Fails).ok()?;
            GitDir::of(directory.as_fd())
        };
        let mut paths: Vec<&PathBuf> = before.0.keys().chain(self.0.keys()).collect();
        paths.sort_unstable();
        paths.dedup();
        let moves = paths.into_iter().map(|path| {
            let (head, stash) = match (before.0.get(path), self.0.get(path)) {
                (Some(old), Some(new)) => (
                    head_move(&old.head, &new.head, || past(path)),
                    stash_move(old, new),
                ),
                (None, _) => (HeadMove::Appeared, StashMove::Stayed),
                (_, None) => (HeadMove::Vanished, StashMove::Stayed),
            };
            RepositoryMove {
                work_tree: path.clone(),
                head,
                stash,
            }
        });
        let happened =
            |it: &RepositoryMove| (&it.head, it.stash) != (&HeadMove::Stayed, StashMove::Stayed);
        Ok(moves.filter(happened).collect())
    }
}

fn head_move(old: &Head, new: &Head, git_dir: impl FnOnce() -> Option<GitDir>) -> HeadMove {
    if old == new {
        let is_known = *new != Head::default();
        return if is_known {
            HeadMove::Stayed
        } else {
            HeadMove::Unclear
        };
    }
    match (&old.branch, &new.branch, &new.commit) {
        (from, Some(to), _) if from.as_ref() != Some(to) => HeadMove::Switched {
            from: from.clone(),
            to: to.clone(),
        },
        (Some(_), None, Some(_)) => HeadMove::Detached,
        (_, _, Some(to)) => {
            let log = match &new.branch {
                Some(branch) => format!("refs/heads/{branch}"),
                None => "HEAD".to_owned(),
            };
            let past = git_dir().and_then(|git_dir| Past::read(&git_dir, &log));
            past.map_or(HeadMove::Unclear, |past| {
                past.between(old.commit.as_deref(), to)
            })
        }
        (_, _, None) => HeadMove::Unclear,
    }
}

fn stash_move(old: &State, new: &State) -> StashMove {
    match old.stashes.cmp(&new.stashes) {
        std::cmp::Ordering::Less => StashMove::Grew,
        std::cmp::Ordering::Greater => StashMove::Shrank,
        std::cmp::Ordering::Equal if old.stash == new.stash => StashMove::Stayed,
        std::cmp::Ordering::Equal => StashMove::Unclear,
    }
}

impl std::fmt::Display for HeadMove {
    /// Words for people. Branch names are the agent's: escape before printing.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stayed => out.write_str("no commit"),
            Self::Committed { commits: 1 } => out.write_str("1 commit"),
            Self::Committed { commits } => write!(out, "{commits} commits"),
            Self::Amended => out.write_str("the last commit was amended"),
            Self::Rewritten => out.write_str("the branch was reset or rebased"),
            Self::Switched { to, .. } => write!(out, "switched to branch {to}"),
            Self::Detached => out.write_str("detached from its branch"),
            Self::Appeared => out.write_str("a new repository"),
            Self::Vanished => out.write_str("the repository is gone"),
            Self::Unclear => out.write_str("what became of HEAD is unclear"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_has_not_stayed() {
        let head = |branch: &str| Head {
            branch: Some(branch.to_owned()),
            commit: None,
        };
        for (old, new, expected) in [
            (Head::default(), Head::default(), HeadMove::Unclear),
            (head("main"), Head::default(), HeadMove::Unclear),
            (head("main"), head("main"), HeadMove::Stayed),
        ] {
            assert_eq!(head_move(&old, &new, || None), expected, "{old:?} {new:?}");
        }
    }
}
