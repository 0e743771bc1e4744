//! What lies between two snapshots.

mod listing;
mod shift;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::Running;
use crate::import::{FILES, UNHASHED};
use crate::repo::Repo;
use crate::unhashed::{self, Listed};
use crate::walk::to_path;
use crate::{Budget, FileKind, KindCounts, SnapshotId, Unmeasured};
use listing::{Listing, Paths};

pub(crate) const COMPARING: &str = "comparing two snapshots";
const WRITING: &str = "writing a patch";
/// About half a million changed paths.
pub(crate) const LARGEST_LISTING: u64 = 128 << 20;
const COPY_BUFFER: usize = 64 << 10;

/// The files that differ between two snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The first of them in byte order of their paths, up to [`Budget::listed_changes`].
    pub files: Vec<FileChange>,
    /// How many there are in all.
    pub total: usize,
    /// How many of all are meaningful; see [`FileChange::meaningful`].
    pub meaningful: usize,
    /// How many of the meaningful ones were not there before.
    pub added: usize,
    /// How many of the meaningful ones are no longer there.
    pub deleted: usize,
    /// Lines added in the meaningful ones, all of them, as far as lines were counted.
    pub added_lines: u64,
    /// Lines deleted in them, as far as lines were counted.
    pub deleted_lines: u64,
    /// The meaningful ones, all of them, by what the files are for.
    pub kinds: KindCounts,
    /// What they do to a sum over the content of all sources and tests, modulo 2^53: from one
    /// snapshot to a later one with the same content of those, all that was added comes to 0.
    pub shift: u64,
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Relative to the root. It is whatever bytes the agent chose: escape before printing.
    pub path: PathBuf,
    /// How it differs.
    pub kind: ChangeKind,
    /// Lines added, or `None` if the content is binary or was not read.
    pub added_lines: Option<u64>,
    /// Lines deleted, or `None` if the content is binary or was not read.
    pub deleted_lines: Option<u64>,
    /// Whether anything but white space and permissions differs, in a file that is not an
    /// agent's own account of itself.
    ///
    /// Content that was not read counts as different if its size is; that it can be read again
    /// does not count.
    pub meaningful: bool,
    /// What it does to the sum over all contents.
    pub(crate) shift: u64,
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// Its content differs.
    Modified,
    /// It is no longer there.
    Deleted,
    /// A file became a symbolic link, or the reverse.
    TypeChanged,
    /// Only its permission to be executed differs.
    ModeOnly,
}

/// How much of a patch was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchSummary {
    /// Bytes written.
    pub written: u64,
    /// Whether there would have been more.
    pub truncated: bool,
}

/// `own` are files that a loop keeps about itself, whatever they are called.
pub(crate) fn compare(
    repo: &Repo,
    budget: &Budget,
    own: &[PathBuf],
    before: &SnapshotId,
    after: &SnapshotId,
) -> Result<Changes, Unmeasured> {
    let limit = budget.per_command;
    let diff = |options: &[&str]| {
        let mut command = repo.command("diff-tree");
        command
            .args(["-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"])
            .args(options)
            .args([before.as_str(), after.as_str()]);
        Running::spawn(&mut command, false, COMPARING, limit)?.output(LARGEST_LISTING)
    };
    let mut listing = Listing::default();
    let all = diff(&["--raw", "--numstat"])?;
    listing.read_differences(&all).ok_or_else(not_understood)?;
    let beyond_space = diff(&["--numstat", "-w", "--ignore-blank-lines"])?;
    listing
        .read_meaningful(&beyond_space)
        .ok_or_else(not_understood)?;
    let mut files = listing.files;
    if let Some((old, new)) = listing.unhashed {
        let read = |blob: Option<String>| match blob {
            Some(blob) => read_unhashed(repo, limit, &blob),
            None => Ok(BTreeMap::new()),
        };
        merge_unhashed(&mut files, &read(old)?, &read(new)?);
    }
    Ok(summarise(files, own, budget.listed_changes))
}

pub(crate) fn not_understood() -> Unmeasured {
    Unmeasured::GitFailed {
        doing: COMPARING,
        said: "its answer has an unknown form".to_owned(),
    }
}

pub(crate) fn read_unhashed(
    repo: &Repo,
    limit: Duration,
    blob: &str,
) -> Result<BTreeMap<Vec<u8>, Listed>, Unmeasured> {
    let mut command = repo.command("cat-file");
    command.args(["blob", blob]);
    let list = Running::spawn(&mut command, false, COMPARING, limit)?.output(LARGEST_LISTING)?;
    unhashed::read_list(&list).ok_or_else(not_understood)
}

/// Adds the differences between two lists of unhashed files.
///
/// A file that crossed from one kind to the other looks deleted in one place and added in
/// the other; together that is a modification.
fn merge_unhashed(
    files: &mut Paths,
    old: &BTreeMap<Vec<u8>, Listed>,
    new: &BTreeMap<Vec<u8>, Listed>,
) {
    for path in old.keys().chain(new.keys()) {
        let content = |list: &BTreeMap<Vec<u8>, Listed>| {
            let listed = list.get(path)?;
            Some(format!("size {}", listed.size).into_bytes())
        };
        let (left, came) = (content(old), content(new));
        let mut moved = shift::of(path, left.as_deref(), came.as_deref());
        if left.is_none() || came.is_none() {
            let read = files.get(path).map_or(0, |change| change.shift);
            moved = shift::and(moved, read);
        }
        let (kind, meaningful) = match (old.get(path), new.get(path)) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(old), Some(new)) => (ChangeKind::Modified, old.size != new.size),
            // Opening a file is no work, and what was in it before nobody knows.
            (Some(old), None) if old.closed && files.contains_key(path) => {
                (ChangeKind::Modified, false)
            }
            _ if files.contains_key(path) => (ChangeKind::Modified, true),
            (None, Some(new)) => (ChangeKind::Added, new.size > 0),
            (Some(old), None) => (ChangeKind::Deleted, old.size > 0),
            (None, None) => continue,
        };
        let change = FileChange {
            path: to_path(path),
            kind,
            added_lines: None,
            deleted_lines: None,
            meaningful,
            shift: moved,
        };
        files.insert(path.clone(), change);
    }
}

fn summarise(mut files: Paths, own: &[PathBuf], listed: usize) -> Changes {
    let is_own = |path: &Path| own.iter().any(|own| own == path);
    let mut kinds = KindCounts::default();
    for change in files.values_mut().filter(|change| change.meaningful) {
        change.meaningful = !is_own(&change.path) && !change.is_bookkeeping();
        kinds.add(if change.meaningful {
            change.file_kind()
        } else {
            FileKind::AgentState
        });
    }
    let work = files
        .values()
        .filter(|change| change.holds_work() && !is_own(&change.path));
    let meaningful = || files.values().filter(|change| change.meaningful);
    let lines = |count: fn(&FileChange) -> Option<u64>| meaningful().filter_map(count).sum();
    let of_kind = |kind| meaningful().filter(|change| change.kind == kind).count();
    Changes {
        shift: work.fold(0, |sum, change| shift::and(sum, change.shift)),
        total: files.len(),
        meaningful: meaningful().count(),
        added: of_kind(ChangeKind::Added),
        deleted: of_kind(ChangeKind::Deleted),
        added_lines: lines(|change| change.added_lines),
        deleted_lines: lines(|change| change.deleted_lines),
        kinds,
        files: files.into_values().take(listed).collect(),
    }
}

pub(crate) fn write_patch(
    repo: &Repo,
    limit: Duration,
    before: &SnapshotId,
    after: &SnapshotId,
    out: &mut dyn Write,
    cap: u64,
) -> Result<PatchSummary, Unmeasured> {
    let mut command = repo.command("diff-tree");
    command
        .args(["-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv"])
        .args([
            "--no-color",
            "--binary",
            "--full-index",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ])
        .arg(format!("--relative={FILES}"))
        .args([before.as_str(), after.as_str()]);
    let mut running = Running::spawn(&mut command, false, WRITING, limit)?;
    let mut summary = PatchSummary {
        written: 0,
        truncated: false,
    };
    let Some(mut patch) = running.take_stdout() else {
        return Ok(summary);
    };
    let mut buffer = vec![0; COPY_BUFFER];
    loop {
        let length = patch.read(&mut buffer).unwrap_or(0);
        if length == 0 {
            break;
        }
        let room = usize::try_from(cap - summary.written).unwrap_or(usize::MAX);
        let kept = &buffer[..length.min(room)];
        out.write_all(kept).map_err(Unmeasured::io(
            "write a patch to",
            "the given output".as_ref(),
        ))?;
        summary.written += kept.len() as u64;
        if kept.len() < length {
            summary.truncated = true;
            return Ok(summary);
        }
    }
    running.finish()?;
    Ok(summary)
}

/// A door for the fuzzer: reads what git might answer.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_listing(output: &[u8]) {
    let mut listing = Listing::default();
    let _ = listing.read_differences(output);
    let _ = listing.read_meaningful(output);
}
