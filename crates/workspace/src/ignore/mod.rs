//! Which paths are worth measuring: git's ignore rules, as they were when the run began.
//!
//! The rules are frozen because the agent can edit them: one `*` in a `.gitignore` would
//! otherwise make every later change invisible. They are interpreted here rather than by
//! git because git only ever reads the files that lie in the work tree now.

mod frozen;
mod glob;
mod rules;

pub(crate) use frozen::{Collector, FrozenIgnores};
pub(crate) use rules::Rules;
#[cfg(feature = "fuzzing")]
pub(crate) use rules::read_rules;

use std::os::fd::BorrowedFd;
use std::sync::Arc;

use crate::gitdir::GitDir;

/// What the agent's companions keep in the workspace about themselves.
///
/// They change with every step of a run, so counting them would turn running into progress.
/// Nothing overrides this list, not even being tracked.
const NEVER_MEASURED: [&[u8]; 3] = [b".prp-session", b".cub/runs", b".ralph/logs"];

pub(crate) fn is_never_measured(path: &[u8]) -> bool {
    NEVER_MEASURED.contains(&path)
}

/// A directory that a walk is about to read.
pub(crate) struct Entering<'a> {
    /// Relative to the root, without a trailing slash; empty for the root itself.
    pub(crate) path: &'a [u8],
    pub(crate) directory: BorrowedFd<'a>,
    /// Present if the directory is the top of a work tree.
    pub(crate) git_dir: Option<&'a GitDir>,
    pub(crate) has_ignore_file: bool,
}

/// Where a walk gets its rules from.
pub(crate) trait IgnoreSource {
    /// The rules that hold from this directory downwards, if it brings any.
    fn enter(&mut self, entering: &Entering<'_>) -> Option<Arc<Layer>>;
}

/// The rules that one directory contributes.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// Set at the top of a work tree, where the rules of the directories above end.
    pub(crate) restarts: bool,
    pub(crate) rules: Rules,
}

/// The rules in force at some point of a walk, outermost first.
#[derive(Default)]
pub(crate) struct Ignores(Vec<(usize, Arc<Layer>)>);

impl Ignores {
    /// Adds what a directory brings; `prefix` is the length of its path with the slash.
    pub(crate) fn push(&mut self, prefix: usize, layer: Arc<Layer>) {
        self.0.push((prefix, layer));
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }

    /// Whether the rules exclude `path`, given that they do not exclude its parent.
    pub(crate) fn exclude(&self, path: &[u8], is_directory: bool) -> bool {
        for (prefix, layer) in self.0.iter().rev() {
            if let Some(ignored) = layer.rules.verdict(&path[*prefix..], is_directory) {
                return ignored;
            }
            if layer.restarts {
                break;
            }
        }
        false
    }
}
