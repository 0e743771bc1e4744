//! Where there is more than is told one by one, or more than is read, the answer stays no.

use std::fs;
use std::path::Path;

use crate::workspace::Workspace;
use fusebox_guard::{Action, Decision, Disk, LONGEST_SCRIPT, Mode, Protected, Rule, Tree};

#[test]
fn more_effects_and_findings_than_are_told_are_still_denied() {
    let workspace = Workspace::new();
    let files: Vec<String> = (0..2_100).map(|number| format!("build/{number}")).collect();
    let command = format!("rm {}", files[..2_000].join(" "));
    let verdict = workspace
        .guard()
        .judge_command(command.as_bytes(), workspace.path());
    assert_eq!(verdict.affected.len(), 2_000);
    assert_eq!(verdict.decision, Decision::Allow, "{}", verdict.why);
    // One more could be anything.
    let command = format!("rm {}", files[..2_001].join(" "));
    let verdict = workspace
        .guard()
        .judge_command(command.as_bytes(), workspace.path());
    assert_eq!(verdict.affected.len(), 2_000);
    let last = verdict.affected.last().expect("effects");
    assert_eq!(last.action, Action::Unknown);
    assert_eq!(verdict.decision, Decision::Deny);

    let rules = (0..70).map(|number| Rule::new(&format!("build/{number}"), Mode::Keep));
    let guard = fusebox_guard::Guard::new(Protected::with_rules(workspace.path(), rules.collect()));
    let command = format!("rm {}", files[..70].join(" "));
    let verdict = guard.judge_command(command.as_bytes(), workspace.path());
    assert_eq!(verdict.protected.len(), 64);
}

#[test]
fn a_script_is_read_up_to_its_longest_and_no_further() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let script = workspace.path().join("build/long.sh");
    for (length, decision) in [
        (LONGEST_SCRIPT, Decision::Allow),
        // What is not read could be anything.
        (LONGEST_SCRIPT + 1, Decision::Deny),
    ] {
        fs::write(&script, "#".repeat(length)).expect("a script");
        assert_eq!(Disk.read(&script).is_some(), decision == Decision::Allow);
        let verdict = guard.judge_command(b"bash build/long.sh", workspace.path());
        assert_eq!(verdict.decision, decision, "{length}: {}", verdict.why);
    }
}

#[test]
fn only_a_file_with_several_names_has_an_identity() {
    let workspace = Workspace::new();
    let path = |name: &str| workspace.path().join(name);
    assert_eq!(Disk.identity(&path("specs")), None);
    assert_eq!(Disk.identity(&path("CLAUDE.md")), None);
    fs::hard_link(path("CLAUDE.md"), path("build/hard")).expect("a link");
    let identity = Disk.identity(&path("CLAUDE.md"));
    assert!(identity.is_some());
    assert_eq!(identity, Disk.identity(&path("build/hard")));
    assert_eq!(Disk.identity(Path::new("/nonexistent")), None);
}

#[test]
fn tools_and_modes_are_told_by_their_names() {
    let names: Vec<&str> = Mode::ALL.iter().map(|mode| mode.name()).collect();
    assert_eq!(names, ["stay", "keep", "append", "frozen"]);
    let protected = Protected::new(Path::new("/w"));
    assert!(protected.tools().is_empty(), "{:?}", protected.tools());
    let tools = vec!["mcp__*".to_owned()];
    assert_eq!(protected.with_tools(tools.clone()).tools(), tools);
}
