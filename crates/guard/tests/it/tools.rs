//! Tools that write files, and the modes of protection.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::workspace::Workspace;
use fusebox_guard::{Authority, Decision, Guard, Mode, Protected, Rule, Write};

#[test]
fn tools_update_protected_files_and_never_delete_them() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    symlink("../fusebox.toml", workspace.path().join("build/config")).expect("a link");
    for (path, write, expected) in [
        ("CLAUDE.md", Write::Update, Decision::Allow),
        ("specs/new.md", Write::Update, Decision::Allow),
        ("CLAUDE.md", Write::Delete, Decision::Deny),
        ("CLAUDE.md", Write::Rename, Decision::Deny),
        ("CLAUDE.md", Write::Unknown, Decision::Deny),
        ("specs", Write::Delete, Decision::Deny),
        (".", Write::Delete, Decision::Deny),
        ("build", Write::Delete, Decision::Allow),
        ("build/dlink", Write::Delete, Decision::Allow),
        ("build/dlink/a.md", Write::Delete, Decision::Deny),
        ("src/../CLAUDE.md", Write::Delete, Decision::Deny),
        ("fusebox.toml", Write::Update, Decision::Deny),
        ("build/config", Write::Update, Decision::Deny),
        ("/etc/hostname", Write::Delete, Decision::Allow),
    ] {
        let verdict = guard.judge_write("Edit", Path::new(path), workspace.path(), write);
        assert_eq!(
            verdict.decision, expected,
            "{path} {write:?}: {}",
            verdict.why
        );
    }
}

#[test]
fn a_patch_is_judged_by_every_file_it_names() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    for (patch, expected) in [
        (
            "*** Begin Patch\n*** Update File: CLAUDE.md\n-a\n+b\n",
            Decision::Allow,
        ),
        (
            "*** Update File: src/main.c\n*** Delete File: specs/a.md\n",
            Decision::Deny,
        ),
        (
            "*** Update File: CLAUDE.md\n*** Move to: x.md\n",
            Decision::Deny,
        ),
        (
            "*** Update File: src/main.c\n*** Move to: src/m.c\n",
            Decision::Allow,
        ),
        ("*** Add File: fusebox.toml\n+x\n", Decision::Deny),
    ] {
        let verdict = guard.judge_patch(patch, workspace.path());
        assert_eq!(verdict.decision, expected, "{patch}");
    }
}

#[test]
fn modes_wildcards_and_the_most_specific_rule() {
    let workspace = Workspace::new();
    let root = workspace.path();
    let protected = Protected::new(root)
        .and(Rule::new(".claude/settings.json", Mode::Frozen))
        .and(Rule::new("*.lock", Mode::Frozen))
        .and(Rule::new("docs/**/*.adoc", Mode::Keep))
        .and(Rule::new("src/log.txt", Mode::Append));
    std::fs::create_dir_all(root.join("docs/a/b")).expect("a directory");
    for file in ["docs/a/b/c.adoc", "src/log.txt"] {
        std::fs::write(root.join(file), "x\n").expect("a file");
    }
    let guard = Guard::new(protected.clone()).with_limits(fusebox_guard::Limits {
        cpu: std::time::Duration::from_secs(5),
        ..fusebox_guard::Limits::default()
    });
    for (command, expected) in [
        ("echo x >> .claude/settings.json", Decision::Deny),
        ("echo x >> .claude/agents/x.md", Decision::Allow),
        ("chmod 600 .claude/settings.json", Decision::Deny),
        ("chmod 600 CLAUDE.md", Decision::Allow),
        ("touch x > Cargo.lock", Decision::Deny),
        ("rm -rf docs", Decision::Deny),
        ("rm docs/a/b/c.adoc", Decision::Deny),
        ("rm -rf docs/a/b/none", Decision::Allow),
        ("rm docs/a/b/*.txt", Decision::Allow),
        ("echo x >> src/log.txt", Decision::Allow),
        ("echo x > src/log.txt", Decision::Deny),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), root);
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
    let edit = guard.judge_write("Edit", Path::new("src/log.txt"), root, Write::Update);
    assert_eq!(edit.decision, Decision::Deny);
    let strict = Guard::new(protected.without_append_by_shell());
    let append = strict.judge_command(b"echo x >> CLAUDE.md", root);
    assert_eq!(append.decision, Decision::Deny);
}

#[test]
fn the_rule_that_spells_out_most_holds_and_the_strictest_word_of_all() {
    let workspace = Workspace::new();
    let root = workspace.path();
    let elsewhere = root.parent().expect("a directory above").join("elsewhere");
    std::fs::create_dir_all(root.join("docs")).expect("a directory");
    std::fs::create_dir_all(root.join("build/nested/.git")).expect("a directory");
    for file in ["docs/plan.md", "build/nested/.git/index.lock"] {
        std::fs::write(root.join(file), "x\n").expect("a file");
    }
    let exact = || Rule::new("docs/plan.md", Mode::Append);
    let general = || Rule::new("docs/*", Mode::Frozen);
    let outside = Rule::new(&elsewhere.to_string_lossy(), Mode::Keep);
    let gone = format!("rm -rf {}", elsewhere.display());
    let adds = "echo x >> docs/plan.md";
    let repository = general().by(Authority::Repository);
    let machine = exact().by(Authority::Machine);
    for (rules, command, expected) in [
        (vec![exact(), general()], adds, Decision::Allow),
        (vec![general(), exact()], adds, Decision::Allow),
        (vec![general()], adds, Decision::Deny),
        // What one of them spells out does not undo what another says of more.
        (vec![repository, exact(), machine], adds, Decision::Deny),
        (vec![], &gone, Decision::Allow),
        (vec![outside], &gone, Decision::Deny),
        // What git keeps for itself is not looked through.
        (
            vec![Rule::new("**/*.lock", Mode::Frozen)],
            "rm -rf build/nested",
            Decision::Allow,
        ),
    ] {
        let protected = rules.into_iter().fold(Protected::new(root), Protected::and);
        let guard = Guard::new(protected);
        let verdict = guard.judge_command(command.as_bytes(), root);
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}

#[test]
fn only_tools_that_are_known_to_edit_may_update() {
    let workspace = Workspace::new();
    let root = workspace.path();
    let own = Protected::new(root).with_tools(vec!["mcp__edit*".to_owned()]);
    for (protected, tool, expected) in [
        (Protected::new(root), "Edit", Decision::Deny),
        (Protected::new(root), "mcp__editor", Decision::Deny),
        (own.clone(), "mcp__editor", Decision::Allow),
        (own, "Edit", Decision::Deny),
    ] {
        let guard = Guard::new(protected);
        let verdict = guard.judge_write(tool, Path::new("CLAUDE.md"), root, Write::Update);
        assert_eq!(verdict.decision, expected, "{tool}: {}", verdict.why);
    }
}

#[test]
fn what_is_allowed_says_whether_anything_would_be_affected() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    for (command, expected) in [
        ("ls", "no files affected"),
        ("rm build/x.o", "no protected files affected"),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), workspace.path());
        assert_eq!(verdict.why, expected, "{command}");
    }
}

#[test]
fn a_path_that_does_not_exist_yet_is_protected_too() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let root = home.path().canonicalize().expect("its path");
    let guard = Guard::new(Protected::new(&root));
    for (command, expected) in [
        ("echo x > fusebox.toml", Decision::Deny),
        ("echo x > CLAUDE.md", Decision::Allow),
        ("rm -rf specs", Decision::Deny),
        ("rm -rf specs/a.md", Decision::Allow),
        ("rm -rf fusebox.toml", Decision::Deny),
        ("rm -rf build", Decision::Allow),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), &root);
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}

#[test]
fn a_write_through_a_hard_link_is_seen() {
    let workspace = Workspace::new();
    let root = workspace.path();
    std::fs::hard_link(root.join("CLAUDE.md"), root.join("build/hard")).expect("a link");
    let verdict = workspace
        .guard()
        .judge_command(b"echo x > build/hard", root);
    assert_eq!(verdict.decision, Decision::Deny, "{}", verdict.why);
    let found: Vec<&Path> = verdict.protected.iter().map(|one| &*one.path).collect();
    assert_eq!(found, [root.join("CLAUDE.md")]);
    let verdict = workspace.guard().judge_command(b"rm build/hard", root);
    assert_eq!(verdict.decision, Decision::Allow, "{}", verdict.why);
}
