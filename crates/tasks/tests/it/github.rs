//! Issues on GitHub, with a stand-in for its command.

use std::fs;
use std::process::Command;

use fusebox_tasks::{SourceError, Status, TaskError};

use crate::support::{HOUR, Place, at, program, ready, somebody};

/// Answers as `gh` does, and keeps the labels of two issues in files.
const GH: &str = r#"#!/bin/sh
dir="$(dirname "$(readlink -f "$0")")"
echo "$@" >> "$dir/calls"
issue() {
  labels=$(cat "$dir/labels-$1" 2>/dev/null)
  state=$(cat "$dir/state-$1" 2>/dev/null || echo OPEN)
  printf '{"number":%s,"title":"issue %s","body":"do it","state":"%s","labels":[%s],"assignees":[{"login":"me"}]}' "$1" "$1" "$state" "$labels"
}
case "$1 $2" in
  "issue list") printf '['; issue 12; printf ','; issue 7; printf ']' ;;
  "issue view") issue "$3" ;;
  "issue edit")
    [ -e "$dir/made" ] || { echo "could not add label: 'in-progress' not found" >&2; exit 1; }
    case "$*" in
      *"--add-label in-progress"*) printf '{"name":"in-progress"}' > "$dir/labels-$3" ;;
      *"--add-label blocked"*) printf '{"name":"blocked"}' > "$dir/labels-$3" ;;
      *) : > "$dir/labels-$3" ;;
    esac ;;
  "label create") : > "$dir/made" ;;
  "issue close") echo CLOSED > "$dir/state-$3" ;;
  "issue reopen") rm "$dir/state-$3" ;;
  "issue comment") ;;
  "api --paginate") echo '[{"event":"labeled","label":{"name":"bug"},"created_at":"2026-01-31T11:00:00Z"},{"event":"labeled","label":{"name":"in-progress"},"created_at":"2026-01-31T12:00:00Z"},{"event":"commented"}]' ;;
  *) echo "unknown command $*" >&2; exit 1 ;;
esac
"#;

#[test]
fn issues_are_claimed_by_a_label_and_judged_by_when_it_was_given() {
    let mut place = Place::new();
    let script = place.dir.path().join("gh-stand-in");
    fs::write(&script, GH).unwrap();
    Command::new("chmod")
        .arg("+x")
        .arg(&script)
        .status()
        .unwrap();
    place.path = program(&place, "gh", &script);
    assert!(
        place.try_desk(None).unwrap().is_none(),
        "the network is used only where somebody asks for it"
    );
    let mut desk = place.try_desk(Some("github")).unwrap().unwrap();
    assert_eq!(ready(&desk.look(&at(0)).unwrap()), ["7", "12"]);
    desk.claim("7", &somebody("w"), &at(0)).unwrap();
    assert_eq!(ready(&desk.look(&at(1)).unwrap()), ["12"]);
    // Somebody without our record sees the label, and when it was given.
    fs::remove_dir_all(place.own()).unwrap();
    fs::remove_file(place.witness()).unwrap();
    let mut stranger = place.try_desk(Some("github")).unwrap().unwrap();
    let items = stranger.look(&at(HOUR)).unwrap();
    assert_eq!(items[0].started_ms(), Some(at(0).wall_ms));
    assert_eq!(ready(&items), ["12"]);
    assert!(matches!(
        stranger.claim("7", &somebody("x"), &at(60)),
        Err(TaskError::Taken { .. })
    ));
    assert_eq!(ready(&stranger.look(&at(HOUR + 1)).unwrap()), ["7", "12"]);
    assert_eq!(stranger.recover("x", &at(HOUR + 1)).unwrap().len(), 1);
    // What `gh` would take for something else is nobody's task.
    for id in ["--web", "https://example.org/a/b/issues/7", ""] {
        let claimed = stranger.claim(id, &somebody("x"), &at(HOUR));
        assert!(matches!(
            claimed,
            Err(TaskError::Source(SourceError::NoSuchTask { .. }))
        ));
    }
    let calls = fs::read_to_string(place.dir.path().join("calls")).unwrap();
    assert!(!calls.contains("--web") && !calls.contains("example.org"));
    stranger.block("12", None, "no way", &at(2 * HOUR)).unwrap();
    assert_eq!(
        stranger.find("12", &at(2 * HOUR)).unwrap().status,
        Status::Blocked
    );
    stranger.claim("7", &somebody("x"), &at(2 * HOUR)).unwrap();
    stranger
        .done("7", None, "tests pass", &at(2 * HOUR))
        .unwrap();
    assert_eq!(
        stranger.find("7", &at(2 * HOUR)).unwrap().status,
        Status::Done
    );
    let calls = fs::read_to_string(place.dir.path().join("calls")).unwrap();
    assert!(
        calls.contains("issue close 7 --comment tests pass"),
        "{calls}"
    );
}
