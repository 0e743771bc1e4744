//! Somebody was at what a command relies on, and the command is asked.

use std::fs;

use super::{Kind, Scene, Then, kinds, try_all};
use crate::agents::have;
use crate::place::{FUSEBOX, Told};

pub(super) const KINDS: &str = include_str!("asked.tsv");

const HANDS: &str = "set -e
refused() { want=$1; shift; got=0; \"$@\" || got=$?; [ $got = $want ]; }
";

fn judge(kind: &Kind) {
    let Kind { name, then, script } = kind;
    let parts: Vec<_> = script.split('\t').collect();
    let [before, attack, question] = parts[..] else {
        panic!("{name}: `{script}` is not what was before, an attack and a question");
    };
    let scene = Scene::new();
    let shell = |script: &str| {
        let mut command = scene.command("sh", "work");
        command.env("TOP", scene.top()).env("F", FUSEBOX);
        command.env("H", scene.place.homes()).args(["-c", script]);
        Told::from(command.output().unwrap())
    };
    let prepared = shell(&format!("{HANDS}{before}"));
    assert_eq!(prepared.code, Some(0), "{name}: {prepared:?}");
    let was = scene.fingerprint();
    let done = shell(&format!("{HANDS}{attack}"));
    assert_eq!(done.code, Some(0), "{name}: the attack failed: {done:?}");
    assert_ne!(
        scene.fingerprint(),
        was,
        "{name}: the attack changed nothing"
    );
    let answered = |code: i32, words: &str| {
        let told = shell(question);
        let said = format!("{}{}", told.stdout, told.stderr);
        assert_eq!(told.code, Some(code), "{name}: {told:?}");
        assert!(said.contains(words), "{name}: {told:?}");
    };
    match *then {
        Then::Caught(code, words) => {
            answered(code, words);
            answered(code, words);
        }
        Then::Unaffected(code) | Then::OutOfReach { code, .. } => answered(code, ""),
        Then::ByDoctor(_) | Then::StillOpen | Then::Told(_) => {
            panic!("{name}: this is about a question")
        }
    }
}

/// The control for configurations that would relax: what a repository may not set, the user may,
/// and then the same is let through.
#[test]
fn what_tampering_would_set_does_relax_the_breaker_for_its_user() {
    let kinds = kinds(KINDS);
    for (name, setting) in [
        (
            "a configuration that would raise a threshold",
            "stagnation.threshold = 99",
        ),
        (
            "a configuration that would end the wait",
            "recovery.cooldown = \"1s\"",
        ),
    ] {
        let kind = kinds.iter().find(|kind| kind.name == name).unwrap();
        assert!(kind.script.contains(setting), "{name}");
        let scene = Scene::new();
        fs::write(scene.place.homes().join("config.toml"), setting).unwrap();
        let (script, homes) = (kind.script.replace('\t', "\n"), scene.place.homes());
        let mut command = scene.command("sh", "work");
        command.env("F", FUSEBOX).env("H", homes);
        let told = Told::from(command.args(["-c", &script]).output().unwrap());
        assert_eq!(told.code, Some(0), "{name}: {told:?}");
    }
}

#[test]
fn tampering_with_what_a_command_relies_on_is_named_or_gains_nothing() {
    if !have("git") {
        return;
    }
    try_all(KINDS, "what commands rely on", judge);
}
