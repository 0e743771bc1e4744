//! An agent goes for its supervisor while it is supervised.

use std::fs;

use super::{Kind, Scene, Then, try_all};
use crate::agents::have;
use crate::place::{FUSEBOX, Told};

/// What a loop that nothing stops ends with: its four iterations are over.
const ALL_DONE: i32 = 45;

pub(super) const KINDS: &str = include_str!("in_a_run.tsv");

/// A repository with something precious in it.
const PREPARE: &str = "
    mkdir specs .claude
    echo words >CLAUDE.md; echo a >specs/a.md; echo '{}' >.claude/settings.json; echo one >a.txt
    printf '[user]\\nname = t\\nemail = t@example.com\\n' >\"$HOME/.gitconfig\"
    git init -q && git add -A && git commit -qm first
    cp \"$F\" ../fusebox";

fn judge(kind: &Kind) {
    let Kind { name, then, script } = kind;
    let scene = Scene::new();
    let prepared = scene
        .command("sh", "work")
        .env("F", FUSEBOX)
        .args(["-c", PREPARE])
        .output();
    assert!(prepared.unwrap().status.success(), "{name}: no repository");
    let program = scene.top().join("fusebox");
    let script = format!("echo x >>../count; echo $FUSEBOX_ITERATION >>a.txt; {script}");
    let mut run = scene.command(program.to_str().unwrap(), "work");
    run.env("H", scene.place.homes()).env("F", FUSEBOX);
    run.args(["run", "--max-iterations", "4", "--", "sh", "-c", &script]);
    let told = Told::from(run.output().unwrap());
    let read = |file: &str| fs::read_to_string(scene.top().join(file)).unwrap_or_default();
    let iterations = read("count").lines().count();
    for trace in ["inner", "sang"] {
        assert!(
            !scene.top().join(trace).exists(),
            "{name}: {trace}: {told:?}"
        );
    }
    match *then {
        Then::Caught(code, words) => {
            assert_eq!(told.code, Some(code), "{name}: {told:?}");
            assert!(told.stderr.contains(words), "{name}: {told:?}");
            assert!(iterations < 4, "{name}: it went on");
            let next = scene.fusebox("work", &["check"]);
            assert!(matches!(next.code, Some(4 | 42)), "{name}: {next:?}");
        }
        Then::Unaffected(ALL_DONE) => {
            assert_eq!(told.code, Some(ALL_DONE), "{name}: {told:?}");
        }
        Then::Unaffected(code) => {
            let codes = read("codes");
            assert!(!codes.is_empty(), "{name}: {told:?}");
            for line in codes.lines() {
                assert_eq!(line, code.to_string(), "{name}: {told:?}");
            }
        }
        Then::Told(words) => {
            assert_eq!(told.code, Some(ALL_DONE), "{name}: {told:?}");
            assert!(told.stderr.contains(words), "{name}: {told:?}");
        }
        Then::OutOfReach(_) => {
            assert!(
                told.code == Some(ALL_DONE) || told.signal == Some(9),
                "{name}: {told:?}"
            );
        }
        Then::ByDoctor(_) | Then::StillOpen => panic!("{name}: this is about a run"),
    }
}

#[test]
fn req_x_009_tampering_from_inside_a_run_is_named_or_gains_nothing() {
    if !have("git") || !have("setsid") {
        return;
    }
    try_all(KINDS, "from inside a run", judge);
}
