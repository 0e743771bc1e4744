//! A table of commands and whether something protected would be lost by them.

use std::path::Path;

use crate::workspace::{Workspace, one_is_enough};
use fusebox_guard::{Action, Decision, Target, Verdict, batch};

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
                assert!(!one_is_enough(), "{wrong:#?}");
            }
        },
    );
    assert!(wrong.is_empty(), "{score}: {wrong:#?}");
    assert_eq!(score.block.0, score.block.1, "{score}");
    assert_eq!(score.allow.0, score.allow.1, "{score}");
    assert!(score.block.1 > 400 && score.allow.1 > 200, "{score}");
}

/// The third column of the table: everything that the command would affect and what is told
/// instead. A verdict may be right by luck; what it is derived from may not.
/// `FUSEBOX_UPDATE_CASES=1` writes the column anew, for a person to read the difference.
#[test]
fn each_command_affects_exactly_what_is_written_beside_it() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let mut written = String::new();
    let mut wrong = Vec::new();
    for line in CASES.lines() {
        let Some(case) = batch::Case::parse(line) else {
            written.push_str(line);
            written.push('\n');
            continue;
        };
        let verdict = guard.judge_command(case.command.as_bytes(), workspace.path());
        let told = batch::escaped(&told(&verdict, workspace.path()));
        let expected = line.split('\t').nth(2).unwrap_or_default();
        if told != expected {
            wrong.push((case.command.clone(), expected.to_owned(), told.clone()));
            assert!(!one_is_enough(), "{wrong:#?}");
        }
        let command = batch::escaped(&case.command);
        written.push_str(&format!("{}\t{command}\t{told}\n", case.expected));
    }
    if std::env::var_os("FUSEBOX_UPDATE_CASES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cases.tsv");
        std::fs::write(path, written).expect("the table");
        return;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a verdict says, without the name of the throw-away directory and without what is
/// elsewhere on this machine.
fn told(verdict: &Verdict, root: &Path) -> String {
    let above = root.parent().expect("a directory above");
    let affected = verdict.affected.iter().filter_map(|effect| {
        let target = match &effect.target {
            Target::Path(path) | Target::Tree(path) if !path.starts_with(above) => above
                .starts_with(path)
                .then(|| "what is above".to_owned())?,
            target => target.to_string(),
        };
        Some(format!("{} {target}", effect.action))
    });
    let stopped = verdict.stopped.iter().map(ToString::to_string);
    let instead = verdict
        .alternative
        .iter()
        .map(|other| format!("instead {other}"));
    let told: Vec<String> = affected.chain(stopped).chain(instead).collect();
    let told = told.join("; ").replace(&*root.to_string_lossy(), ".");
    told.replace(&*above.to_string_lossy(), "..")
}

/// Whoever has another table names it in `FUSEBOX_GUARD_CASES`.
#[test]
fn cases_from_elsewhere_are_met() {
    let Some(file) = std::env::var_os("FUSEBOX_GUARD_CASES") else {
        eprintln!("SKIPPED: FUSEBOX_GUARD_CASES names no table");
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

/// What stands for files that are not looked at is no name to show.
#[test]
fn files_that_are_not_looked_at_have_no_name() {
    let workspace = Workspace::new();
    let command = b"find . -name 'CLAUDE.*' -print0 | xargs -0 rm";
    let verdict = workspace.guard().judge_command(command, workspace.path());
    assert_eq!(verdict.decision, Decision::Deny);
    assert!(verdict.why.contains("…` would delete"), "{}", verdict.why);
    let told: Vec<String> = verdict
        .affected
        .iter()
        .map(|one| one.target.to_string())
        .collect();
    assert!(told.contains(&"other files".to_owned()), "{told:?}");
    assert!(!told.concat().contains("nonexistent"), "{told:?}");
    let named: Vec<_> = verdict
        .affected
        .iter()
        .filter_map(|one| one.target.path())
        .collect();
    assert!(
        named.contains(&&*workspace.path().join("CLAUDE.md")),
        "{named:?}"
    );
    assert_eq!(named.len(), told.len() - 1, "{named:?}");
}

#[test]
fn req_004_067_and_d_079_a_list_of_tasks_may_be_rewritten_and_never_lost() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let judge = |command: &str| {
        guard
            .judge_command(command.as_bytes(), workspace.path())
            .decision
    };
    for path in fusebox_guard::TASK_LISTS {
        for command in [
            format!("rm -r {path}"),
            format!("mv {path} elsewhere"),
            format!("git rm -f {path}"),
            format!("truncate -s 0 {path}"),
        ] {
            assert_eq!(judge(&command), Decision::Deny, "{command}");
        }
        for command in [
            format!("jq .a {path} > new && mv new {path}"),
            format!("sed -i s/a/b/ {path}"),
            format!("echo x >> {path}"),
        ] {
            assert_eq!(judge(&command), Decision::Allow, "{command}");
        }
    }
}
