//! What an agent says of its task while it works through a list, and what is made of it.

use crate::context::TestContext;
use crate::run_tasks::{CHANGE, CLAIM, run, with_list};

const PLAN: &str = "- [ ] T-1 a\n- [ ] T-2 b\n- [ ] T-3 c\n";

/// Says that it is done, and that it changed three files.
const BOAST: &str = r"finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\nFILES_MODIFIED: 3\n---END_RALPH_STATUS---'";

#[test]
fn req_d_062_a_claim_that_a_measurement_contradicts_closes_nothing() {
    for also in ["true", "sed -i '0,/\\[ \\]/s//[x]/' fix_plan.md"] {
        let script = format!("{also}; {BOAST}");
        let Some(context) = with_list(&script, "fix_plan.md", PLAN) else {
            return;
        };
        let options = run(&["--test", "true", "--no-wait", "--max-iterations", "2"]);
        let came = context.among_stand_ins(&options).run().expect(45);
        came.says("the agent says that it is done and that 3 files changed, but nothing did");
        let plan = std::fs::read_to_string(context.work().join("fix_plan.md")).unwrap();
        assert_eq!(plan, PLAN, "{also}");
        let told = context.told(2);
        assert!(told.contains("so it was not believed"), "{told}");
    }
    // Nor does it complete a run without a list.
    let context = TestContext::with_claude(BOAST).unwrap();
    let options = [
        "run", "--agent", "claude", "--prompt", "go", "--test", "true",
    ];
    let options = [options.as_slice(), &["--max-iterations", "1"]].concat();
    let came = context.among_stand_ins(&options).run().expect(45);
    came.says("that shows nothing");
}

#[test]
fn what_was_done_already_may_be_closed_without_a_change() {
    let boxes = "sed -i '0,/\\[ \\]/s//[x]/' fix_plan.md; finish '---RALPH_STATUS---\\nSTATUS: COMPLETE\\nFILES_MODIFIED: 1\\n---END_RALPH_STATUS---'";
    for script in [CLAIM, boxes] {
        let Some(context) = with_list(script, "fix_plan.md", PLAN) else {
            return;
        };
        let came = context.among_stand_ins(&run(&["--test", "true"])).run();
        let came = came.expect(0);
        assert!(!came.err().contains("contradict"), "{}", came.err());
        came.says("every task is done, 3 of them in this run");
    }
}

/// A box is added and one is ticked, and nothing else changes.
const ADDS_AND_TICKS: &str = "sed -i '0,/\\[ \\]/s//[x]/' fix_plan.md; echo \"- [ ] N-$FUSEBOX_ITERATION look again\" >> fix_plan.md; finish 'Done.'";

#[test]
fn req_004_015_tasks_that_an_agent_adds_and_ticks_are_no_progress_unless_work_was_done() {
    let Some(context) = with_list(ADDS_AND_TICKS, "fix_plan.md", "- [ ] T-1 a\n") else {
        return;
    };
    let options = run(&["--test", "true", "--no-wait", "--max-iterations", "12"]);
    let came = context.among_stand_ins(&options).run().expect(43);
    // They are closed all the same. The first was there when the run began.
    came.says("task T-1 is done: `true` succeeds")
        .says("task N-3 is done: `true` succeeds")
        .says("No progress for 3 iterations");
    assert_eq!(context.state(), "Open");

    let works = format!("{CHANGE}; {ADDS_AND_TICKS}");
    let context = with_list(&works, "fix_plan.md", "- [ ] T-1 a\n").unwrap();
    let options = run(&["--test", "true", "--no-wait", "--max-iterations", "6"]);
    context.among_stand_ins(&options).run().expect(45);
    assert_eq!(context.state(), "Closed");
}

#[test]
fn what_is_done_beside_the_task_that_was_given_is_told_and_counted() {
    let all = format!("{CHANGE}; sed -i 's/\\[ \\]/[x]/' fix_plan.md; finish 'All of it.'");
    let Some(context) = with_list(&all, "fix_plan.md", PLAN) else {
        return;
    };
    let came = context.among_stand_ins(&run(&["--test", "true"])).run();
    came.expect(0)
        .says("task T-3 is done by now, though T-1 was given")
        .says("task T-1 is done: `true` succeeds")
        .says("every task is done, 3 of them in this run");
    let other =
        format!("{CHANGE}; sed -i 's/\\[ \\] T-3/[x] T-3/' fix_plan.md; finish 'That one.'");
    let context = with_list(&other, "fix_plan.md", PLAN).unwrap();
    let options = run(&["--test", "true", "--max-iterations", "1"]);
    let came = context.among_stand_ins(&options).run().expect(45);
    let came = came.says("task T-3 is done by now, though T-1 was given");
    assert!(!came.err().contains("task T-1 is done"), "{}", came.err());
}

#[test]
fn req_001_053_a_preset_of_phases_does_not_work_through_a_list() {
    let Some(context) = with_list(CLAIM, "fix_plan.md", PLAN) else {
        return;
    };
    let options = [&["--preset", "prp"], run(&["--test", "true"]).as_slice()].concat();
    let refused = context.among_stand_ins(&options).run().expect(2);
    refused.says("the preset prp counts what the phases of one piece of work gain");
}

#[test]
fn what_a_plan_puts_off_is_neither_a_task_nor_a_criterion() {
    for heading in ["Optional", "Future ideas", "Nice to have", "Nice-to-have"] {
        let plan =
            format!("# Plan\n- [x] T-1 a\n\n## {heading}\n- [ ] T-2 b\n### More\n- [ ] T-3 c\n");
        let Some(context) = with_list(CLAIM, "fix_plan.md", &plan) else {
            return;
        };
        let options = run(&["--test", "true", "--max-iterations", "1"]);
        let came = context.among_stand_ins(&options).run();
        came.expect(0).says("every task is done");
        let options = ["run", "--agent", "claude", "--prompt", "go"];
        let criteria = ["--criteria", "fix_plan.md", "--max-iterations", "1"];
        let options = [options.as_slice(), &criteria].concat();
        let came = context.among_stand_ins(&options).run();
        came.expect(0).says("complete · the agent says so");
    }
}

#[test]
fn an_export_of_beads_without_the_program_is_told_of() {
    let context = TestContext::list(".beads/issues.jsonl", "{\"id\":\"bd-1\"}\n");
    let told = "only an export of beads, and `bd` is needed to make a list of it";
    context
        .fusebox(&["tasks", "list"])
        .run()
        .expect(6)
        .says(told);
    let doctor = context.fusebox(&["doctor"]).run().out();
    assert!(doctor.contains(told), "{doctor}");
}
