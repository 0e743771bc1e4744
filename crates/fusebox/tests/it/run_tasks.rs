//! `fusebox run --tasks`: a list that is worked through.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::call::wait_for;
use crate::context::{KEY, TestContext, nobody_can_play_a_person};
use crate::stand_in::IDLE;

/// Says that the task is done, in the block that loops look for.
pub(crate) const CLAIM: &str =
    r"finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'";
pub(crate) const CHANGE: &str = "echo $FUSEBOX_ITERATION >> a.txt";

const PRD: &str = r#"{"userStories": [
  {"id": "US-1", "title": "Log in", "description": "With a password.", "acceptanceCriteria": ["a form"], "priority": 1, "passes": false},
  {"id": "US-2", "title": "Log out", "priority": 2, "passes": false}
]}"#;

pub(crate) fn with_list(script: &str, file: &str, text: &str) -> Option<TestContext> {
    let context = TestContext::with_claude(script)?;
    context.put(file, text);
    Some(context)
}

/// Works through the list with the stand-in, and no prompt of one's own.
pub(crate) fn run<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", "--tasks", "--agent", "claude"];
    args.extend(options);
    args
}

pub(crate) fn ended(lines: &[Value]) -> &Value {
    lines.last().unwrap()
}

pub(crate) fn status(context: &TestContext, id: &str) -> Value {
    let tasks = context.tasks("list");
    tasks.into_iter().find(|task| task["id"] == id).unwrap()
}

#[test]
fn a_list_is_worked_through_and_every_task_closed_with_evidence() {
    let Some(context) = with_list(&format!("{CHANGE}; {CLAIM}"), "prd.json", PRD) else {
        return;
    };
    let options = run(&["--json", "--test", "true"]);
    let came = context.among_stand_ins(&options).run().expect(0);
    assert_eq!(ended(&came.json_lines())["reason"], "tasks_done");
    // What we write ourselves is no news, in this run or the next.
    let again = context.among_stand_ins(&options).run().expect(0);
    for told in [came.err(), again.err()] {
        assert!(!told.contains("was updated"), "{told}");
    }
    let list = std::fs::read_to_string(context.work().join("prd.json")).unwrap();
    assert_eq!(
        list,
        PRD.replace("\"passes\": false", "\"passes\": true"),
        "and nothing else has changed"
    );
    let told = context.told(1);
    for words in ["Your task: US-1 Log in", "With a password.", "- a form"] {
        assert!(told.contains(words), "{told}");
    }
    assert!(context.told(2).contains("Your task: US-2 Log out"));
    let first = status(&context, "US-1");
    assert_eq!(
        (&first["attempts"], &first["cost_micro_usd"]),
        (&json!(1), &json!(250_000))
    );
    assert_eq!(first["evidence"], "`true` succeeds");
    assert!(first["worked_ms"].as_u64().unwrap() > 0);
}

#[test]
fn without_anything_that_shows_the_end_it_does_not_begin() {
    let Some(context) = with_list(IDLE, "prd.json", PRD) else {
        return;
    };
    let refused = context.among_stand_ins(&run(&[])).run().expect(2);
    refused.says("nothing would show that a task is done");
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    let refused = context
        .among_stand_ins(&run(&["--test", "true"]))
        .run()
        .expect(6);
    refused.says("no task list found here");
}

#[test]
fn what_an_agent_closes_without_evidence_is_opened_again() {
    let script = format!("{CHANGE}; sed -i 's/\\[ \\] T-1/[x] T-1/' fix_plan.md; finish 'Ticked.'");
    let Some(context) = with_list(&script, "fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n") else {
        return;
    };
    let options = ["--test", "test -e proof", "--max-iterations", "1"];
    let came = context.among_stand_ins(&run(&options)).run().expect(45);
    came.says("task T-1 was closed, but there is no evidence that it is done");
    let plan = || std::fs::read_to_string(context.work().join("fix_plan.md")).unwrap();
    assert_eq!(plan(), "- [ ] T-1 a\n- [ ] T-2 b\n");
    // With evidence the tick is what it says, whatever the agent prints.
    std::fs::write(context.work().join("proof"), "").unwrap();
    let options = ["--test", "test -e proof", "--max-iterations", "1"];
    let came = context.among_stand_ins(&run(&options)).run().expect(45);
    came.says("task T-1 is done: `test -e proof` succeeds");
    assert_eq!(plan(), "- [x] T-1 a\n- [ ] T-2 b\n");
}

/// Three attempts at each task come first; that the tasks fail one after the other is
/// a pattern of its own, and stops the whole loop.
#[test]
fn req_004_109_and_115_to_117_three_attempts_at_each_task_and_then_the_loop_halts() {
    let plan = "- [ ] T-1 a\n- [ ] T-2 b\n- [ ] T-3 c\n";
    let Some(context) = with_list(&format!("{CHANGE}; finish 'Nearly.'"), "fix_plan.md", plan)
    else {
        return;
    };
    let options = [
        "--json",
        "--preset",
        "superkit",
        "--no-wait",
        "--on-stagnation",
        "abort",
        "--require",
        "done.txt",
        "--max-iterations",
        "12",
    ];
    let came = context.among_stand_ins(&run(&options)).run().expect(42);
    let lines = came.json_lines();
    assert_eq!(ended(&lines)["iterations"], 6);
    let answer = &ended(&lines)["answer"];
    assert_eq!(
        (&answer["rule"], &answer["state"]),
        (&json!("004.117"), &json!("Open"))
    );
    for iteration in 1..=6 {
        let task = if iteration <= 3 {
            "Your task: T-1"
        } else {
            "Your task: T-2"
        };
        assert!(
            context.told(iteration).contains(task),
            "iteration {iteration}"
        );
    }
    let (first, second, third) = (
        status(&context, "T-1"),
        status(&context, "T-2"),
        status(&context, "T-3"),
    );
    assert_eq!(
        (&first["attempts"], &second["attempts"], &third["attempts"]),
        (&json!(3), &json!(3), &json!(0))
    );
    // That way of working gives nothing up: they can be returned to.
    assert_eq!(
        (&first["status"], &second["status"]),
        (&json!("open"), &json!("open"))
    );
}

#[test]
fn a_task_that_has_had_its_attempts_is_set_aside_and_the_next_gets_its_turn() {
    let script =
        format!("{CHANGE}; case \"$FUSEBOX_TASK\" in T-2) {CLAIM};; *) finish 'Nearly.';; esac");
    let Some(context) = with_list(&script, "fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n") else {
        return;
    };
    context.user_settings("[tasks]\nattempts = 2\n");
    let came = context
        .among_stand_ins(&run(&["--json", "--test", "true"]))
        .run()
        .expect(43);
    assert_eq!(ended(&came.json_lines())["reason"], "tasks_left");
    came.says("the task is set aside: 2 attempts without completion");
    let first = status(&context, "T-1");
    assert_eq!(
        (&first["status"], &first["blocked_for"]),
        (&json!("blocked"), &json!("2 attempts without completion"))
    );
    assert_eq!(status(&context, "T-2")["status"], "done");
}

/// Changes a file, says so, and stays until it is told to go.
const WORK_AND_STAY: &str =
    "echo x >> a.txt; touch ../started; while [ ! -e ../go ]; do sleep 0.05; done; finish 'Done.'";

#[test]
fn req_000_010_to_013_and_108_a_run_that_is_killed_in_mid_iteration_gives_its_task_to_the_next() {
    let Some(context) = with_list(WORK_AND_STAY, "prd.json", PRD) else {
        return;
    };
    let options = run(&["--test", "true", "--max-iterations", "1"]);
    let mut killed = context.among_stand_ins(&options).start();
    wait_for("the agent to start", || context.path("started").exists());
    let ready: Vec<_> = context
        .tasks("ready")
        .iter()
        .map(|task| task["id"].clone())
        .collect();
    assert_eq!(ready, ["US-2"], "whose worker lives keeps its task");
    killed.signal(Signal::KILL);
    killed.child.wait().unwrap();
    let stale = context.tasks("stale");
    assert_eq!((stale.len(), &stale[0]["id"]), (1, &json!("US-1")));
    assert!(stale[0]["life"].as_str().unwrap().contains("is gone"));
    std::fs::write(context.path("go"), "").unwrap();
    let next = context.among_stand_ins(&options).run().expect(45);
    next.says("is gone; it can be started again")
        .says("task US-1");
    assert!(
        context
            .told(2)
            .contains("Somebody had begun with it and is gone")
    );
    let first = status(&context, "US-1");
    assert_eq!(
        (&first["status"], &first["reopens"]),
        (&json!("open"), &json!(1)),
        "given back at the end"
    );
}

#[test]
fn req_000_108_without_recovery_nothing_is_taken_from_anybody() {
    let Some(context) = with_list(WORK_AND_STAY, "prd.json", PRD) else {
        return;
    };
    context.user_settings("[tasks]\nrecover = false\n");
    let options = run(&["--test", "true", "--max-iterations", "1"]);
    let mut killed = context.among_stand_ins(&options).start();
    wait_for("the agent to start", || context.path("started").exists());
    killed.signal(Signal::KILL);
    killed.child.wait().unwrap();
    std::fs::write(context.path("go"), "").unwrap();
    context
        .among_stand_ins(&options)
        .run()
        .expect(45)
        .says("task US-2");
    assert_eq!(
        status(&context, "US-1")["stale"],
        true,
        "it is shown, and left alone"
    );
}

#[test]
fn req_000_051_and_d_045_skip_gives_the_task_up_and_goes_on_with_the_next() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = with_list(
        IDLE,
        "feature_list.json",
        r#"[{"id": "A", "title": "a", "status": "pending"}, {"id": "B", "title": "b", "status": "pending"}]"#,
    ) else {
        return;
    };
    context.hold_key();
    let options = run(&["--test", "true", "--answer", "s"]);
    let came = context
        .among_stand_ins(&options)
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(43);
    came.says("task A · a").says("task B · b");
    assert_eq!(context.calls().len(), 6, "three iterations on each");
    let (first, second) = (status(&context, "A"), status(&context, "B"));
    assert_eq!(first["status"], "blocked");
    assert!(
        first["blocked_for"]
            .as_str()
            .unwrap()
            .contains("No progress for 3")
    );
    assert_eq!(
        second["status"], "open",
        "the run was paused, and its task given back"
    );
    let list = std::fs::read_to_string(context.work().join("feature_list.json")).unwrap();
    assert!(
        list.contains(r#""title": "a", "status": "blocked""#),
        "{list}"
    );
    let history = context.fusebox(&["history"]).run().expect(0).out();
    assert!(
        history.contains("task blocked") && history.contains("A · No progress for 3"),
        "{history}"
    );
    let patterns = context
        .fusebox(&["history", "--patterns", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(patterns["trips"]["no_progress"], 2, "{patterns}");
}

#[test]
fn req_000_060_and_062_abort_gives_the_task_up_and_ends() {
    let Some(context) = with_list(IDLE, "prd.json", PRD) else {
        return;
    };
    let options = run(&["--test", "true", "--on-stagnation", "abort"]);
    let ended = context.among_stand_ins(&options).run().expect(42);
    ended
        .says("task US-1 is blocked: No progress for 3 iterations")
        .says("`fusebox tasks reopen US-1 --reason TEXT` takes it up again");
    assert_eq!(status(&context, "US-1")["status"], "blocked");
    assert_eq!(status(&context, "US-2")["status"], "open");
}

#[test]
fn a_plain_command_is_told_its_task_too() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.put("prd.json", PRD);
    let script = "cat > ../told; echo \"$FUSEBOX_TASK: $FUSEBOX_TASK_TITLE\" > ../task";
    context
        .supervise(&["--tasks", "--test", "true", "--once"], script)
        .run()
        .expect(0);
    assert!(
        std::fs::read_to_string(context.path("told"))
            .unwrap()
            .contains("Your task: US-1 Log in")
    );
    assert_eq!(
        std::fs::read_to_string(context.path("task")).unwrap(),
        "US-1: Log in\n"
    );
}

#[test]
fn an_agent_may_close_its_task_itself_where_the_evidence_agrees() {
    let script = format!(
        "{CHANGE}; $FUSEBOX_PROGRAM tasks done \"$FUSEBOX_TASK\" 2>> ../said; finish 'Closed.'"
    );
    let Some(context) = with_list(&script, "prd.json", PRD) else {
        return;
    };
    for (command, most, code, passes) in [("false", "1", 45, 0), ("true", "3", 0, 2)] {
        context.user_settings(&format!("[evidence]\ntest = \"{command}\"\n"));
        let call = context.among_stand_ins(&run(&["--max-iterations", most]));
        let call = call.env("FUSEBOX_PROGRAM", crate::context::FUSEBOX);
        call.run().expect(code);
        let list = std::fs::read_to_string(context.work().join("prd.json")).unwrap();
        assert_eq!(
            list.matches("\"passes\": true").count(),
            passes,
            "{command}"
        );
    }
}
