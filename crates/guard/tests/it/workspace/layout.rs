//! A workspace with everything protected in it, and things beside that are not: what tests and
//! chores judge commands in.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::{fs, io};

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

/// Makes the workspace at `root`.
pub(crate) fn lay_out(root: &Path) -> io::Result<()> {
    for (name, content) in FILES {
        put(root, name, content)?;
    }
    fs::create_dir(root.join("memory/empty"))?;
    let script = root.join("build/evil.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755))?;
    symlink("../specs", root.join("build/dlink"))?;
    symlink("../CLAUDE.md", root.join("build/flink"))
}

/// Writes a file, and the directories above it.
pub(crate) fn put(root: &Path, name: &str, content: &str) -> io::Result<()> {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap_or(root))?;
    fs::write(path, content)
}
