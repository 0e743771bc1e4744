//! What really changed in the work tree of a session.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_core::Observation;
use fusebox_core::fact::Fact;
use fusebox_core::observation::{FileChanges, PATHS_KEPT, Shift};
use fusebox_files::Busy;
use fusebox_view::escape;
use fusebox_workspace::{
    Budget, Changes, FileKind, Git, GitMissing, Repositories, RepositoryMove, Shadow, SnapshotId,
    Unmeasured,
};

use super::Session;
use super::drafts::Drafted;
use crate::exit;
use crate::failure::Failure;

/// How long to wait for another measurement for the same circuit.
const PATIENCE: Duration = Duration::from_secs(10);
/// The widest that a path is shown.
const WIDTH: usize = 120;

/// The shadow of the work tree, held by this process alone.
pub(crate) struct Measure {
    pub(crate) shadow: Shadow,
    drafted: Drafted,
    /// The repositories at the last two measurements, the older one first.
    repositories: [Option<Repositories>; 2],
    _lock: File,
}

impl Measure {
    pub(crate) fn open(session: &Session) -> Result<Self, Failure> {
        session.located.register()?;
        let root = &session.located.root;
        let dir = session.located.workspace_dir();
        // A shadow per circuit: the loops of two circuits may run at once, and
        // each holds its shadow for as long as it runs.
        let name = format!("shadow-{}", session.circuit);
        let lock = lock(&dir.join(format!("{name}.lock")))?;
        let git = find_git(root).map_err(|missing| {
            Failure::new(exit::MISSING, missing.to_string())
                .hint("install git: fusebox measures changes with it, in a repository of its own")
        })?;
        let shadow = Shadow::open(
            git,
            root,
            &dir.join(name),
            user_excludes(),
            Budget::default(),
        )
        .map_err(|why| unusable(&why))?;
        Ok(Self {
            shadow,
            drafted: Drafted::of(session),
            repositories: [None, None],
            _lock: lock,
        })
    }

    /// The work tree that an iteration starts from.
    pub(crate) fn baseline(&mut self) -> Result<SnapshotId, Unmeasured> {
        self.shadow.renew_if_crowded()?;
        self.tree()
    }

    /// The work tree as it is now, without what killed processes of ours left there.
    pub(crate) fn tree(&mut self) -> Result<SnapshotId, Unmeasured> {
        self.drafted.discard();
        let snapshot = self.shadow.snapshot()?;
        self.repositories.rotate_left(1);
        self.repositories[1] = Some(snapshot.repositories);
        Ok(snapshot.id)
    }

    /// What became of the repositories between the last two measurements.
    pub(crate) fn moves(&self) -> Vec<RepositoryMove> {
        match &self.repositories {
            [Some(before), Some(now)] => now
                .moves_since(before, self.shadow.root())
                .unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// Compares the work tree with what the pending iteration started from.
    pub(crate) fn changes_into(
        &mut self,
        session: &Session,
        facts: &mut Observation,
    ) -> Result<Vec<String>, Failure> {
        let mut remarks = Vec::new();
        let core = session.store.peek()?.state.0.core;
        let pending = core.pending.and_then(|pending| pending.tree);
        let base = pending.or_else(|| core.tree.clone());
        let after = match self.tree() {
            Ok(after) => after,
            Err(why) => return Ok(vec![format!("what changed is unknown: {why}")]),
        };
        facts.tree = Fact::Measured(after.to_string());
        let Some(before) = base.and_then(|base| base.parse::<SnapshotId>().ok()) else {
            return Ok(vec![
                "the changes are unknown this time: the work tree was not measured before the \
                 iteration, which takes `fusebox check --from-git`; from now on it is"
                    .into(),
            ]);
        };
        match self.shadow.compare(&before, &after) {
            Ok(changes) => {
                facts.files = Fact::Measured(meaningful(&changes));
                remarks.extend(only_about_itself(&changes));
                let known = core.tree.as_deref();
                facts.shift = Fact::Measured(self.shift(known, &before, &after, &changes));
            }
            Err(why) => return Ok(vec![format!("what changed is unknown: {why}")]),
        }
        Ok(remarks)
    }

    /// How far the work moved since the tree that the engine knows of. What happened between two
    /// iterations belongs to it too: the sum is of what there is, whoever wrote it.
    pub(crate) fn shift(
        &mut self,
        known: Option<&str>,
        before: &SnapshotId,
        after: &SnapshotId,
        changes: &Changes,
    ) -> Shift {
        let known = known.and_then(|known| known.parse::<SnapshotId>().ok());
        let since = known.filter(|known| known != before).and_then(|known| {
            let all = self.shadow.compare(&known, after).ok()?;
            Some((known, all.shift))
        });
        let (from, by) = since.unwrap_or_else(|| (before.clone(), changes.shift));
        Shift {
            from: from.to_string(),
            by,
        }
    }
}

/// The changes that mean something, for the engine.
pub(crate) fn meaningful(changes: &Changes) -> FileChanges {
    let files = changes
        .files
        .iter()
        .filter(|file| file.meaningful)
        .take(PATHS_KEPT);
    FileChanges {
        count: changes.meaningful as u64,
        created: Some(changes.added as u64),
        deleted: Some(changes.deleted as u64),
        paths: files
            .map(|file| file.path.to_string_lossy().into_owned())
            .collect(),
    }
}

/// What is said where files changed, and only such as loops and programs keep about themselves.
pub(crate) fn only_about_itself(changes: &Changes) -> Option<String> {
    if changes.meaningful > 0 {
        return None;
    }
    let own: Vec<_> = changes
        .files
        .iter()
        .filter(|file| file.is_bookkeeping())
        .collect();
    let Some(first) = own.first() else {
        // By its name alone the list that is worked through is nothing of the kind.
        let any = changes.kinds.agent_state > 0;
        return any.then(|| "only the loop's own files changed".into());
    };
    let traces = own.iter().all(|file| file.file_kind() == FileKind::Trace);
    let what = if traces {
        "only logs and caches changed"
    } else {
        "only the loop's own files changed"
    };
    let more = match own.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = escape::line(&first.path.to_string_lossy(), WIDTH);
    Some(format!("{what}: {first}{more}"))
}

/// No program of the workspace's, nor of the repository that we are called in: those differ in
/// a demonstration, which has a workspace of its own.
fn find_git(root: &Path) -> Result<Git, GitMissing> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let here = std::env::current_dir().unwrap_or_default();
    let around = here
        .ancestors()
        .find(|top| top.join(".git").symlink_metadata().is_ok());
    let roots: Vec<&Path> = [Some(root), around].into_iter().flatten().collect();
    Git::find(&path, &roots)
}

fn unusable(why: &Unmeasured) -> Failure {
    Failure::new(
        exit::MISSING,
        format!("the work tree cannot be measured: {why}"),
    )
    .hint("run it in a project directory, or keep the state elsewhere with `--state-dir`")
}

fn lock(path: &Path) -> Result<File, Failure> {
    fusebox_files::lock_file(path, PATIENCE).map_err(|busy| match busy {
        Busy::Unusable(error) => Failure::new(
            exit::STATE,
            format!("cannot lock {}: {error}", path.display()),
        ),
        Busy::Held { .. } => Failure::new(
            exit::REFUSED,
            "another fusebox is measuring this work tree for the same circuit",
        )
        .hint("let it finish, or use `fusebox status` to see what runs"),
    })
}

/// Git's own place for the user's excludes, where no configuration names
/// another.
fn user_excludes() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(base.join("git/ignore")).filter(|path| path.is_file())
}
