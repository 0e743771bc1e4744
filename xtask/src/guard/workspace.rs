//! A workspace with everything protected in it, things beside that are not, and a past.

#[path = "../../../crates/guard/tests/it/workspace/layout.rs"]
mod layout;

use anyhow::{Result, ensure};
use fusebox_guard::Protected;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A throw-away home with a workspace called `proj`.
pub(crate) struct Workspace(TempDir);

impl Workspace {
    pub(crate) fn new() -> Result<Self> {
        let workspace = Self(tempfile::tempdir()?);
        layout::lay_out(&workspace.root())?;
        workspace.commit()?;
        Ok(workspace)
    }

    /// An earlier state, so that going back to it does harm.
    fn commit(&self) -> Result<()> {
        let root = self.root();
        fs::write(root.join("CLAUDE.md"), "earlier\n")?;
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["add", "CLAUDE.md", "specs", "src", ".claude"],
            &["commit", "-qm", "first"],
        ] {
            let git = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
                .args(args)
                .current_dir(&root)
                .env("HOME", self.home())
                .status()?;
            ensure!(git.success(), "git {args:?} failed");
        }
        fs::write(root.join("CLAUDE.md"), "claude a\n")?;
        Ok(())
    }

    pub(crate) fn home(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        // A temporary directory may be reached through a link.
        let home = self.0.path().canonicalize();
        home.unwrap_or_else(|_| self.0.path().to_owned())
            .join("proj")
    }

    /// Everything protected, and what each file holds.
    pub(crate) fn protected_files(
        &self,
        protected: &Protected,
    ) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut pending = vec![self.root()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                let (path, kind) = (entry.path(), entry.file_type()?);
                let is_protected = protected.rule_of(&path).is_some();
                if kind.is_dir() {
                    pending.push(path.clone());
                    if is_protected {
                        found.insert(path, Vec::new());
                    }
                } else if is_protected && kind.is_file() {
                    let content = fs::read(&path)?;
                    found.insert(path, content);
                }
            }
        }
        Ok(found)
    }
}
