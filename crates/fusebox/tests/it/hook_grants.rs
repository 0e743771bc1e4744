//! Grants that are waiting for their report while an agent calls hooks.

use std::fs;

use serde_json::json;

use crate::context::TestContext;
use crate::hook::{before, hook, shell};
use crate::hook_turns::{status, turn};

/// Whoever takes a grant from inside the agent reports to nobody, so the turn is the report.
#[test]
fn a_grant_that_the_agent_took_itself_keeps_no_turn_from_counting() {
    for checks in [&[0][..], &[0, 1, 2, 3], &[1]] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        for number in 0..4 {
            hook(&context, "claude", "prompt", &json!({})).run();
            if checks.contains(&number) {
                context.fusebox(&["check"]).run();
            }
            let path = json!({"file_path": context.work().join("c.txt").to_str().unwrap()});
            before(&context, "claude", "Write", &path);
            hook(&context, "claude", "stop", &json!({})).run();
        }
        assert_eq!(status(&context)["state"], "Open", "{checks:?}");
        shell(&context, "ls").expect(2);
    }
}

/// Nor does one that has outlived the turn it was taken in, because that was interrupted.
#[test]
fn a_grant_that_outlived_a_turn_is_no_loops() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    hook(&context, "claude", "prompt", &json!({})).run();
    context.fusebox(&["check"]).run().expect(0);
    for _ in 0..4 {
        turn(&context, Some("c.txt"), &json!({}));
    }
    assert_eq!(status(&context)["state"], "Open");
}

#[test]
fn a_probe_that_the_agent_took_itself_ends_with_the_turn() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let at = |time: &str, args: &[&str]| context.at(&format!("2026-01-01T{time}Z"), args);
    for _ in 0..3 {
        at("12:00:00", &["record", "--files-changed", "0"]).run();
    }
    let payload = json!({"session_id": "s", "cwd": context.work(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let call = |event: &str| {
        let call = at("12:31:00", &["hook", "claude", event]);
        call.input(payload.to_string()).run()
    };
    call("prompt").expect(0);
    at("12:31:00", &["check"]).run().expect(0);
    call("pre-tool-use").expect(0);
    call("post-tool-use").expect(0);
    call("stop").expect(0);
    let told = at("12:31:01", &["status", "--json"]).run().json();
    assert_eq!(told["state"], "Open", "{told}");
    call("prompt").expect(0);
    call("pre-tool-use").expect(2);
}

/// The last call of an hour is one, however long the agent goes on under its grant.
#[test]
fn a_grant_that_the_agent_took_itself_does_not_stretch_the_limit() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::write(
        context.work().join("fusebox.toml"),
        "[limits.calls]\nlimit = 1\n",
    )
    .unwrap();
    hook(&context, "claude", "prompt", &json!({})).run();
    context.fusebox(&["check"]).run().expect(0);
    shell(&context, "ls").expect(0);
    hook(&context, "claude", "stop", &json!({})).run();
    hook(&context, "claude", "prompt", &json!({})).run();
    shell(&context, "ls").expect(2).says("limit");
}

/// A loop of the user's own may have the agent go on several times within one grant.
#[test]
fn a_loop_that_counts_already_is_not_counted_when_the_agent_goes_on() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..2 {
        context.fusebox(&["check"]).run().expect(0);
        turn(&context, Some("c.txt"), &json!({}));
        for _ in 0..3 {
            hook(
                &context,
                "claude",
                "stop",
                &json!({"stop_hook_active": true}),
            )
            .run()
            .expect(0);
        }
        context
            .fusebox(&["record", "--files-changed", "1"])
            .run()
            .expect(0);
    }
    let told = status(&context);
    assert_eq!(told["state"], "Closed", "{told}");
    assert_eq!(told["iterations"], 2, "{told}");
}
