//! A workspace with everything protected in it, and things beside that are not.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use fusebox_guard::{Guard, Limits, Protected};
use tempfile::TempDir;

/// A throw-away workspace called `proj`.
pub(crate) struct Workspace {
    _home: TempDir,
    root: PathBuf,
}

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
    ("fusebox.toml", ""),
    (
        ".git/config",
        "[alias]\n\twipe = clean -fdx\n\tst = status\n",
    ),
];

impl Workspace {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let root = home.path().canonicalize().expect("its path").join("proj");
        for (name, content) in FILES {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, content).expect("a file");
        }
        fs::create_dir(root.join("memory/empty")).expect("a directory");
        let script = root.join("build/evil.sh");
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("a script");
        symlink("../specs", root.join("build/dlink")).expect("a link");
        symlink("../CLAUDE.md", root.join("build/flink")).expect("a link");
        Self { _home: home, root }
    }

    /// A guard that has time even on a busy machine and without optimisation.
    pub(crate) fn guard(&self) -> Guard {
        let limits = Limits {
            cpu: std::time::Duration::from_secs(5),
            wall: std::time::Duration::from_secs(20),
            ..Limits::default()
        };
        Guard::new(Protected::new(&self.root))
            .with_limits(limits)
            .with_environment([("HOME".to_owned(), "/nonexistent/home".to_owned())])
    }

    pub(crate) fn path(&self) -> &Path {
        &self.root
    }
}
