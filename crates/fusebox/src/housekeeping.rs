//! What need not be kept for ever: sealed logs, and what runs left behind.
//!
//! Pruning with the configured values is always fine, whoever asks: it is what
//! `run` does by itself. Keeping less than configured hides evidence, and is for
//! a person to decide. Copies of damaged files are never removed here: they are
//! bounded where they are made, and a person is meant to look at them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fusebox_store::{Error as StoreError, Pruned, Retention};
use fusebox_supervise::RunLock;
use fusebox_view::phrase;
use serde::Serialize;

use crate::failure::Failure;
use crate::session::Session;
use crate::trail;

/// What was, or would be, removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Freed {
    pub(crate) segments: u64,
    pub(crate) records: u64,
    pub(crate) log_bytes: u64,
    pub(crate) runs: u64,
    pub(crate) run_bytes: u64,
    /// What was to go and is still there, in a line for each kind of thing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left: Vec<String>,
}

impl Freed {
    fn of(log: Pruned, runs: &[Run]) -> Self {
        Self {
            segments: log.segments,
            records: log.records,
            log_bytes: log.bytes,
            runs: runs.len() as u64,
            run_bytes: runs.iter().map(|run| run.bytes).sum(),
            left: Vec::new(),
        }
    }

    /// One line for each kind of thing of which something went.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.segments > 0 {
            lines.push(format!(
                "pruned: {} from the log, {}",
                phrase::count(self.records, "record"),
                phrase::bytes(self.log_bytes)
            ));
        }
        if self.runs > 0 {
            lines.push(format!(
                "pruned: the output of {}, {}",
                phrase::count(self.runs, "run"),
                phrase::bytes(self.run_bytes)
            ));
        }
        lines.extend(self.left.iter().map(|what| format!("not pruned: {what}")));
        lines
    }
}

/// What `tidy` would remove.
pub(crate) fn would_free(session: &Session, retention: &Retention) -> Result<Freed, Failure> {
    let log = session.store.prunable(session.stamp(), retention)?;
    Ok(Freed::of(log, &old_runs(session, retention)))
}

/// Removes what need not be kept. That a log cannot be pruned for want of space
/// or of rights keeps nobody from working, and is told; that it cannot be believed
/// does.
pub(crate) fn tidy(session: &Session, retention: &Retention) -> Result<Freed, Failure> {
    let mut left = Vec::new();
    let log = match session.store.prune(session.stamp(), retention) {
        Err(error @ (StoreError::Full { .. } | StoreError::Io { .. })) => {
            left.push(format!("the log: {error}"));
            Pruned::default()
        }
        other => other?,
    };
    let mut stuck = Vec::new();
    let mut runs = old_runs(session, retention);
    runs.retain(|run| {
        let removed = fs::remove_dir_all(&run.dir);
        stuck.extend(removed.as_ref().err().map(ToString::to_string));
        removed.is_ok()
    });
    if let Some(why) = stuck.first() {
        let count = phrase::count(stuck.len() as u64, "run");
        left.push(format!("the output of {count}: {why}"));
    }
    Ok(Freed {
        left,
        ..Freed::of(log, &runs)
    })
}

/// The directory of one run.
struct Run {
    dir: PathBuf,
    bytes: u64,
    /// Time since the last iteration was begun.
    age: Duration,
}

/// The runs that need not be kept, oldest first. The latest of all stays, and so does
/// whatever is under way, in this circuit or another.
fn old_runs(session: &Session, retention: &Retention) -> Vec<Run> {
    let workspace = session.located.workspace_dir();
    let entries = fs::read_dir(workspace.join("runs")).into_iter().flatten();
    let mut dirs: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    // Their names begin with the time.
    dirs.sort();
    let under_way = runs_under_way(&workspace, &dirs);
    dirs.pop();
    dirs.retain(|dir| !under_way.contains(dir));
    let now = UNIX_EPOCH + Duration::from_millis(session.stamp());
    let runs: Vec<Run> = dirs.into_iter().map(|dir| measured(dir, now)).collect();
    let mut left: u64 = runs.iter().map(|run| run.bytes).sum();
    let goes = |run: &Run| {
        let goes = run.age >= retention.age || left > retention.bytes;
        left -= if goes { run.bytes } else { 0 };
        goes
    };
    runs.into_iter().take_while(goes).collect()
}

/// Of runs in the order of time, the latest of each circuit that has a supervisor.
fn runs_under_way(workspace: &Path, runs: &[PathBuf]) -> Vec<PathBuf> {
    let latest: BTreeMap<&str, &PathBuf> = runs
        .iter()
        .filter_map(|run| Some((trail::circuit_of(run.file_name()?.to_str()?)?, run)))
        .collect();
    let has_supervisor =
        |circuit: &str| RunLock::is_held(&workspace.join(format!("run-{circuit}.lock")));
    let under_way = latest
        .into_iter()
        .filter(|(circuit, _)| has_supervisor(circuit));
    under_way.map(|(_, run)| run.clone()).collect()
}

fn measured(dir: PathBuf, now: SystemTime) -> Run {
    let modified = fs::symlink_metadata(&dir).and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|then| now.duration_since(then).ok());
    Run {
        bytes: size(&dir, 3),
        dir,
        age: age.unwrap_or_default(),
    }
}

/// The bytes of the files in `dir`, which is no more than `depth` deep.
pub(crate) fn size(dir: &Path, depth: u32) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() && depth > 0 => size(&entry.path(), depth - 1),
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => 0,
    });
    sizes.fold(0, u64::saturating_add)
}
