//! Hooks that cannot keep what they were told.
//!
//! What is missing may be what would have decided. So it is said, and no tool may be used until the
//! next prompt, also where there is room again a moment later.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::call::{Call, Finished};
use crate::context::{FUSEBOX, TestContext};
use crate::hook::{AGENTS, context, hook};
use crate::hook_turns::status;

fn call_of(tool: &str) -> Value {
    json!({"tool_name": tool, "tool_input": {"command": "ls"}, "tool_use_id": "t", "tool_response": "a"})
}

/// What is remembered of the session of an agent.
fn remembered(context: &TestContext, agent: &str) -> PathBuf {
    let hooks = context.store().workspace.join("hooks");
    let entries = fs::read_dir(hooks).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    let is_of_agent = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(agent) && path.extension().is_none()
    };
    paths.find(|path| is_of_agent(path)).unwrap()
}

/// A call of a hook by somebody who may not write anything into a file.
fn without_room(context: &TestContext, agent: &str, event: &str, payload: &Value) -> Call {
    // The answer goes through a pipe, which has room.
    let script = format!("(trap '' XFSZ; ulimit -f 0; exec {FUSEBOX} hook {agent} {event}) | cat");
    let mut payload = payload.clone();
    payload["cwd"] = context.work().to_str().unwrap().into();
    payload["session_id"] = "s".into();
    let call = context.call(Path::new("/bin/sh"), &["-c", &script]);
    call.input(payload.to_string())
}

/// The session is over until the next prompt.
fn is_over(context: &TestContext, agent: &str, payload: &Value) {
    for _ in 0..2 {
        let refused = hook(context, agent, "pre-tool-use", payload).run();
        let told = format!("{}{}", refused.out(), refused.err());
        assert!(told.contains("could not keep"), "{agent}: {told}");
        assert!(told.contains("next prompt"), "{agent}: {told}");
    }
    hook(context, agent, "prompt", &json!({"prompt": "go on"}))
        .run()
        .expect(0);
    let let_through = hook(context, agent, "pre-tool-use", payload)
        .run()
        .expect(0);
    assert_eq!((let_through.out(), let_through.err()), Default::default());
}

fn is_told(came: &Finished, agent: &str) {
    let told = came.out();
    assert!(told.contains("cannot keep"), "{agent}: {told:?}");
    assert!(
        told.contains("missing from what is counted"),
        "{agent}: {told:?}"
    );
}

#[test]
fn what_a_tool_did_and_nobody_could_note_is_said_and_ends_the_turn() {
    for (agent, tool) in AGENTS {
        let context = context();
        let payload = call_of(tool);
        hook(&context, agent, "pre-tool-use", &payload)
            .run()
            .expect(0);
        let after = without_room(&context, agent, "post-tool-use", &payload);
        is_told(&after.run().expect(0), agent);
        is_over(&context, agent, &payload);
    }
}

#[test]
fn whoever_holds_what_is_remembered_does_not_make_a_call_go_uncounted() {
    let context = context();
    let payload = call_of("Bash");
    hook(&context, "claude", "pre-tool-use", &payload)
        .run()
        .expect(0);
    let held = File::open(remembered(&context, "claude")).unwrap();
    flock(held.as_fd(), FlockOperation::LockExclusive).unwrap();
    let after = hook(&context, "claude", "post-tool-use", &payload);
    is_told(&after.run().expect(0), "claude");
    // Before a tool that is a no by itself.
    hook(&context, "claude", "pre-tool-use", &payload)
        .run()
        .expect(2);
    drop(held);
    is_over(&context, "claude", &payload);
}

/// The end of a turn that could not be counted is counted when the next one begins, once.
#[test]
fn a_turn_whose_end_was_lost_counts_all_the_same() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    hook(&context, "claude", "prompt", &json!({"prompt": "a"}))
        .run()
        .expect(0);
    let payload = call_of("Bash");
    hook(&context, "claude", "pre-tool-use", &payload)
        .run()
        .expect(0);
    fs::write(context.work().join("b.txt"), "new").unwrap();
    hook(&context, "claude", "post-tool-use", &payload)
        .run()
        .expect(0);
    let stop = without_room(&context, "claude", "stop", &json!({}));
    let told = stop.run().expect(0).out();
    assert!(told.contains("systemMessage"), "{told}");
    assert_eq!(status(&context)["iterations"], 0);
    for _ in 0..2 {
        hook(&context, "claude", "prompt", &json!({"prompt": "b"}))
            .run()
            .expect(0);
        assert_eq!(status(&context)["iterations"], 1, "{told}");
    }
    assert_eq!(status(&context)["state"], "Closed");
    hook(&context, "claude", "pre-tool-use", &payload)
        .run()
        .expect(0);
}

/// A prompt and the end of a turn cannot be refused; whoever sits there hears of it.
#[test]
fn at_the_edges_of_a_turn_the_person_is_told() {
    let context = context();
    hook(&context, "claude", "prompt", &json!({"prompt": "a"}))
        .run()
        .expect(0);
    for event in ["prompt", "stop"] {
        let came = without_room(&context, "claude", event, &json!({"prompt": "b"}));
        let said: Value = serde_json::from_str(&came.run().expect(0).out()).unwrap();
        let told = said["systemMessage"].as_str().unwrap();
        assert!(
            told.contains("cannot") || told.contains("File too large"),
            "{event}: {told}"
        );
    }
}
