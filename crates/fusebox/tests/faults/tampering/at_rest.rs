//! Somebody has a while alone with an open breaker, and nothing runs.

use std::fs;

use super::{Kind, Scene, Then, try_all};
use crate::openings::Openings;
use crate::place::{FUSEBOX, Told};

pub(super) const KINDS: &str = include_str!("at_rest.tsv");

/// What the scripts use, before each of them.
const HANDS: &str = r#"
set -e
refused() { want=$1; shift; got=0; "$@" || got=$?; [ "$got" = "$want" ]; }
zero() { s=$(stat -c %s "$1"); : >"$1"; truncate -s "$s" "$1"; }
# The first of them alone: a number in what frames a record may be a line break.
swap() { sed "0,/$1/s//$2/" "$3" >"$H/swapped"; cat "$H/swapped" >"$3"; }
astray() {
    set -- "$H"/state/fusebox/index/*
    cp "$2" "$H/index"; cp "$1" "$2"; cp "$H/index" "$1"
}
"#;

/// Finds the memory of `$TOP/work` among all of them, and keeps a copy from before the trip. It
/// trips since nothing happens, so that time alone would let the next step pass, if it could be
/// made to seem over.
const PREPARE: &str = r#"
set -e
mkdir "$TOP/elsewhere"; (cd "$TOP/elsewhere" && "$F" -q record --files-changed 1)
"$F" -q record --files-changed 1
"$F" -q --circuit other record --files-changed 1
cp -a "$H/state" "$H/old-state"; cp -a "$H/data" "$H/old-data"
for left in 0 0 42; do
    rm -rf "$H/last-data"; cp -a "$H/data" "$H/last-data"
    got=0; "$F" -q record --files-changed 0 || got=$?; [ $got = $left ]
done
for ws in "$H"/state/fusebox/*/; do
    ws=${ws%/}
    [ -e "$ws/workspace" ] || continue
    if [ -d "$ws/circuits/other" ]; then echo "$ws" >"$H/ws"; else echo "$ws" >"$H/elsewhere"; fi
done
"#;

fn tampered(script: &str) -> Scene {
    let scene = Scene::new();
    let shell = |script: &str, more: &[(&str, String)]| {
        let mut command = scene.command("sh", "work");
        command
            .env("TOP", scene.top())
            .env("H", scene.place.homes())
            .env("F", FUSEBOX)
            .envs(more.iter().map(|(name, value)| (*name, value.as_str())))
            .args(["-c", script]);
        Told::from(command.output().unwrap())
    };
    let prepared = shell(PREPARE, &[]);
    assert_eq!(prepared.code, Some(0), "{prepared:?}");
    let homes = scene.place.homes();
    let read = |name: &str| {
        let text = fs::read_to_string(homes.join(name)).unwrap();
        text.trim().to_owned()
    };
    let memory = read("ws");
    let id = memory.rsplit('/').next().unwrap().to_owned();
    let below = |name: &str| homes.join(name).display().to_string();
    let known = [
        ("C", format!("{memory}/circuits/default")),
        ("HEAD", below(&format!("data/fusebox/heads/{id}/default"))),
        (
            "OLD_C",
            below(&format!("old-state/fusebox/{id}/circuits/default")),
        ),
        (
            "OLD_HEAD",
            below(&format!("old-data/fusebox/heads/{id}/default")),
        ),
        (
            "LAST_HEAD",
            below(&format!("last-data/fusebox/heads/{id}/default")),
        ),
        ("ELSEWHERE", read("elsewhere")),
        // Of the word `planted`.
        (
            "SHA",
            "372eb3774802a8d97badd0f3afdabbf7a17ef8a1f900b394db99a460b893406c".to_owned(),
        ),
        ("WS", memory),
    ];
    let before = scene.fingerprint();
    let done = shell(&format!("{HANDS}{script}"), &known);
    assert_eq!(done.code, Some(0), "the attack failed: {script}: {done:?}");
    // An attempt that is refused changes nothing, and says itself that it was one.
    assert!(
        script.contains("refused") || scene.fingerprint() != before,
        "the attack changed nothing: {script}"
    );
    scene
}

/// Where the next check stands, and with which memory.
fn next_check(scene: &Scene, args: &[&str]) -> Told {
    let directory = fs::read_to_string(scene.top().join("cd"));
    let directory = directory.unwrap_or_else(|_| "work".to_owned());
    let mut command = scene.command(FUSEBOX, directory.trim());
    // As a shell says it that went there.
    command.env("PWD", scene.top().join(directory.trim()));
    if scene.place.homes().join("state-home").exists() {
        command.env("XDG_STATE_HOME", scene.place.homes().join("else"));
    }
    let library = scene.place.homes().join("yes.so");
    if library.exists() {
        command.env("LD_PRELOAD", library);
    }
    Told::from(command.args(args).output().unwrap())
}

fn judge(kind: &Kind, openings: &Openings) {
    let Kind { name, then, script } = kind;
    let scene = tampered(script);
    let told = next_check(&scene, &["check"]);
    assert!(!scene.top().join("released").exists(), "{name}: released");
    if !matches!(then, Then::OutOfReach { .. }) {
        openings.must_deny(told.code, name);
    }
    match *then {
        Then::Caught(code, words) => {
            assert_eq!(told.code, Some(code), "{name}: {told:?}");
            assert!(told.stderr.contains(words), "{name}: {told:?}");
            let again = next_check(&scene, &["check"]);
            assert_eq!(again.code, Some(code), "{name}: {again:?}");
            let run = next_check(&scene, &["run", "--once", "--", "touch", "../ran"]);
            assert_ne!(run.code, Some(0), "{name}: {run:?}");
        }
        Then::ByDoctor(words) => {
            assert_eq!(told.code, Some(42), "{name}: {told:?}");
            let doctor = next_check(&scene, &["doctor"]);
            assert_eq!(doctor.code, Some(4), "{name}: {doctor:?}");
            let said = format!("{}{}", doctor.stdout, doctor.stderr);
            assert!(said.contains(words), "{name}: {said}");
            assert_eq!(next_check(&scene, &["check"]).code, Some(4), "{name}");
        }
        Then::StillOpen | Then::Unaffected(_) => {
            assert_eq!(told.code, Some(42), "{name}: {told:?}");
        }
        Then::Told(_) => panic!("{name}: this is about what lies still"),
        Then::OutOfReach { .. } => {
            assert_eq!(told.code, Some(0), "{name} is within reach now: {told:?}");
        }
    }
    let ran = ["ran", "work/ran"]
        .iter()
        .any(|file| scene.top().join(file).exists());
    assert!(!ran, "{name}: the loop ran");
}

#[test]
fn req_x_004_and_x_009_tampering_with_an_open_breaker_is_named_or_gains_nothing() {
    let openings = Openings::default();
    try_all(KINDS, "at rest", |kind| judge(kind, &openings));
    openings.tell();
}
