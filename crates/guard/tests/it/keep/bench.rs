//! A workspace to lose things in.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fusebox_guard::Protected;
use fusebox_guard::keep::{Author, Bounds, Kept, Report};
use tempfile::TempDir;

use crate::workspace::Workspace;

/// A workspace whose protected files are kept elsewhere.
pub(crate) struct Bench {
    pub(crate) workspace: Workspace,
    pub(crate) vault: TempDir,
    pub(crate) protected: Protected,
    pub(crate) kept: Kept,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|protected| protected)
    }

    pub(crate) fn with(rules: impl FnOnce(Protected) -> Protected) -> Self {
        let workspace = Workspace::new();
        let vault = tempfile::tempdir().expect("a temporary directory");
        let protected = rules(workspace.guard().protected().clone());
        let (kept, taken) =
            Kept::take(vault.path(), &protected, Bounds::default()).expect("copies");
        assert_eq!((taken.changed, taken.left_out), (Vec::new(), Vec::new()));
        assert!(taken.kept > 10 && taken.bytes > 40, "{}", taken.kept);
        Self {
            workspace,
            vault,
            protected,
            kept,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.workspace.path().join(name)
    }

    pub(crate) fn settle(&mut self, author: Author<'_>) -> Report {
        self.kept.settle(&self.protected, author).expect("a look")
    }

    pub(crate) fn state(&self) -> BTreeMap<PathBuf, String> {
        state(&self.protected)
    }
}

pub(crate) const COMMANDS: Author<'_> = Author::Calls { writing: &[] };

/// Everything protected with what it is and holds.
pub(crate) fn state(protected: &Protected) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![protected.root().to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            let (path, about) = (entry.path(), entry.metadata().expect("a file"));
            if about.is_dir() {
                pending.push(path.clone());
            }
            if protected.rule_of(&path).is_none() {
                continue;
            }
            let content = if about.is_symlink() {
                format!("{:?}", path.read_link().expect("a link"))
            } else if about.is_dir() {
                String::new()
            } else {
                format!("{:o} {:?}", about.mode(), fs::read(&path).expect("a file"))
            };
            found.insert(path, content);
        }
    }
    found
}

pub(crate) fn sh(directory: &Path, command: &str) {
    let status = Command::new("sh")
        .args(["-c", command])
        .current_dir(directory)
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("sh runs").success(), "{command}");
}
