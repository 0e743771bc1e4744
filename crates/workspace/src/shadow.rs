use std::fs;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;

use crate::changes::{self, Changes, PatchSummary};
use crate::crowd::Crowd;
use crate::ignore::{Collector, FrozenIgnores};
use crate::import::Import;
use crate::ledger::{Content, Entry, Ledger, Loaded};
use crate::pass::Pass;
use crate::repo::{Repo, private_directory};
use crate::walk::{self, Found, Visitor};
use crate::{Budget, Git, RootMark, Snapshot, SnapshotId, Unmeasured, plain};

const LARGEST_USER_EXCLUDES: u64 = 1 << 20;

/// The outside view of one workspace.
///
/// The caller holds an exclusive lock on the workspace's state for as long as a shadow is
/// in use; two shadows over one directory would overwrite each other's memory.
pub struct Shadow {
    mark: RootMark,
    repo: Repo,
    /// What the repository was last seen to hold.
    crowd: Crowd,
    ledger: Ledger,
    ledger_path: PathBuf,
    budget: Budget,
    user_excludes: Option<PathBuf>,
    /// What the loop keeps about itself, whatever it is called.
    own: Vec<PathBuf>,
    /// Something was found damaged; the next snapshot starts from nothing.
    distrusted: bool,
    /// The shadow was built anew and no snapshot has reported it yet.
    rebuilt: bool,
}

impl Shadow {
    /// Opens the shadow of the workspace at `root`, keeping its memory in `home`.
    ///
    /// `user_excludes` names the user's own excludes file, if there is one; it is read when
    /// ignore rules are frozen.
    pub fn open(
        git: Git,
        root: &Path,
        home: &Path,
        user_excludes: Option<PathBuf>,
        budget: Budget,
    ) -> Result<Self, Unmeasured> {
        let mark = RootMark::of(root).map_err(Unmeasured::io("open", root))?;
        private_directory(home).map_err(Unmeasured::io("create", home))?;
        let home = home
            .canonicalize()
            .map_err(Unmeasured::io("resolve", home))?;
        if home.starts_with(mark.path()) {
            return Err(Unmeasured::HomeInsideRoot {
                home,
                root: mark.path().to_path_buf(),
            });
        }
        let repo = Repo::new(git, home.join("shadow.git"));
        let ledger_path = home.join("ledger");
        let (ledger, distrusted) = match Ledger::load(&ledger_path) {
            Loaded::Ledger(ledger) => (ledger, false),
            Loaded::Missing => (Ledger::default(), repo.exists()),
            Loaded::Damaged => (Ledger::default(), true),
        };
        let shadow = Self {
            mark,
            repo,
            crowd: Crowd::default(),
            ledger,
            ledger_path,
            budget,
            user_excludes,
            own: Vec::new(),
            distrusted,
            rebuilt: false,
        };
        if shadow.ledger.tree.is_none() && !shadow.distrusted {
            // First use, or a crash during first use. The ledger comes first, so that a
            // repository without a ledger can only mean that somebody took the ledger away.
            shadow.save()?;
            shadow.repo.create()?;
        }
        Ok(shadow)
    }

    /// Takes a file, relative to the root, for the loop's own account of itself: that it changes
    /// is no work, whatever it is called.
    pub fn leave_out_of_work(&mut self, path: PathBuf) {
        self.own.push(path);
    }

    /// The directory that is measured.
    pub fn root(&self) -> &RootMark {
        &self.mark
    }

    /// Takes the ignore rules as they are now; they hold until this is called again.
    ///
    /// Call it when a run begins. A shadow that has never frozen any rules does it at its
    /// first snapshot.
    pub fn freeze_ignores(&mut self) -> Result<(), Unmeasured> {
        let root = self.mark.open()?;
        let user_excludes = self.user_excludes.as_deref().and_then(|path| {
            plain::read_at(CWD, fs::canonicalize(path).ok()?, LARGEST_USER_EXCLUDES)
        });
        let mut collector = Collector::new(user_excludes);
        walk::walk(
            root.as_fd(),
            &self.budget,
            &mut collector,
            &mut PassingThrough,
        )?;
        self.ledger.ignores = Some(collector.into_frozen());
        self.save()
    }

    /// Measures the workspace as it is now.
    pub fn snapshot(&mut self) -> Result<Snapshot, Unmeasured> {
        if self.distrusted || self.repo.check().is_err() {
            self.rebuild()?;
        }
        if self.ledger.ignores.is_none() {
            self.freeze_ignores()?;
        }
        match self.measure() {
            // A full disk fails like a damaged shadow does, but would not be helped by
            // throwing the shadow away.
            Err(Unmeasured::GitFailed { .. }) if self.is_unsound() => {
                self.rebuild()?;
                self.measure()
            }
            measured => measured,
        }
    }

    /// What changed from one snapshot to another.
    ///
    /// Equal ids need no comparison. For others the shadow is asked, and if it cannot answer
    /// because it was damaged, the next snapshot rebuilds it.
    pub fn compare(
        &mut self,
        before: &SnapshotId,
        after: &SnapshotId,
    ) -> Result<Changes, Unmeasured> {
        if before == after {
            return Ok(Changes::default());
        }
        self.repo.check()?;
        let compared = changes::compare(&self.repo, &self.budget, &self.own, before, after);
        self.judge(compared)
    }

    /// Writes the difference between two snapshots as a patch, at most `cap` bytes of it.
    ///
    /// Files that are known by their metadata only do not appear in it.
    pub fn write_patch(
        &mut self,
        before: &SnapshotId,
        after: &SnapshotId,
        out: &mut dyn std::io::Write,
        cap: u64,
    ) -> Result<PatchSummary, Unmeasured> {
        self.repo.check()?;
        let limit = self.budget.per_command;
        let written = changes::write_patch(&self.repo, limit, before, after, out, cap);
        self.judge(written)
    }

    fn measure(&mut self) -> Result<Snapshot, Unmeasured> {
        let root = self.mark.open()?;
        let base = self.ledger.tree.as_ref();
        let no_rules = FrozenIgnores::default();
        let mut ignores = self.ledger.ignores.as_ref().unwrap_or(&no_rules);
        let import = Import::new(&self.repo, base, self.budget.per_command);
        let mut pass = Pass::new(&self.ledger.entries, import, &self.budget);
        let index_unread = walk::walk(root.as_fd(), &self.budget, &mut ignores, &mut pass)?;
        let outcome = pass.finish(base.is_none())?;
        // The walk held on to the directory that it opened. If the name has moved on since,
        // what was measured is no longer the workspace.
        self.mark.open()?;

        if outcome.refreshed {
            self.ledger.entries = outcome.entries;
            self.ledger.tree = outcome.tree.or(self.ledger.tree.take());
            self.save()?;
        }
        let Some(id) = self.ledger.tree.clone() else {
            return Err(Unmeasured::GitFailed {
                doing: "storing a snapshot",
                said: "the first snapshot has no tree".to_owned(),
            });
        };
        let is_unhashed = |entry: &&Entry| matches!(entry.content, Content::Unhashed(_));
        Ok(Snapshot {
            id,
            files: self.ledger.entries.len(),
            unhashed: self.ledger.entries.iter().filter(is_unhashed).count(),
            rebuilt: std::mem::take(&mut self.rebuilt),
            index_unread,
            repositories: outcome.repositories,
        })
    }

    /// Starts the shadow anew if it has outgrown its use, and says whether it did.
    ///
    /// Each snapshot adds objects and nothing takes any away, while only the last
    /// one is ever compared with. Call it before the snapshot that an iteration
    /// starts from: earlier ids cannot be compared with afterwards.
    pub fn renew_if_crowded(&mut self) -> Result<bool, Unmeasured> {
        let (files, bytes) = self.crowd.count(&self.repo.objects());
        if files <= self.budget.object_files && bytes <= self.budget.object_bytes {
            return Ok(false);
        }
        self.rebuild()?;
        self.rebuilt = false;
        Ok(true)
    }

    /// Starts from nothing. The frozen rules stay if they are still known: taking those of
    /// this moment would let the agent choose them by damaging the shadow.
    fn rebuild(&mut self) -> Result<(), Unmeasured> {
        self.rebuilt = true;
        self.ledger.tree = None;
        self.ledger.entries.clear();
        self.save()?;
        self.repo.create()?;
        self.distrusted = false;
        Ok(())
    }

    /// Looks for the reason when git could not answer a question about two snapshots.
    fn judge<T>(&mut self, answer: Result<T, Unmeasured>) -> Result<T, Unmeasured> {
        if matches!(answer, Err(Unmeasured::GitFailed { .. })) {
            self.distrusted |= self.is_unsound();
        }
        answer
    }

    /// Whether every part of a snapshot is there and is what its id says.
    pub(crate) fn holds(&self, id: &SnapshotId) -> bool {
        self.repo.is_sound(id, self.budget.per_command)
    }

    pub(crate) fn repo(&self) -> &Repo {
        &self.repo
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    fn is_unsound(&self) -> bool {
        let tree = self.ledger.tree.as_ref();
        tree.is_some_and(|tree| !self.repo.is_sound(tree, self.budget.per_command))
    }

    fn save(&self) -> Result<(), Unmeasured> {
        self.ledger
            .save(&self.ledger_path)
            .map_err(Unmeasured::io("write", &self.ledger_path))
    }
}

/// Freezing rules means going through the directories; the files are of no interest.
struct PassingThrough;

impl Visitor for PassingThrough {
    fn file(&mut self, _: &Found<'_>) -> Result<(), Unmeasured> {
        Ok(())
    }

    fn closed(&mut self, _: &[u8]) -> Result<(), Unmeasured> {
        Ok(())
    }
}
