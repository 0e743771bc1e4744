//! What a tool lost all the same, found when it has ended.

use std::fs;

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::TestContext;
use crate::hook::{before, context, hook, shell};

fn after(context: &TestContext, command: &str) -> Finished {
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": command},
        "tool_use_id": "t", "tool_response": {"stdout": "done", "stderr": ""}});
    hook(context, "claude", "post-tool-use", &payload)
        .run()
        .expect(0)
}

/// Whatever the guard did not foresee is undone when the tool has ended.
#[test]
fn req_004_075_and_004_076_what_a_tool_lost_is_put_back_and_halts() {
    let context = context();
    let precious = context.work().join("specs/a.md");
    hook(&context, "claude", "prompt", &json!({}))
        .run()
        .expect(0);
    shell(&context, "./build.sh").expect(0);
    fs::remove_file(&precious).unwrap();
    let told = after(&context, "./build.sh").out();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "a");
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["continue"], false, "{told}");
    assert!(
        told["stopReason"]
            .as_str()
            .unwrap()
            .contains("was put back"),
        "{told}"
    );
    assert_eq!(context.state(), "Open");
}

/// One that was emptied is put back and told; the second opens the breaker.
#[test]
fn req_004_099_what_was_emptied_is_put_back_and_counted() {
    let context = context();
    let precious = context.work().join("CLAUDE.md");
    hook(&context, "claude", "prompt", &json!({}))
        .run()
        .expect(0);
    for state in ["Watching", "Open"] {
        shell(&context, "./build.sh").expect(0);
        fs::write(&precious, "").unwrap();
        let told = after(&context, "./build.sh").out();
        assert!(told.contains("was emptied"), "{told}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "a");
        assert_eq!(context.state(), state);
    }
}

/// Copies that are taken away, with their list or alone, do not make the hook look away.
#[test]
fn req_x_004_copies_that_are_gone_or_damaged_open_the_breaker() {
    for damage in ["remove the list", "remove everything", "edit the list"] {
        let context = context();
        // Nothing was ever kept: nothing is missed.
        shell(&context, "./build.sh").expect(0);
        assert_eq!(after(&context, "./build.sh").out(), "", "{damage}");
        hook(&context, "claude", "prompt", &json!({}))
            .run()
            .expect(0);
        assert_eq!(shell(&context, "./build.sh").expect(0).out(), "");
        let vault = context.store().workspace.join("kept");
        fs::remove_dir_all(context.work().join("specs")).unwrap();
        match damage {
            "remove the list" => fs::remove_file(vault.join("list")).unwrap(),
            "remove everything" => fs::remove_dir_all(&vault).unwrap(),
            _ => fs::write(vault.join("list"), "fusebox kept 1\n").unwrap(),
        }
        let told = after(&context, "./build.sh").out();
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["continue"], false, "{damage}: {told}");
        let why = told["stopReason"].as_str().unwrap();
        assert!(why.contains("is damaged"), "{damage}: {told}");
        assert!(why.contains("fusebox guard snapshot"), "{damage}: {told}");
        assert_eq!(context.state(), "Open", "{damage}");
        let next = shell(&context, "./build.sh");
        let said = format!("{}{}", next.out(), next.err());
        assert!(said.contains("Stop using tools"), "{damage}: {said}");
    }
}

/// What tools that may update write, also beside a command, and what a person changes, stays.
#[test]
fn what_was_rightly_changed_is_not_put_back() {
    let context = context();
    let precious = context.work().join("CLAUDE.md");
    let path = json!({"file_path": precious.to_str().unwrap()});
    hook(&context, "claude", "prompt", &json!({}))
        .run()
        .expect(0);
    // A person, while nothing runs.
    fs::write(&precious, "by a person").unwrap();
    shell(&context, "./build.sh").expect(0);
    after(&context, "./build.sh");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "by a person");
    // A tool, while a command runs that ends first.
    let edit = json!({"tool_name": "Edit", "tool_input": path, "tool_use_id": "e"});
    shell(&context, "./build.sh").expect(0);
    hook(&context, "claude", "pre-tool-use", &edit)
        .run()
        .expect(0);
    fs::write(&precious, "by a tool").unwrap();
    after(&context, "./build.sh");
    hook(&context, "claude", "post-tool-use", &edit)
        .run()
        .expect(0);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "by a tool");
    // A person between two turns, whatever they do.
    hook(&context, "claude", "stop", &json!({})).run().expect(0);
    fs::remove_file(&precious).unwrap();
    hook(&context, "claude", "prompt", &json!({}))
        .run()
        .expect(0);
    shell(&context, "./build.sh").expect(0);
    after(&context, "./build.sh");
    assert!(!precious.exists());
    assert_eq!(context.state(), "Closed");
}

/// What a tool does that no agent has of its own is not understood, and undone all the same.
#[test]
fn req_x_004_what_a_tool_that_nobody_knows_lost_is_put_back() {
    for (tool, arguments) in [
        ("mcp__shell__exec", json!({"what": ["rm", "CLAUDE.md"]})),
        ("mcp__x__get_weather", json!({"city": "Ulm"})),
        ("LaterTool", json!({})),
    ] {
        let context = context();
        let precious = context.work().join("CLAUDE.md");
        let payload = json!({"tool_name": tool, "tool_input": arguments, "tool_use_id": "t",
            "tool_response": {"stdout": "done"}});
        let call = |event: &str| hook(&context, "claude", event, &payload).run().expect(0);
        call("prompt");
        call("pre-tool-use");
        fs::write(&precious, "what it may do").unwrap();
        assert_eq!(call("post-tool-use").out(), "", "{tool}");
        call("pre-tool-use");
        fs::remove_file(&precious).unwrap();
        let told = call("post-tool-use").out();
        assert!(told.contains("was put back"), "{tool}: {told}");
        let back = fs::read_to_string(&precious).unwrap();
        assert_eq!(back, "what it may do", "{tool}");
        assert_eq!(context.state(), "Open", "{tool}");
    }
}

/// Commands come in many shapes, and are judged in each.
#[test]
fn req_004_056_commands_of_tools_that_nobody_knows_are_judged() {
    let context = context();
    for arguments in [
        json!({"argv": ["rm", "CLAUDE.md"]}),
        json!({"command": "rm", "args": ["CLAUDE.md"]}),
        json!({"input": {"command": "rm CLAUDE.md"}}),
        json!({"commands": ["ls", "rm CLAUDE.md"]}),
    ] {
        let told = before(&context, "claude", "mcp__shell__exec", &arguments);
        assert_eq!(told.code, 2, "{arguments}: {}", told.err());
    }
}

/// A turn that has ended, or was interrupted, leaves nothing that is taken for a person's wish.
#[test]
fn req_x_004_what_is_missing_when_a_turn_has_ended_is_the_agents_doing() {
    for ends in [true, false] {
        let context = context();
        let precious = context.work().join("CLAUDE.md");
        let call = |event: &str| hook(&context, "claude", event, &json!({})).run().expect(0);
        call("prompt");
        shell(&context, "./build.sh").expect(0);
        after(&context, "./build.sh");
        // By something that the tool left running.
        fs::remove_file(&precious).unwrap();
        let told = call(if ends { "stop" } else { "prompt" }).out();
        assert!(told.contains("was put back"), "ends: {ends}: {told}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "a");
        assert_eq!(context.state(), "Open", "ends: {ends}");
    }
}

/// Between two turns a person may do anything.
#[test]
fn what_a_person_removes_between_two_turns_stays_away() {
    let context = context();
    let precious = context.work().join("CLAUDE.md");
    let call = |event: &str| hook(&context, "claude", event, &json!({})).run().expect(0);
    call("prompt");
    shell(&context, "./build.sh").expect(0);
    after(&context, "./build.sh");
    call("stop");
    fs::remove_file(&precious).unwrap();
    call("prompt");
    shell(&context, "./build.sh").expect(0);
    after(&context, "./build.sh");
    call("stop");
    assert!(!precious.exists());
    assert_ne!(context.state(), "Open");
}

/// What a tool starts can call hooks as the agent does. It speaks for no person.
#[test]
fn req_x_004_a_tool_does_not_turn_its_losses_into_a_persons_wish() {
    for calls in [
        &[("s", "prompt")][..],
        &[("s", "session-start")],
        &[("other", "prompt")],
        &[("other", "session-start")],
        &[("s", "stop"), ("s", "prompt"), ("s", "stop")],
    ] {
        let context = context();
        let precious = context.work().join("CLAUDE.md");
        let call = |session: &str, event: &str| {
            let payload = json!({"session_id": session, "cwd": context.work()});
            let call = context.fusebox(&["hook", "claude", event]);
            call.input(payload.to_string()).run()
        };
        call("s", "prompt").expect(0);
        shell(&context, "./build.sh").expect(0);
        let (last, first) = calls.split_last().unwrap();
        for (session, event) in first {
            call(session, event).expect(0);
        }
        fs::remove_file(&precious).unwrap();
        call(last.0, last.1).expect(0);
        after(&context, "./build.sh");
        call("s", "stop").expect(0);
        assert_eq!(fs::read_to_string(&precious).unwrap(), "a", "{calls:?}");
        assert_eq!(context.state(), "Open", "{calls:?}");
    }
}

#[test]
fn req_x_004_nothing_that_a_tool_starts_takes_copies_of_what_it_left() {
    for args in [
        &["guard", "snapshot"][..],
        &["guard", "run", "--", "true"],
        &["run", "--once", "--", "true"],
    ] {
        let context = context();
        let precious = context.work().join("CLAUDE.md");
        let prompt = || {
            hook(&context, "claude", "prompt", &json!({}))
                .run()
                .expect(0)
        };
        prompt();
        shell(&context, "./build.sh").expect(0);
        fs::remove_file(&precious).unwrap();
        context.fusebox(args).run();
        after(&context, "./build.sh");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "a", "{args:?}");
    }
}

/// Nor does it begin another turn, in which everything would be allowed again.
#[test]
fn a_tool_begins_no_turn() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..3 {
        let call = |event: &str| hook(&context, "claude", event, &json!({})).run();
        call("prompt").expect(0);
        let path = json!({"file_path": context.work().join("c.txt").to_str().unwrap()});
        before(&context, "claude", "Write", &path).expect(0);
        call("prompt").expect(0);
        call("stop").expect(0);
        let tool = json!({"tool_name": "Write", "tool_input": path, "tool_use_id": "t"});
        hook(&context, "claude", "post-tool-use", &tool)
            .run()
            .expect(0);
    }
    assert_eq!(context.state(), "Open");
}
