//! Others at the list that a run works through: another run, and people and workers elsewhere.

use std::fs;

use crate::call::wait_for;
use crate::run_tasks::{CHANGE, run, with_list};

const PLAN: &str = "- [ ] T-1 a\n- [ ] T-2 b\n";

/// Waits until there is a file beside the work tree.
fn until(name: &str) -> String {
    format!("while [ ! -e ../{name} ]; do sleep 0.05; done")
}

#[test]
fn what_the_agent_of_another_run_ticks_is_for_that_run_to_judge() {
    let tick = "sed -i 's/\\[ \\] T-2/[x] T-2/' fix_plan.md";
    let script = format!(
        "{CHANGE}; case $FUSEBOX_TASK in T-1) touch ../one; {}; finish 'Done.' ;; \
         *) {tick}; touch ../ticked; {}; finish 'Ticked.' ;; esac",
        until("ticked"),
        until("go"),
    );
    let Some(context) = with_list(&script, "fix_plan.md", PLAN) else {
        return;
    };
    let one = run(&["--test", "test -e never", "--max-iterations", "1"]);
    let one = context.among_stand_ins(&one).start();
    wait_for("the first agent", || context.path("one").exists());
    let options = run(&["--test", "true", "--max-iterations", "1"]);
    let other = [&["--circuit", "other"], options.as_slice()].concat();
    let other = context.among_stand_ins(&other).start();
    let one = one.finish().expect(45);
    fs::write(context.path("go"), "").unwrap();
    let other = other.finish().expect(45);
    assert!(!one.err().contains("T-2"), "{}", one.err());
    other.says("task T-2 is done: `true` succeeds");
    let plan = fs::read_to_string(context.work().join("fix_plan.md")).unwrap();
    assert_eq!(plan, PLAN.replace("[ ] T-2", "[x] T-2"));
}

/// Answers as `gh` does, of two issues whose states are files.
const GH: &str = r#"#!/bin/sh
dir="$(dirname "$(dirname "$(readlink -f "$0")")")"
echo "$@" >> "$dir/gh-calls"
state() { [ -e "$dir/closed-$1" ] && echo CLOSED || echo OPEN; }
issue() {
  printf '{"number":%s,"title":"issue %s","body":"","state":"%s","labels":[],"assignees":[]}' "$1" "$1" "$(state "$1")"
}
case "$1 $2" in
  "issue list")
    open=""
    for number in 1 2; do
      [ -e "$dir/closed-$number" ] || open="$open${open:+,}$(issue $number)"
    done
    printf '[%s]' "$open" ;;
  "issue view") issue "$3" ;;
  "issue close") touch "$dir/closed-$3" ;;
  "issue reopen") rm "$dir/closed-$3" ;;
esac
"#;

#[test]
fn an_issue_that_somebody_elsewhere_closes_during_an_iteration_stays_closed() {
    let wait = until("go");
    let script = format!("{CHANGE}; touch ../started; {wait}; finish 'Done.'");
    let Some(context) = with_list(&script, "README", "") else {
        return;
    };
    context.script("gh", GH);
    context.user_settings("[tasks]\nsource = \"github\"\n");
    let options = run(&["--test", "test -e never", "--max-iterations", "1"]);
    let running = context.among_stand_ins(&options).start();
    wait_for("the agent to start", || context.path("started").exists());
    for number in [1, 2] {
        fs::write(context.path(&format!("closed-{number}")), "").unwrap();
    }
    fs::write(context.path("go"), "").unwrap();
    running
        .finish()
        .expect(45)
        .says("task 1 was closed, but there is no evidence that it is done; it is open again")
        .says("task 2 was closed, but there is no evidence that it is done; it does not count as done");
    assert!(context.path("closed-2").exists());
    let calls = fs::read_to_string(context.path("gh-calls")).unwrap();
    assert!(!calls.contains("reopen 2"), "{calls}");
    assert!(!calls.contains("edit 2"), "{calls}");
    // What a person closes between two runs is done, and of the other nobody knows still.
    fs::write(context.path("closed-1"), "").unwrap();
    let next = context.among_stand_ins(&options).run().expect(43);
    next.says("1 left that cannot be started: 2")
        .says("fusebox tasks settle ID");
}
