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

#[test]
fn with_a_wildcard_git_cleans_ignored_directories_whatever_they_are_called() {
    let workspace = Workspace::new();
    let root = workspace.path();
    fs::write(root.join(".gitignore"), ".ralph/\n*.log\n").expect("a list");
    let judge = |command: &str, tracked: &[&str]| {
        fs::write(root.join(".git/index"), index(tracked)).expect("an index");
        let verdict = workspace.guard().judge_command(command.as_bytes(), root);
        verdict.decision
    };
    let others: Vec<&str> = TRACKED
        .into_iter()
        .filter(|name| !name.starts_with(".ralph/"))
        .collect();
    for (command, tracked, decision) in [
        ("git clean -fX -- '*.log'", &others[..], Decision::Deny),
        ("git clean -fX -- '*.log'", &TRACKED, Decision::Allow),
        ("git clean -fX -- run.log", &others, Decision::Allow),
        ("git clean -nX -- '*.log'", &others, Decision::Allow),
    ] {
        assert_eq!(judge(command, tracked), decision, "{command}");
    }
}

/// git as it is, where there is one.
fn git(root: &std::path::Path, words: &[&str]) -> Option<()> {
    let git = std::process::Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(words)
        .current_dir(root)
        .output();
    git.ok()?.status.success().then_some(())
}

#[test]
fn what_is_as_the_index_has_it_and_what_is_ignored_is_in_no_danger() {
    let workspace = Workspace::new();
    let root = workspace.path();
    fs::write(
        root.join(".gitignore"),
        "# own\n.claude/settings.local.json\nbuild/\n",
    )
    .expect("a file");
    fs::remove_dir_all(root.join(".git")).expect("no sketch");
    for path in ["memory", "specs"] {
        let empty = fs::read_dir(root.join(path)).expect("a directory");
        for entry in empty.flatten().filter(|entry| entry.path().is_dir()) {
            fs::write(entry.path().join("kept.md"), "x").expect("a file");
        }
    }
    // The index has to be younger than what is in it.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let begun = git(root, &["init", "-q"])
        .and_then(|()| git(root, &["add", "-Af"]))
        .and_then(|()| git(root, &["commit", "-qm", "one"]));
    if begun.is_none() {
        eprintln!("SKIPPED: there is no git");
        return;
    }
    fs::write(root.join(".claude/settings.local.json"), "{}").expect("a file");
    let judge = |command: &str| {
        let verdict = workspace.guard().judge_command(command.as_bytes(), root);
        verdict.decision
    };
    let careless = ["git checkout .", "git restore .", "git checkout -- specs"];
    for command in careless.into_iter().chain(["git clean -fd"]) {
        assert_eq!(judge(command), Decision::Allow, "{command}");
    }
    for command in [
        "echo x >> CLAUDE.md; git checkout .",
        "git add -A; git reset -q HEAD~1; git checkout .",
        "git checkout HEAD -- .",
        "git checkout HEAD .",
        "git restore -s HEAD .",
        "git checkout -f",
        "git clean -fdx",
        "git clean -fdX",
        "echo '!x' >> .gitignore; git clean -fd",
    ] {
        assert_eq!(judge(command), Decision::Deny, "{command}");
    }
    fs::write(root.join("specs/a.md"), "changed").expect("a file");
    for command in careless {
        assert_eq!(judge(command), Decision::Deny, "{command}");
    }
    assert_eq!(judge("git checkout CLAUDE.md"), Decision::Allow);
}
