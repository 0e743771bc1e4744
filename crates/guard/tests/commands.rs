//! A table of commands and whether something protected would be lost by them.

mod workspace;

use std::path::Path;

use fusebox_guard::{Action, Decision, batch};
use workspace::Workspace;

const CASES: &str = include_str!("cases.tsv");

#[test]
fn destructive_commands_are_denied_and_no_others() {
    let workspace = Workspace::new();
    let mut wrong = Vec::new();
    let score = batch::run(
        &workspace.guard(),
        workspace.path(),
        CASES,
        |case, decision| {
            let expected = match case.expected.as_str() {
                "block" => Decision::Deny,
                _ => Decision::Allow,
            };
            if decision != expected {
                wrong.push(case.clone());
            }
        },
    );
    assert!(wrong.is_empty(), "{score}: {wrong:#?}");
    assert!(score.block.1 > 400 && score.allow.1 > 200, "{score}");
}

/// Whoever has another table names it in `FUSEBOX_GUARD_CASES`.
#[test]
fn cases_from_elsewhere_are_met() {
    let Some(file) = std::env::var_os("FUSEBOX_GUARD_CASES") else {
        eprintln!("skipped: FUSEBOX_GUARD_CASES names no table");
        return;
    };
    let table = std::fs::read_to_string(file).expect("a table");
    let workspace = Workspace::new();
    let score = batch::run(&workspace.guard(), workspace.path(), &table, |_, _| {});
    assert!(score.block.0 * 100 >= score.block.1 * 95, "{score}");
    assert_eq!(score.allow.0, score.allow.1, "{score}");
}

#[test]
fn req_004_057_to_064_each_protected_path_is_kept_from_every_kind_of_loss() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    for path in fusebox_guard::DEFAULT {
        let plain = path.trim_end_matches('/');
        for command in [
            format!("rm -rf {path}"),
            format!("mv {plain} elsewhere"),
            format!("git rm -rf {path}"),
            format!("git clean -fdx {path}"),
            format!("git checkout -- {path}"),
            format!("find {path} -delete"),
            format!("P={plain}; rm -rf \"$P\""),
        ] {
            let verdict = guard.judge_command(command.as_bytes(), workspace.path());
            assert_eq!(verdict.decision, Decision::Deny, "{command}");
        }
        let harmless = format!("ls -la {path}; git log -- {path}; cp -r {plain} build/");
        let verdict = guard.judge_command(harmless.as_bytes(), workspace.path());
        assert_eq!(
            verdict.decision,
            Decision::Allow,
            "{harmless}: {}",
            verdict.why
        );
    }
}

#[test]
fn req_004_068_to_070_clean_rm_and_recursive_removal_are_stopped_where_they_target_something_protected()
 {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    for (command, expected) in [
        ("git clean -fd", Decision::Deny),
        ("git clean -fd build", Decision::Allow),
        ("git wipe", Decision::Deny),
        ("git st", Decision::Allow),
        ("git rm -r specs", Decision::Deny),
        ("git rm -r src", Decision::Allow),
        ("rm -rf .claude", Decision::Deny),
        ("rm -rf build", Decision::Allow),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), workspace.path());
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}

#[test]
fn req_004_071_to_074_the_checklist_lists_checks_and_decides() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let verdict = guard.judge_command(b"rm -rf build specs", workspace.path());
    let affected: Vec<String> = verdict
        .affected
        .iter()
        .map(|effect| effect.target.to_string())
        .collect();
    assert_eq!(affected.len(), 2, "{affected:?}");
    assert_eq!(verdict.decision, Decision::Deny);
    let [finding] = verdict.protected.as_slice() else {
        panic!("one finding: {:?}", verdict.protected);
    };
    assert_eq!(finding.action, Action::Delete);
    assert_eq!(finding.path, workspace.path().join("specs"));
    assert_eq!(finding.rule.pattern(), "specs");
    assert_eq!(
        verdict.why,
        "`rm -rf build specs` would delete specs, which is protected"
    );

    let verdict = guard.judge_command(b"rm -rf build", workspace.path());
    assert_eq!(
        (verdict.decision, verdict.protected.len()),
        (Decision::Allow, 0)
    );
    assert_eq!(verdict.affected.len(), 1);
}

#[test]
fn every_alternative_is_one_that_the_guard_allows() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let cases = CASES.lines().filter_map(batch::Case::parse);
    let mut told = 0;
    for case in cases.filter(|case| case.expected == "block") {
        let verdict = guard.judge_command(case.command.as_bytes(), workspace.path());
        let Some(alternative) = verdict.alternative else {
            assert!(
                verdict.stopped.is_some(),
                "no alternative: {}",
                case.command
            );
            continue;
        };
        let again = guard.judge_command(alternative.as_bytes(), workspace.path());
        assert_eq!(again.decision, Decision::Allow, "{alternative}");
        told += 1;
    }
    assert!(told > 400, "{told}");
}

#[test]
fn a_command_from_outside_the_root_reaches_in_as_well() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let above = workspace.path().parent().expect("a parent");
    for (command, directory, expected) in [
        ("rm -rf proj", above, Decision::Deny),
        ("rm -rf proj/build", above, Decision::Allow),
        ("mv proj other", above, Decision::Deny),
        ("rm -rf *", above, Decision::Deny),
        ("rm -rf specs", Path::new("/usr"), Decision::Allow),
        (
            "git clean -fdx",
            &workspace.path().join("build"),
            Decision::Allow,
        ),
        (
            "git reset --hard",
            &workspace.path().join("build"),
            Decision::Deny,
        ),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), directory);
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}
