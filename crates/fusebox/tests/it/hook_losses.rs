//! What a tool lost all the same, found when it has ended.

use std::fs;

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::TestContext;
use crate::hook::{context, hook, shell};

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
        assert!(said.contains("Use no more tools"), "{damage}: {said}");
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
    fs::remove_file(&precious).unwrap();
    hook(&context, "claude", "prompt", &json!({}))
        .run()
        .expect(0);
    shell(&context, "./build.sh").expect(0);
    after(&context, "./build.sh");
    assert!(!precious.exists());
    assert_eq!(context.state(), "Closed");
}
