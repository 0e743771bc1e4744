//! Files that git tracks are not cleaned away: its index says which those are.

use std::fs;

use crate::workspace::Workspace;
use fusebox_guard::Decision;

/// An index of version 2 with these names in it.
fn index(names: &[&str]) -> Vec<u8> {
    let mut index = b"DIRC\0\0\0\x02".to_vec();
    index.extend(u32::try_from(names.len()).expect("few").to_be_bytes());
    for name in names {
        let mut entry = vec![0; 62];
        entry[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
        entry.extend(name.bytes());
        entry.resize((entry.len() + 8) / 8 * 8, 0);
        index.extend(entry);
    }
    index
}

/// Everything protected but `memory`, in which there is a directory without files.
const TRACKED: [&str; 11] = [
    ".claude/agents/x.md",
    ".claude/settings.json",
    ".ralph/PROMPT.md",
    ".ralphrc",
    "AGENTS.md",
    "CLAUDE.md",
    "IMPLEMENTATION_PLAN.md",
    "fusebox.toml",
    "memory/m.md",
    "specs/a.md",
    "specs/sub/b.md",
];

#[test]
fn what_is_tracked_is_not_cleaned_away() {
    let workspace = Workspace::new();
    let root = workspace.path();
    fs::write(root.join(".git/index"), index(&TRACKED)).expect("an index");
    let judge = |command: &str| {
        let verdict = workspace.guard().judge_command(command.as_bytes(), root);
        verdict.decision
    };
    for command in [
        "git clean -fdx -e memory",
        "git clean -fd specs",
        "git clean -fd -- '*.md' ':!memory'",
        "git add -A && git clean -fdx -e memory",
        "git ls-files -o | xargs rm -f",
        "cd specs && git clean -fdx",
    ] {
        assert_eq!(judge(command), Decision::Allow, "{command}");
    }
    for command in [
        // A directory without files is nothing to git.
        "git clean -fd",
        "git clean -fd memory",
        "git rm -q --cached -r specs && git clean -fd specs",
        "git reset -q v1 && git clean -fd specs",
        "GIT_INDEX_FILE=build/i git clean -fd specs",
        "git --work-tree=. clean -fd specs",
        "rm .git/index; git clean -fd specs",
        "cp build/x.o .git/index; git clean -fd specs",
        "if grep -q x src/main.c; then git reset -q v1; fi; git clean -fd specs",
        "git ls-files | xargs rm -f",
        "git ls-files -oc | xargs rm -f",
        "git rm -r specs",
        "git clean -fd -e '!specs'",
    ] {
        assert_eq!(judge(command), Decision::Deny, "{command}");
    }
    let without_one: Vec<&str> = TRACKED
        .into_iter()
        .filter(|name| *name != "specs/a.md")
        .collect();
    fs::write(root.join(".git/index"), index(&without_one)).expect("an index");
    assert_eq!(judge("git clean -fd specs"), Decision::Deny);
    assert_eq!(judge("git clean -fd specs/sub"), Decision::Allow);
    assert_eq!(judge("git ls-files -o | xargs rm -f"), Decision::Deny);
    let mut long = index(&TRACKED);
    long.resize(1024 * 1024 + 1, 0);
    fs::write(root.join(".git/index"), long).expect("an index");
    assert_eq!(judge("git clean -fd specs/sub"), Decision::Deny);
}
