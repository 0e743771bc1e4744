//! A workspace with everything protected in it, things beside that are not, and a past.

use anyhow::{Result, ensure};
use fusebox_guard::Protected;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    (".ralph/PROMPT.md", "prompt\n"),
    (".ralphrc", "settings\n"),
    ("IMPLEMENTATION_PLAN.md", "- [ ] plan\n"),
    ("AGENTS.md", "agents a plan\n"),
    ("specs/a.md", "a\n"),
    ("specs/sub/b.md", "b\n"),
    (".claude/settings.json", "{}\n"),
    (".claude/agents/x.md", "x\n"),
    ("CLAUDE.md", "claude a\n"),
    ("memory/m.md", "m\n"),
    ("build/CLAUDE.md", "other\n"),
    ("build/specs/a.md", "other\n"),
    ("build/x.o", ""),
    ("build/list", "specs\n"),
    ("build/evil.sh", "rm -rf specs\n"),
    (
        "build/p.patch",
        "--- a/CLAUDE.md\n+++ b/CLAUDE.md\n@@ -1 +1 @@\n-claude a\n+x\n",
    ),
    ("src/main.c", "int main(void) { return 0; }\n"),
    ("src/tmp/t", "t\n"),
];

/// A throw-away home with a workspace called `proj`.
pub(crate) struct Workspace(TempDir);

impl Workspace {
    pub(crate) fn new() -> Result<Self> {
        let workspace = Self(tempfile::tempdir()?);
        let root = workspace.root();
        for (name, content) in FILES {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&root))?;
            fs::write(path, content)?;
        }
        fs::create_dir(root.join("memory/empty"))?;
        fs::set_permissions(
            root.join("build/evil.sh"),
            fs::Permissions::from_mode(0o755),
        )?;
        symlink("../specs", root.join("build/dlink"))?;
        symlink("../CLAUDE.md", root.join("build/flink"))?;
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
