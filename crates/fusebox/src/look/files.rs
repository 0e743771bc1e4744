//! What an iteration left behind: what it printed, what it changed.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use fusebox_files::regular::{self, Links};

use crate::trail;

/// What stands where something was left out.
const CUT: &str = "…";

/// A file of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Artifact {
    /// What the agent printed.
    Output,
    /// What it changed.
    Changes,
    /// Which tools it called.
    Calls,
}

impl Artifact {
    fn name(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Changes => "changes.patch",
            Self::Calls => "calls.json",
        }
    }
}

/// Which iteration is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration<'a> {
    pub(crate) circuit: &'a str,
    pub(crate) number: u64,
    /// When it was reported.
    pub(crate) reported_ms: i64,
}

/// How much of a file is wanted, and from which end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    First(u64),
    Last(u64),
}

/// A file of an iteration; `None` where it was not kept.
pub(crate) fn open(
    workspace_dir: &Path,
    iteration: &Iteration<'_>,
    artifact: Artifact,
) -> Option<File> {
    let dir = directory(&workspace_dir.join("runs"), iteration)?;
    regular::open(&dir.join(artifact.name()), Links::Refuse).ok()
}

/// A part of a file of an iteration; `None` where it was not kept.
pub(crate) fn read(
    workspace_dir: &Path,
    iteration: &Iteration<'_>,
    artifact: Artifact,
    end: End,
) -> Option<String> {
    let mut file = open(workspace_dir, iteration, artifact)?;
    let len = file.metadata().ok()?.len();
    let (skipped, most) = match end {
        End::First(most) => (0, most),
        End::Last(most) => (len.saturating_sub(most), most),
    };
    file.seek(SeekFrom::Start(skipped)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(match end {
        End::First(_) if len > most => format!("{text}\n{CUT}\n"),
        End::Last(_) if skipped > 0 => format!("{CUT}\n{text}"),
        End::First(_) | End::Last(_) => text.into_owned(),
    })
}

/// The directories of runs are named after the time they began, and several
/// loops of a workspace may be under way at once: the latest of this circuit
/// that had begun when the iteration was reported is the one.
fn directory(runs: &Path, iteration: &Iteration<'_>) -> Option<PathBuf> {
    let reported = trail::run_time(iteration.reported_ms);
    let entries = fs::read_dir(runs).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| trail::circuit_of(name) == Some(iteration.circuit))
        .filter(|name| name.as_str() <= reported.as_str() || name.starts_with(&reported))
        .collect();
    names.sort();
    let number = trail::iteration_name(iteration.number);
    let dirs = names.iter().rev().map(|run| runs.join(run).join(&number));
    dirs.into_iter().find(|dir| dir.is_dir())
}
