//! Work that is done and undone in turn, by agents that keep a diary about it.

use crate::context::TestContext;

const NOBODY_TO_ASK: i32 = 43;
const OUT_OF_ITERATIONS: i32 = 45;

/// Writes one of two versions of the work in turn.
const BACK_AND_FORTH: &str = "echo \"version $((FUSEBOX_ITERATION % 2))\" > parse.rs";

/// How a run of `script` ends, with what it was told, and after how many iterations.
#[track_caller]
fn run(script: &str, code: i32) -> Option<(String, u64)> {
    let context = TestContext::with_repository()?;
    let options = ["--json", "--max-iterations", "8"];
    let run = context.supervise(&options, script).run().expect(code);
    let end = run.json_lines().pop().unwrap();
    let told = format!("{}{}", run.out(), run.err());
    Some((told, end["iterations"].as_u64().unwrap()))
}

#[test]
fn back_and_forth_is_seen_whatever_diary_is_kept_of_it() {
    for diary in [
        "true",
        "echo \"tried it once more ($FUSEBOX_ITERATION)\" >> progress.md",
        "echo \"iteration $FUSEBOX_ITERATION: fixed\" >> NOTES.md",
        "echo \"status after $FUSEBOX_ITERATION\" > docs-status.md",
        "echo \"- fixed again, $FUSEBOX_ITERATION\" >> CHANGELOG.md",
        "date +%N >> agent.log",
        // No name says that this is a diary.
        "echo \"$FUSEBOX_ITERATION\" >> told.dat",
        // Two at once, one of them in a directory of its own.
        "mkdir -p journal; date +%N > journal/last.txt; date +%N >> journal/notes.md; date +%N >> a.txt",
    ] {
        let Some((told, iterations)) = run(&format!("{BACK_AND_FORTH}; {diary}"), NOBODY_TO_ASK)
        else {
            return;
        };
        assert!(
            told.contains("The work tree returned to an earlier state 2 times"),
            "{diary}: {told}"
        );
        assert_eq!(iterations, 4, "{diary}");
    }
}

#[test]
fn steady_work_with_a_diary_is_none_and_neither_is_one_step_back() {
    let diary = "echo \"iteration $FUSEBOX_ITERATION\" >> NOTES.md; date +%N >> agent.log";
    for work in [
        "echo \"fn f$FUSEBOX_ITERATION() {}\" >> parse.rs",
        "echo \"version $FUSEBOX_ITERATION\" > parse.rs",
        "echo x > part-$FUSEBOX_ITERATION.rs",
        // Whoever writes documents works on those, whatever else is switched on and off.
        "echo \"chapter $FUSEBOX_ITERATION\" >> book.md; echo \"{\\\"step\\\": $((FUSEBOX_ITERATION % 2))}\" > state.json",
        "echo \"chapter $FUSEBOX_ITERATION\" > chapter-$FUSEBOX_ITERATION.md",
        // The third step undoes the second; then it goes on.
        "n=$FUSEBOX_ITERATION; [ $n -ne 3 ] || n=1; echo \"version $n\" > parse.rs",
        // A switch that is turned on and off again is no step back while something else grows.
        "echo \"debug = $((FUSEBOX_ITERATION % 2))\" > switch.toml; echo x > part-$FUSEBOX_ITERATION.rs",
    ] {
        let Some((told, iterations)) = run(&format!("{work}; {diary}"), OUT_OF_ITERATIONS) else {
            return;
        };
        assert_eq!(iterations, 8, "{work}: {told}");
    }
}

/// What the test command leaves behind is no return, and hides none.
#[test]
fn back_and_forth_is_seen_through_what_tests_leave_behind() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = [
        "--json",
        "--max-iterations",
        "8",
        "--test",
        "date +%N > run.log; true",
    ];
    let script = format!("{BACK_AND_FORTH}; echo more >> NOTES.md");
    let run = context.supervise(&options, &script).run();
    run.expect(NOBODY_TO_ASK)
        .says("returned to an earlier state");
}
