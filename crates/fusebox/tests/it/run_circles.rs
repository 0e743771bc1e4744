//! An agent that goes round in circles within one iteration.

use crate::context::TestContext;

/// Makes the same call over and over, changes a file each time so that nothing
/// else is wrong with the iteration, and would go on for a minute.
const CIRCLES: &str = "
echo $FUSEBOX_ITERATION >> a.txt
for n in 1 2 3 4 5 6 7 8; do fail 'make all' 'error: no rule'; done
sleep 60
finish 'It works now.'";

/// Asks again until something has happened, which is no loop.
const POLLS: &str = "
echo $FUSEBOX_ITERATION >> a.txt
for n in 1 2 3 4 5 6 7 8 9; do use Bash 'gh run view'; answer false \"$n of 9 done\"; done
finish 'All jobs are done.'";

#[test]
fn it_is_ended_early_and_told_and_the_second_time_trips() {
    let Some(context) = TestContext::with_claude(CIRCLES) else {
        return;
    };
    context
        .run_claude(&["--max-iterations", "5"])
        .run()
        .expect(43)
        .says("ended for going round in circles")
        .says("2 iterations in a row went round in circles");
    assert_eq!(context.calls().len(), 2);
    let told = context.told(2);
    for part in [
        "The last iteration went round in circles",
        "`Bash make all` 4 times in a row",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert!(!context.told(1).contains("circles"));
}

#[test]
fn polling_is_left_alone() {
    let Some(context) = TestContext::with_claude(POLLS) else {
        return;
    };
    let run = context.run_claude(&["--once"]).run().expect(0);
    assert!(!run.out().contains("circles"), "{}", run.out());
}

#[test]
fn a_way_of_working_that_does_not_know_it_only_looks_on() {
    let script = CIRCLES.replace("sleep 60", "");
    let Some(context) = TestContext::with_claude(&script) else {
        return;
    };
    let run = context.run_claude(&["--preset", "prp", "--once"]).run();
    assert!(!run.out().contains("circles"), "{}", run.out());
    let said = context.kept(1, "output");
    assert!(String::from_utf8_lossy(&said).contains("It works now."));
}
