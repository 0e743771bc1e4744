//! Going back: making the work tree what a snapshot says it was.
//!
//! Three promises decide what is done and what is left alone, besides what the caller spares.
//!
//! * Nothing is lost. The present state is snapshot first, so a rollback can be rolled back;
//!   content that no snapshot holds is neither overwritten nor deleted, but reported.
//! * Nothing outside the workspace is touched, whatever links the agent has laid out.
//! * There is no half-written file. Each one is written beside its place and renamed into
//!   it, so a rollback that is interrupted is completed by doing it again.

mod blobs;
mod place;
mod plan;

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::walk::to_path;
use crate::{Budget, Shadow, SnapshotId, Unmeasured};
use blobs::Blobs;
use place::Place;
use plan::{Plan, Step};

/// What a rollback did.
#[derive(Debug)]
pub struct Restored {
    /// The state before, to which the rollback can be undone.
    pub undo: SnapshotId,
    /// The state after, as measured. It differs from the one asked for by what was left.
    pub now: SnapshotId,
    /// Files and links written.
    pub written: usize,
    /// Files and links deleted.
    pub deleted: usize,
    /// Which they are, up to [`Budget::listed_changes`] of them.
    pub steps: Vec<Restoring>,
    /// What could not be brought back, up to [`Budget::listed_changes`] of it.
    pub left: Vec<Left>,
    /// How much of it there is in all.
    pub left_in_all: usize,
}

/// What a rollback does to one path, relative to the root. Escape it before printing, too.
#[derive(Debug, PartialEq, Eq)]
pub enum Restoring {
    /// Gives it its former content.
    Written(PathBuf),
    /// Takes it away.
    Deleted(PathBuf),
}

/// A path that a rollback left as it is.
#[derive(Debug, PartialEq, Eq)]
pub struct Left {
    /// Relative to the root. It is whatever bytes the agent chose: escape before printing.
    pub path: PathBuf,
    /// Why it was left.
    pub why: LeftBecause,
}

/// Why a path was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeftBecause {
    /// It changed, but its former content was never stored.
    #[error("its former content was too large or not readable, so the snapshot does not hold it")]
    NeverStored,
    /// Its present content is stored nowhere, so that replacing it would lose it.
    #[error("its present content is too large or not readable, and would be lost")]
    WouldBeLost,
    /// Something that no snapshot measures is in its place.
    #[error("something that is not measured is in its place, such as an ignored file")]
    InTheWay,
    /// The caller spares it.
    #[error("it is spared")]
    Spared,
    /// The path is not one that a snapshot can hold.
    #[error("its path leads out of the workspace or into a repository")]
    Forbidden,
    /// The system refused.
    #[error("the system refused: {0}")]
    Refused(String),
}

impl Shadow {
    /// Makes the work tree what it was in the snapshot `target`.
    ///
    /// Only files that snapshots measure are written or deleted: never an ignored one, never
    /// a repository's own. Of permissions a snapshot knows whether a file may be executed;
    /// the others stay as they are. The caller sees to it that no agent is at work.
    ///
    /// Problems with single files are listed in [`Restored::left`] and the rest goes on. If
    /// git fails or is too slow, the work tree may be half-way; doing it again completes it.
    pub fn restore(&mut self, target: &SnapshotId) -> Result<Restored, Unmeasured> {
        self.restore_except(target, |_| false)
    }

    /// The same, where nothing that is there now and that `spares` names is overwritten or
    /// deleted.
    pub fn restore_except(
        &mut self,
        target: &SnapshotId,
        spares: impl Fn(&Path) -> bool,
    ) -> Result<Restored, Unmeasured> {
        let (undo, plan) = self.way_to(target, spares)?;
        let mut progress = Progress::default();
        if !plan.steps.is_empty() {
            let root = self.root().open()?;
            let blobs = Blobs::open(self.repo(), self.budget())?;
            progress.carry_out(&plan.steps, &Place::new(root.as_fd()), blobs)?;
        }
        progress.left.extend(plan.left);
        progress
            .left
            .sort_by(|one, other| one.path.cmp(&other.path));
        let now = self.snapshot()?.id;
        Ok(progress.into_restored(undo, now, self.budget()))
    }

    /// What [`Self::restore_except`] would do, without doing it. What only turns out on the
    /// way is not foreseen.
    pub fn foresee(
        &mut self,
        target: &SnapshotId,
        spares: impl Fn(&Path) -> bool,
    ) -> Result<Restored, Unmeasured> {
        let (now, plan) = self.way_to(target, spares)?;
        let mut progress = Progress {
            left: plan.left,
            ..Progress::default()
        };
        for step in &plan.steps {
            progress.count(step);
        }
        Ok(progress.into_restored(now.clone(), now, self.budget()))
    }

    /// The present state, and what leads from it to another.
    fn way_to(
        &mut self,
        target: &SnapshotId,
        spares: impl Fn(&Path) -> bool,
    ) -> Result<(SnapshotId, Plan), Unmeasured> {
        let now = self.snapshot()?.id;
        if !self.holds(target) {
            return Err(Unmeasured::SnapshotGone { id: target.clone() });
        }
        let mut plan = Plan::make(self.repo(), self.budget(), &now, target)?;
        plan.spare(spares);
        Ok((now, plan))
    }
}

#[derive(Default)]
struct Progress {
    written: usize,
    deleted: usize,
    steps: Vec<Restoring>,
    left: Vec<Left>,
}

impl Progress {
    /// Deletes first, deepest paths first, so that a directory that was a file becomes one
    /// again and the reverse.
    fn carry_out(
        &mut self,
        steps: &[Step],
        place: &Place<'_>,
        mut blobs: Blobs,
    ) -> Result<(), Unmeasured> {
        for step in steps.iter().rev() {
            if let Step::Delete { path } = step {
                let done = place.delete(path);
                self.note(step, done);
            }
        }
        for step in steps {
            if let Step::Write(file) = step {
                let content = blobs.read(&file.blob)?;
                let done = place.write(file, content);
                self.note(step, done);
            }
        }
        blobs.finish()
    }

    fn note(&mut self, step: &Step, done: Result<(), LeftBecause>) {
        match done {
            Ok(()) => self.count(step),
            Err(why) => self.left.push(Left {
                path: to_path(step.path()),
                why,
            }),
        }
    }

    fn count(&mut self, step: &Step) {
        let path = to_path(step.path());
        match step {
            Step::Delete { .. } => {
                self.deleted += 1;
                self.steps.push(Restoring::Deleted(path));
            }
            Step::Write(_) => {
                self.written += 1;
                self.steps.push(Restoring::Written(path));
            }
        }
    }

    fn into_restored(mut self, undo: SnapshotId, now: SnapshotId, budget: &Budget) -> Restored {
        let left_in_all = self.left.len();
        self.left.truncate(budget.listed_changes);
        self.steps.truncate(budget.listed_changes);
        Restored {
            undo,
            now,
            written: self.written,
            deleted: self.deleted,
            steps: self.steps,
            left: self.left,
            left_in_all,
        }
    }
}
