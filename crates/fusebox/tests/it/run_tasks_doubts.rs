//! What an agent made of its list in an earlier run, which no later one may take for done.

use std::fs;

use crate::context::{FUSEBOX, KEY, TestContext, nobody_can_play_a_person};
use crate::run_tasks::{CHANGE, CLAIM, run, with_list};
use crate::run_tasks_inside::{FILE, KILL, OPEN};
use crate::stand_in::IDLE;

/// A list whose first run of `most` iterations loses T-2 and T-3 in the way that `then` says; the
/// agents of later ones work.
fn after_a_run_that_lost(then: &str, most: &str) -> Option<TestContext> {
    let script = format!("{CHANGE}; if [ ! -e ../again ]; then {then}; {IDLE}; else {CLAIM}; fi");
    let context = with_list(&script, FILE, OPEN)?;
    let options = run(&["--test", "false", "--max-iterations", most]);
    context.among_stand_ins(&options).run();
    fs::write(context.path("again"), "").unwrap();
    Some(context)
}

const DELETE: &str = "printf -- '- [ ] T-1 a\\n' > fix_plan.md";
const PUT_OFF: &str =
    "printf -- '- [ ] T-1 a\\n# Optional\\n- [ ] T-2 b\\n- [ ] T-3 c\\n' > fix_plan.md";

/// What is said of it by every later run, until they are back.
fn is_still_not_done(then: &str, most: &str) {
    let Some(context) = after_a_run_that_lost(then, most) else {
        return;
    };
    let options = run(&["--test", "true", "--max-iterations", "9"]);
    for _ in 0..2 {
        let came = context.among_stand_ins(&options).run().expect(43);
        came.says("2 left that cannot be started: T-2, T-3")
            .says("fusebox tasks settle");
    }
    // They are back, and worked on; what a person then deletes is nobody's doubt.
    context.put(FILE, OPEN);
    context.among_stand_ins(&options).run().expect(0);
    context.put(FILE, "- [ ] T-4 d\n");
    context.among_stand_ins(&options).run().expect(0);
}

#[test]
fn what_an_agent_deleted_or_put_off_in_an_earlier_run_is_still_not_done() {
    is_still_not_done(DELETE, "1");
    is_still_not_done(PUT_OFF, "1");
}

#[test]
fn nor_is_it_done_where_the_earlier_run_was_killed_at_once() {
    is_still_not_done(&format!("{DELETE}; {KILL}"), "1");
}

#[test]
fn nor_is_it_done_where_the_earlier_run_was_killed_in_its_second_iteration() {
    let later = format!("{DELETE}; [ $FUSEBOX_ITERATION = 2 ] && {KILL}");
    is_still_not_done(&later, "2");
}

#[test]
fn a_person_and_nobody_else_says_that_a_task_was_meant_to_go() {
    let Some(context) = after_a_run_that_lost(DELETE, "1") else {
        return;
    };
    context
        .fusebox(&["tasks", "list"])
        .run()
        .expect(0)
        .says("not to be done by their list, and nothing shows why: T-2, T-3");
    let settle = ["tasks", "settle", "T-2", "T-3", "--reason", "not needed"];
    context
        .fusebox(&settle)
        .run()
        .expect(5)
        .says("needs a person");
    context
        .fusebox(&["tasks", "settle", "T-1", "--reason", "x"])
        .run()
        .expect(5)
        .says("task T-1 has nothing to settle");
    if nobody_can_play_a_person() {
        return;
    }
    context.hold_key();
    let by_person = context.fusebox(&settle).env("FUSEBOX_OPERATOR_KEY", KEY);
    by_person.run().expect(0).says("T-2, T-3");
    let options = run(&["--test", "true", "--max-iterations", "9"]);
    context.among_stand_ins(&options).run().expect(0);
}

#[test]
fn nothing_that_an_agent_types_takes_a_doubt_back() {
    if nobody_can_play_a_person() {
        return;
    }
    let settle = "$FUSEBOX_PROGRAM tasks settle T-2 T-3 --reason x 2>> ../said";
    let then = format!("{DELETE}; FUSEBOX_OPERATOR_KEY={KEY} {settle}");
    let Some(context) = with_list(&format!("{CHANGE}; {then}; {CLAIM}"), FILE, OPEN) else {
        return;
    };
    context.hold_key();
    // The second finds what the first has lost.
    for rest in [OPEN, "- [ ] T-1 a\n"] {
        context.put(FILE, rest);
        let options = run(&["--test", "true", "--max-iterations", "9"]);
        let call = context.among_stand_ins(&options);
        let came = call.env("FUSEBOX_PROGRAM", FUSEBOX).run().expect(43);
        came.says("2 left that cannot be started: T-2, T-3");
    }
    let said = fs::read_to_string(context.path("said")).unwrap();
    assert_eq!(said.matches("is refused").count(), 1, "{said}");
    assert!(said.contains("task T-2 has nothing to settle"), "{said}");
}
