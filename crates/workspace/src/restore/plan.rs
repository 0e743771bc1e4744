//! What has to be done to get from one snapshot to another.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Left, LeftBecause};
use crate::changes::{self, COMPARING, LARGEST_LISTING};
use crate::child::Running;
use crate::import::{FILES, UNHASHED};
use crate::repo::Repo;
use crate::stamp::Kind;
use crate::unhashed::Listed;
use crate::walk::to_path;
use crate::{Budget, SnapshotId, Unmeasured, beneath};

/// The steps, sorted by path, and what cannot be done at all.
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) left: Vec<Left>,
}

pub(super) enum Step {
    Delete { path: Vec<u8> },
    Write(File),
}

/// A file or link to be written.
pub(super) struct File {
    pub(super) path: Vec<u8>,
    pub(super) kind: Kind,
    pub(super) blob: String,
    /// Whether the present snapshot holds what is there now. If not, nothing may be there.
    pub(super) replaces: bool,
}

type Unhashed = BTreeMap<Vec<u8>, Listed>;

impl Plan {
    pub(super) fn make(
        repo: &Repo,
        budget: &Budget,
        now: &SnapshotId,
        target: &SnapshotId,
    ) -> Result<Self, Unmeasured> {
        let mut command = repo.command("diff-tree");
        command
            .args(["-r", "-z", "--raw", "--no-renames"])
            .args([now.as_str(), target.as_str()]);
        let listing = Running::spawn(&mut command, false, COMPARING, budget.per_command)?
            .output(LARGEST_LISTING)?;
        let unhashed_of = |id: &SnapshotId| {
            let name = format!("{id}:{UNHASHED}");
            changes::read_unhashed(repo, budget.per_command, &name)
        };
        let (present, former) = (unhashed_of(now)?, unhashed_of(target)?);
        Self::from_listing(&listing, &present, &former).ok_or_else(changes::not_understood)
    }

    fn from_listing(listing: &[u8], present: &Unhashed, former: &Unhashed) -> Option<Self> {
        let mut plan = Self {
            steps: Vec::new(),
            left: Vec::new(),
        };
        let mut records = listing
            .split(|byte| *byte == 0)
            .filter(|record| !record.is_empty());
        while let Some(record) = records.next() {
            let path = records.next()?;
            if let Some(path) = path.strip_prefix(FILES.as_bytes()) {
                let step = Step::parse(std::str::from_utf8(record).ok()?, path)?;
                let is_stored = !present.contains_key(path) && !former.contains_key(path);
                plan.add(path, step, is_stored);
            }
        }
        let unknown = former
            .iter()
            .filter(|(path, listed)| present.get(*path) != Some(listed));
        for (path, _) in unknown {
            plan.leave(path, LeftBecause::NeverStored);
        }
        let new = present.keys().filter(|path| !former.contains_key(*path));
        for path in new {
            plan.leave(path, LeftBecause::WouldBeLost);
        }
        Some(plan)
    }

    /// Leaves alone what `spares` names, as far as it is there: what is brought back where
    /// nothing is harms nothing.
    pub(super) fn spare(&mut self, spares: impl Fn(&Path) -> bool) {
        let steps = std::mem::take(&mut self.steps);
        for step in steps {
            let harms = !matches!(&step, Step::Write(file) if !file.replaces);
            if harms && spares(&to_path(step.path())) {
                self.leave(step.path(), LeftBecause::Spared);
            } else {
                self.steps.push(step);
            }
        }
    }

    /// Takes up a step, unless the content before or after it is not stored anywhere. Such a
    /// file is left together with all other unhashed ones.
    fn add(&mut self, path: &[u8], step: Step, is_stored: bool) {
        if !is_ours(path) {
            self.leave(path, LeftBecause::Forbidden);
        } else if is_stored {
            self.steps.push(step);
        }
    }

    fn leave(&mut self, path: &[u8], why: LeftBecause) {
        self.left.push(Left {
            path: to_path(path),
            why,
        });
    }
}

impl Step {
    pub(super) fn path(&self) -> &[u8] {
        match self {
            Self::Delete { path } => path,
            Self::Write(file) => &file.path,
        }
    }

    /// Reads `:<old mode> <new mode> <old blob> <new blob> <status>`.
    fn parse(record: &str, path: &[u8]) -> Option<Self> {
        let record = record.strip_prefix(':')?;
        let [_, mode, _, blob, status] = *record.split(' ').collect::<Vec<_>>().as_slice() else {
            return None;
        };
        let path = path.to_vec();
        if status == "D" {
            return Some(Self::Delete { path });
        }
        let kind = [Kind::File, Kind::Executable, Kind::Symlink]
            .into_iter()
            .find(|kind| kind.git_mode() == mode)?;
        Some(Self::Write(File {
            path,
            kind,
            blob: blob.to_owned(),
            replaces: status != "A",
        }))
    }
}

/// Whether a path is one that a snapshot of ours can hold. The shadow is checked before it
/// is used, but what would be written here is not left to a check elsewhere.
fn is_ours(path: &[u8]) -> bool {
    let is_repository = |part: &[u8]| part.eq_ignore_ascii_case(b".git");
    beneath::split(path).is_some() && !path.split(|byte| *byte == b'/').any(is_repository)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_paths_are_never_written() {
        let id = "0".repeat(40);
        for path in [
            "../outside",
            "a/../../outside",
            "/etc/passwd",
            ".git/hooks/pre-commit",
            "a/.GIT/config",
            "a//b",
            "",
        ] {
            let listing = format!(":000000 100644 {id} {id} A\0files/{path}\0");
            let plan =
                Plan::from_listing(listing.as_bytes(), &Unhashed::new(), &Unhashed::new()).unwrap();
            assert!(plan.steps.is_empty(), "{path}");
            assert_eq!(plan.left[0].why, LeftBecause::Forbidden, "{path}");
        }
    }

    #[test]
    fn unknown_answers_are_refused() {
        for listing in [
            "garbage\0files/a\0",
            ":1 2 3 4\0files/a\0",
            ":100644 160000 1 2 M\0files/a\0",
            ":100644 100644 1 2 M\0",
        ] {
            let plan = Plan::from_listing(listing.as_bytes(), &Unhashed::new(), &Unhashed::new());
            assert!(plan.is_none(), "{listing:?}");
        }
    }
}
