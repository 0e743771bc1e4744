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
    let run = context
        .run_claude(&["--max-iterations", "5"])
        .run()
        .expect(43)
        .says("ended for going round in circles")
        .says("2 iterations in a row went round in circles");
    // Whoever watches is not spoken to as the agent is.
    let line = "! going in circles at call 4 (trip, repeat: 4 of 4): 'Bash make all' 4 times with the same answer; \
                the iteration is ended\n";
    assert!(run.out().contains(line), "{}", run.out());
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

/// What Claude Code itself says to the model between two answers.
const SPOKEN: &str = r#"
message=0
write() {
    message=$((message + 1))
    printf '{"type":"assistant","message":{"id":"w-%s","content":[{"type":"text","text":"%s"}]}}\n' "$message" "$1"
}
tell() {
    printf '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"%s"}]},"isSynthetic":true}\n' "$1"
}
notify() {
    printf '{"type":"system","subtype":"task_notification","task_id":"b%s","status":"completed","summary":"make test"}\n' "$message"
    begin
}
echo $FUSEBOX_ITERATION >> a.txt
"#;

#[test]
fn answers_that_are_cut_off_until_the_service_gives_up_are_an_overload_and_no_circle() {
    let script = format!(
        "{SPOKEN}
for n in 1 2 3; do write partial; tell 'Your response above was cut off mid-stream. Resume directly from where it stops.'; done
write partial
break_off overloaded 529 'API Error: Server error mid-response'"
    );
    let Some(context) = TestContext::with_claude(&script) else {
        return;
    };
    let run = context.run_claude(&["--max-iterations", "1"]).run();
    let run = run.expect(45).says("overloaded");
    assert!(!run.err().contains("circles"), "{}", run.err());
    assert_eq!(context.state(), "Closed");
}

#[test]
fn turns_that_a_task_in_the_background_or_a_hook_begins_are_no_circle() {
    let background = "use Bash 'make test'; answer false 'running in background'
write 'I wait.'; finish 'I wait.'
for n in 1 2 3; do notify; write 'That one is fine.'; finish 'That one is fine.'; done
notify; succeed 'make all'; finish 'Mended.'";
    let hook = "succeed 'make all'; write 'Done.'
tell 'Stop hook feedback: the tests have not been run, and without them nobody knows whether it works, so run them.'
write 'You are right.'; write 'First I look at them.'; write 'Now I run them.'
succeed 'make test'; finish 'Done.'";
    let unseen = "write 'One.'; finish 'One.'; begin; write 'Two.'; finish 'Two.'
begin; write 'Three.'; finish 'Three.'";
    for script in [background, hook, unseen] {
        let Some(context) = TestContext::with_claude(&format!("{SPOKEN}{script}\nsleep 1")) else {
            return;
        };
        let run = context.run_claude(&["--once"]).run().expect(0);
        let all = format!("{}{}", run.out(), run.err());
        assert!(!all.contains("circles"), "{script}\n{all}");
    }
}

/// A hook that says the same over and over is a machine, and answering it is no work.
#[test]
fn a_hook_that_sends_it_back_with_the_same_words_for_ever_is_still_noticed() {
    let script = format!(
        "{SPOKEN}
while :; do write 'It is done.'; tell 'Stop hook feedback: Go on until the plan is empty, and read it from the beginning each time before you stop. Do not ask.'; sleep 0.2; done"
    );
    let Some(context) = TestContext::with_claude(&script) else {
        return;
    };
    let run = context.run_claude(&["--max-iterations", "1"]).run();
    run.expect(45).says("ended for going round in circles");
}
