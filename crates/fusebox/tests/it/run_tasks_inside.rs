//! What an agent does to its list, and with our own commands, from inside `run --tasks`.

use std::fs;

use crate::call::wait_for;
use crate::context::{FUSEBOX, TestContext};
use crate::run_tasks::{CHANGE, CLAIM, ended, run, status, with_list};
use crate::stand_in::IDLE;

pub(crate) const FILE: &str = "fix_plan.md";
pub(crate) const OPEN: &str = "- [ ] T-1 a\n- [ ] T-2 b\n- [ ] T-3 c\n";
/// Ticks every box there is.
const TICK_ALL: &str = "sed -i 's/\\[ \\]/[x]/' fix_plan.md";

/// An agent that types `commands` of ours, what they say being kept.
fn typing(commands: &[&str], then: &str) -> Option<TestContext> {
    let typed: Vec<String> = commands
        .iter()
        .map(|command| format!("$FUSEBOX_PROGRAM {command} 2>> ../said"))
        .collect();
    let script = format!("{CHANGE}; {}; {then}; finish 'Done.'", typed.join("; "));
    with_list(&script, FILE, OPEN)
}

fn plan(context: &TestContext) -> String {
    fs::read_to_string(context.work().join(FILE)).unwrap()
}

fn said(context: &TestContext) -> String {
    fs::read_to_string(context.path("said")).unwrap()
}

#[test]
fn an_agent_that_gives_its_task_back_and_ticks_every_box_has_closed_none() {
    let Some(context) = typing(&["tasks release \"$FUSEBOX_TASK\""], TICK_ALL) else {
        return;
    };
    let options = run(&["--test", "false", "--max-iterations", "2"]);
    let call = context
        .among_stand_ins(&options)
        .env("FUSEBOX_PROGRAM", FUSEBOX);
    let mut came = call.run().expect(45);
    for id in ["T-1", "T-2", "T-3"] {
        came = came.says(&format!(
            "task {id} was closed, but there is no evidence that it is done; it is open again"
        ));
    }
    assert_eq!(plan(&context), OPEN);
    assert!(
        said(&context).contains("the run has taken it"),
        "{}",
        said(&context)
    );
    assert_eq!(status(&context, "T-1")["attempts"], 2);
}

#[test]
fn evidence_of_an_agents_own_configuration_closes_nothing() {
    let commands = [
        "--config ../own.toml tasks done \"$FUSEBOX_TASK\"",
        "--config ../own.toml tasks done T-2",
    ];
    let Some(context) = typing(&commands, "true") else {
        return;
    };
    fs::write(context.path("own.toml"), "[evidence]\ntest = \"true\"\n").unwrap();
    let options = run(&["--test", "false", "--max-iterations", "2"]);
    let call = context
        .among_stand_ins(&options)
        .env("FUSEBOX_PROGRAM", FUSEBOX);
    call.run().expect(45);
    assert_eq!(plan(&context), OPEN);
    let said = said(&context);
    for words in [
        "T-1 is said to be done; the run looks whether anything shows it",
        "task T-2 cannot be closed here: this run works on T-1",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn an_agent_may_give_its_task_up_and_not_take_it_up_again() {
    let commands = [
        "tasks block \"$FUSEBOX_TASK\" --reason hard",
        "tasks reopen \"$FUSEBOX_TASK\" --reason easy",
    ];
    let Some(context) = typing(&commands, "true") else {
        return;
    };
    let options = run(&["--json", "--test", "true", "--max-iterations", "9"]);
    let call = context
        .among_stand_ins(&options)
        .env("FUSEBOX_PROGRAM", FUSEBOX);
    let came = call.run().expect(43);
    assert_eq!(ended(&came.json_lines())["reason"], "tasks_left");
    assert_eq!(context.calls().len(), 3, "one iteration on each");
    let said = said(&context);
    assert!(
        said.contains("taking a task up again is refused here"),
        "{said}"
    );
    assert_eq!(status(&context, "T-1")["status"], "blocked");
}

#[test]
fn what_somebody_outside_has_shown_to_be_done_stays_done() {
    let wait = "touch ../started; while [ ! -e ../go ]; do sleep 0.05; done";
    let script = format!("{CHANGE}; {wait}; {TICK_ALL}; finish 'Done.'");
    let Some(context) = with_list(&script, FILE, OPEN) else {
        return;
    };
    context.user_settings("[evidence]\ntest = \"true\"\n");
    let options = run(&["--test", "false", "--max-iterations", "1"]);
    let running = context.among_stand_ins(&options).start();
    wait_for("the agent to start", || context.path("started").exists());
    context.fusebox(&["tasks", "done", "T-2"]).run().expect(0);
    fs::write(context.path("go"), "").unwrap();
    running.finish().expect(45);
    assert_eq!(plan(&context), OPEN.replace("[ ] T-2", "[x] T-2"));
}

#[test]
fn boxes_that_an_agent_ticks_with_the_evidence_on_its_side_stay_ticked() {
    let script = format!("{CHANGE}; {TICK_ALL}; {CLAIM}");
    let Some(context) = with_list(&script, FILE, OPEN) else {
        return;
    };
    let options = run(&["--test", "true", "--max-iterations", "9"]);
    context.among_stand_ins(&options).run().expect(0);
    assert_eq!(plan(&context), OPEN.replace("[ ]", "[x]"));
}

#[test]
fn tasks_that_an_agent_puts_off_or_deletes_are_not_done() {
    let rest = "- [ ] T-1 a\\n# Optional\\n- [ ] T-2 b\\n";
    let script = format!("{CHANGE}; printf -- '{rest}' > fix_plan.md; {CLAIM}");
    let Some(context) = with_list(&script, FILE, OPEN) else {
        return;
    };
    let options = run(&["--json", "--test", "true", "--max-iterations", "9"]);
    let came = context.among_stand_ins(&options).run().expect(43);
    came.says("task T-2 was put off meanwhile; it does not count as done")
        .says("task T-3 is gone from the list; it does not count as done")
        .says("2 left that cannot be started: T-2, T-3");
    assert_eq!(status(&context, "T-1")["status"], "done");
}

#[test]
fn of_many_tasks_that_vanish_a_few_are_told_one_by_one() {
    let boxes: String = (1..=21).map(|n| format!("- [ ] T-{n} a\n")).collect();
    let script = format!("{CHANGE}; printf -- '- [ ] T-1 a\\n' > fix_plan.md; finish 'Fewer.'");
    let Some(context) = with_list(&script, FILE, &boxes) else {
        return;
    };
    let options = run(&["--test", "true", "--max-iterations", "1"]);
    let came = context.among_stand_ins(&options).run().expect(45);
    let told = came.err().matches("is gone from the list;").count();
    assert_eq!(told, 8, "{}", came.err());
    came.says("and 12 more tasks");
}

/// A plan without names of its own, whose first box is ticked and whose second is reworded
/// by the first iteration; `then` is what becomes of the second one at once.
fn rewording(then: &str) -> Option<TestContext> {
    let script = format!(
        "{CHANGE}; case $(cat ../told-$FUSEBOX_ITERATION) in \
         *parser*) sed -i 's/\\[ \\] write the parser/[x] write the parser/; s/\\[ \\] write the lexer/{then}/' fix_plan.md ;; \
         *) {TICK_ALL} ;; esac; finish 'Ticked.'"
    );
    let plan = "- [ ] write the parser\n- [ ] write the lexer\n";
    with_list(&script, FILE, plan)
}

#[test]
fn a_box_that_an_agent_rewords_is_the_same_task_in_other_words() {
    let Some(context) = rewording("[ ] write the lexer, with strings") else {
        return;
    };
    let options = run(&["--json", "--test", "true", "--max-iterations", "9"]);
    let came = context.among_stand_ins(&options).run().expect(0);
    assert_eq!(ended(&came.json_lines())["reason"], "tasks_done");
    came.says("stands in its place");
    assert_eq!(context.calls().len(), 2, "one iteration on each");
    // Nor is a box done because it was ticked in other words: nothing shows it.
    let Some(context) = rewording("[x] write the lexer, with strings") else {
        return;
    };
    let options = run(&["--test", "false", "--max-iterations", "1"]);
    context.among_stand_ins(&options).run().expect(45);
    let open = "- [ ] write the parser\n- [ ] write the lexer, with strings\n";
    assert_eq!(plan(&context), open);
}

#[test]
fn a_box_that_is_reworded_and_ticked_at_once_is_done_where_the_evidence_agrees() {
    let script = format!(
        "{CHANGE}; sed -i 's/\\[ \\] write the parser/[x] write the parser, all of it/' fix_plan.md; finish 'Ticked.'"
    );
    let Some(context) = with_list(&script, FILE, "- [ ] write the parser\n") else {
        return;
    };
    let options = run(&["--test", "true", "--max-iterations", "9"]);
    let came = context.among_stand_ins(&options).run().expect(0);
    came.says("is done, and gone from the list: `true` succeeds");
}

#[test]
fn a_box_without_a_name_that_is_deleted_is_not_done_and_the_advice_says_what_to_do() {
    let Some(context) = rewording("") else {
        return;
    };
    let options = run(&["--test", "true", "--max-iterations", "9"]);
    let came = context.among_stand_ins(&options).run().expect(43);
    came.says("is gone from the list; it does not count as done")
        .says("1 left that cannot be started: box-")
        .says("put back into the list what is still to be done");
}

#[test]
fn a_task_that_its_agent_deletes_is_set_aside_and_the_next_gets_its_turn() {
    const TWO: &str = "- [ ] T-1 a\n- [ ] T-2 b\n";
    let delete = "sed -i \"/$FUSEBOX_TASK/d\" fix_plan.md; echo '- [x] Z z' >> fix_plan.md";
    let Some(context) = with_list(&format!("{CHANGE}; {delete}; {CLAIM}"), FILE, TWO) else {
        return;
    };
    let options = run(&["--json", "--test", "test -e ok", "--max-iterations", "9"]);
    let came = context.among_stand_ins(&options).run().expect(43);
    came.says(
        "task T-1 is gone from the list, but there is no evidence that it is done; it is set aside",
    )
    .says("task T-2 · T-2 b")
    .says("2 left that cannot be started: T-1, T-2");
    // With the evidence on its side, that is how some plans are kept.
    context.put("ok", "");
    context.put(FILE, TWO);
    let came = context.among_stand_ins(&options).run().expect(0);
    assert_eq!(ended(&came.json_lines())["reason"], "tasks_done");
    came.says("task T-2 is done, and gone from the list: `test -e ok` succeeds");
}

/// Kills the supervisor it runs under.
pub(crate) const KILL: &str = "kill -9 $(awk '/PPid/ {print $2}' /proc/$PPID/status); sleep 5";

#[test]
fn boxes_ticked_before_the_supervisor_died_are_opened_again() {
    for check_between in [false, true] {
        let script = format!("if [ ! -e ../again ]; then {TICK_ALL}; {KILL}; fi; {IDLE}");
        let Some(context) = with_list(&script, FILE, OPEN) else {
            return;
        };
        let options = run(&["--test", "false", "--max-iterations", "1"]);
        context.among_stand_ins(&options).run();
        assert_eq!(plan(&context), OPEN.replace("[ ]", "[x]"));
        if check_between {
            context.fusebox(&["check"]).run();
        }
        fs::write(context.path("again"), "").unwrap();
        let came = context.among_stand_ins(&options).run();
        came.says(
            "task T-2 was closed, but there is no evidence that it is done; it is open again",
        );
        assert_eq!(plan(&context), OPEN, "{check_between}");
    }
}

#[test]
fn how_the_tasks_stood_is_missed_when_it_is_gone_or_changed() {
    let kept = "../state/fusebox/*/run-default.tasks";
    for (harm, told, between) in [
        ("rm", "before the last iteration is gone", None),
        (
            "rm",
            "before the last iteration is gone",
            Some(&["check"][..]),
        ),
        (
            "rm",
            "before the last iteration is gone",
            Some(&["run", "--max-iterations", "1", "--", "true"]),
        ),
        (
            "sed -i s/T-2/T-4/",
            "before the last iteration was changed",
            None,
        ),
    ] {
        let script = format!("{TICK_ALL}; {harm} {kept}; {KILL}");
        let Some(context) = with_list(&script, FILE, OPEN) else {
            return;
        };
        let options = run(&["--test", "false", "--max-iterations", "1"]);
        context.among_stand_ins(&options).run();
        // Whoever settles what the supervisor had under way does not look at the list.
        between.map(|args| context.fusebox(args).run());
        let options = run(&["--test", "false", "--on-stagnation", "abort"]);
        let came = context.among_stand_ins(&options).run().expect(42);
        came.says(told);
        assert_eq!(context.calls().len(), 1, "{harm}: it went on");
    }
}
