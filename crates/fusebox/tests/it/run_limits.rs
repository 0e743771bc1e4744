//! Limits of the vendor that are told badly: too late, in text alone, or as a wait.

use crate::context::TestContext;

/// Two hours ago, or in text, or as a wait: never a reason to try again at once.
#[test]
fn a_limit_is_not_tried_again_at_once_however_it_is_told() {
    let over = r#"at=$(($(date +%s) - 7200))
printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s,"rateLimitType":"five_hour"}}\n' "$at"
break_off rate_limit 429 'You have hit your 5-hour limit'"#;
    let asked = "break_off rate_limit 429 'Slow down. Please try again in 40 minutes.'";
    let cut = r#"printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}}\n{"type":"resu'; exit 1"#;
    for script in [over, asked, cut] {
        let Some(context) = TestContext::with_claude(script) else {
            return;
        };
        context
            .run_claude(&["--max-iterations", "9"])
            .run()
            .expect(44);
        assert_eq!(context.calls().len(), 1, "{script}");
        assert_eq!(context.state(), "Closed", "{script}");
    }
}

#[test]
fn nobody_waits_after_the_last_iteration() {
    let script = "break_off overloaded 529 'Overloaded'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    let run = context.run_claude(&["--max-iterations", "1"]).run();
    let run = run.expect(45);
    assert!(!run.err().contains("trying again"), "{}", run.err());
}

/// What is typed is run as it was typed, and its last words are read all the same.
#[test]
fn a_typed_agent_that_prints_text_tells_of_its_limit() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let agent = "#!/bin/sh\ncat > /dev/null\necho x >> ../calls\n";
    let hit = "echo \"You've hit your 5-hour limit · resets soon\"; exit 1\n";
    context.script("claude", &format!("{agent}{hit}"));
    let typed = [
        "run",
        "--max-iterations",
        "2",
        "--",
        "env",
        "A=1",
        "claude",
        "-p",
        "x",
    ];
    let run = context.among_stand_ins(&typed).run().expect(44);
    run.says("Claude Code's output is treated as plain text");
    assert_eq!(context.calls().len(), 1);

    // The same words of one that goes well are about its work.
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let talks = "echo \"You've hit your 5-hour limit\"\n";
    context.script("claude", &format!("{agent}{talks}"));
    context.among_stand_ins(&typed).run().expect(45);
    assert_eq!(context.calls().len(), 2);
}

/// A quarter of an hour is when it is tried again, and nobody's promise.
#[test]
fn a_limit_that_does_not_say_until_when_is_not_said_to_end_then() {
    let script = "break_off rate_limit 429 'You have hit your usage limit. Come back soon.'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    let run = context.run_claude(&["--max-iterations", "2"]).run();
    let run = run.expect(44);
    assert!(!run.err().contains("should end at"), "{}", run.err());
    run.says("no end time was given; retry at ");
}
