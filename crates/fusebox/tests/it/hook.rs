//! `fusebox hook`, called as agents call it.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::call::{Call, Finished};
use crate::context::TestContext;

const AGENTS: [(&str, &str); 6] = [
    ("claude", "Bash"),
    ("codex", "Bash"),
    ("gemini", "run_shell_command"),
    ("copilot", "bash"),
    ("cursor", "Shell"),
    ("opencode", "bash"),
];

fn context() -> TestContext {
    let context = TestContext::new();
    let root = context.work();
    fs::create_dir(root.join("specs")).unwrap();
    fs::write(root.join("specs/a.md"), "a").unwrap();
    fs::write(root.join("CLAUDE.md"), "a").unwrap();
    context
}

fn hook(context: &TestContext, agent: &str, event: &str, payload: &Value) -> Call {
    let mut payload = payload.clone();
    payload["cwd"] = context.work().to_str().unwrap().into();
    payload["session_id"] = "s".into();
    context
        .fusebox(&["hook", agent, event])
        .input(payload.to_string())
}

fn before(context: &TestContext, agent: &str, tool: &str, arguments: &Value) -> Finished {
    let payload = json!({"tool_name": tool, "tool_input": arguments, "tool_use_id": "t"});
    hook(context, agent, "pre-tool-use", &payload).run()
}

fn shell(context: &TestContext, command: &str) -> Finished {
    before(context, "claude", "Bash", &json!({"command": command}))
}

#[test]
fn req_004_067_to_070_and_004_101_every_agent_is_stopped_before_it_destroys() {
    let context = context();
    for (agent, tool) in AGENTS {
        for command in [
            "rm -rf specs",
            "git rm -r specs",
            "git clean -fdx -- specs",
            "D=spe; rm -rf ${D}cs",
        ] {
            let told = before(&context, agent, tool, &json!({"command": command})).expect(2);
            assert!(told.err().contains("protected"), "{agent}: {}", told.err());
        }
        let told = before(&context, agent, tool, &json!({"command": "ls specs"})).expect(0);
        assert_eq!(
            (told.out(), told.err()),
            (String::new(), String::new()),
            "{agent}"
        );
    }
}

#[test]
fn req_004_056_tools_that_write_are_judged_by_the_file_they_reach() {
    let context = context();
    let root = context.work();
    std::os::unix::fs::symlink("specs", root.join("link")).unwrap();
    fs::write(root.join("fusebox.toml"), "").unwrap();
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    for (agent, tool, arguments, code) in [
        (
            "claude",
            "Write",
            json!({"file_path": path("CLAUDE.md")}),
            0,
        ),
        (
            "claude",
            "Write",
            json!({"file_path": path("fusebox.toml")}),
            2,
        ),
        (
            "claude",
            "NotebookEdit",
            json!({"notebook_path": path("fusebox.toml")}),
            2,
        ),
        (
            "claude",
            "mcp__fs__delete_file",
            json!({"path": path("link/a.md")}),
            2,
        ),
        (
            "claude",
            "mcp__fs__move_file",
            json!({"source": "specs", "destination": "s"}),
            2,
        ),
        (
            "claude",
            "mcp__fs__read_file",
            json!({"path": path("fusebox.toml")}),
            0,
        ),
        (
            "claude",
            "Read",
            json!({"file_path": path("fusebox.toml")}),
            0,
        ),
        (
            "codex",
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Delete File: specs/a.md\n*** End Patch"}),
            2,
        ),
        (
            "codex",
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Update File: specs/a.md\n-a\n+b\n*** End Patch"}),
            0,
        ),
        ("cursor", "Delete", json!({"path": path("CLAUDE.md")}), 2),
    ] {
        let told = before(&context, agent, tool, &arguments);
        assert_eq!(
            told.code,
            code,
            "{agent} {tool} {arguments}: {}",
            told.err()
        );
    }
}

#[test]
fn an_open_breaker_stops_every_tool_of_every_agent() {
    let context = context();
    context
        .fusebox(&["trip", "--reason", "Enough."])
        .run()
        .expect(0);
    for (agent, tool) in AGENTS {
        let told = before(&context, agent, tool, &json!({"command": "ls"}));
        assert!(
            told.code == 2 || told.out().contains(r#""decision":"deny""#),
            "{agent}: {}",
            told.out()
        );
        let said = told.out() + &told.err();
        assert!(
            said.contains("Enough.") && said.contains("fusebox reset"),
            "{agent}: {said}"
        );
    }
    // What only tells cannot be stopped, and is told why where the model listens.
    let told = hook(&context, "claude", "session-start", &json!({}))
        .run()
        .expect(0);
    let context_told = told.json();
    let told = context_told["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(told.contains("OPEN"), "{told}");
}

#[test]
fn memory_that_cannot_be_believed_stops_every_tool() {
    let context = context();
    context.fusebox(&["check"]).run().expect(0);
    fs::write(context.store().log, "not a log").unwrap();
    let told = shell(&context, "ls").expect(2);
    assert!(told.err().contains("a person has looked"), "{}", told.err());
}

#[test]
fn req_004_096_what_cannot_be_judged_is_not_allowed() {
    let context = context();
    let nested = format!("{}ls{}", "$(".repeat(20_000), ")".repeat(20_000));
    let heredoc = format!("cat <<E\n{}E\n", "rm -rf specs\n".repeat(20_000));
    for (name, command, codes) in [
        ("300 KB", "x".repeat(300 * 1024), &[2][..]),
        ("nested", nested, &[2]),
        // Prose for `cat` is no command; what takes too long to know is denied.
        ("heredoc", heredoc, &[0, 2]),
        ("no shell", "if then fi ((".to_owned(), &[2]),
    ] {
        let begun = Instant::now();
        let told = shell(&context, &command);
        assert!(
            codes.contains(&told.code),
            "{name}: {} {}",
            told.code,
            told.err()
        );
        assert!(
            begun.elapsed() < Duration::from_secs(6),
            "{name}: {:?}",
            begun.elapsed()
        );
    }
    let raw = |bytes: &[u8]| {
        let call = context.fusebox(&["hook", "codex", "pre-tool-use"]);
        call.input(bytes).run().expect(2)
    };
    let deep = format!(
        r#"{{"tool_name":"Bash","tool_input":{}"#,
        "[".repeat(100_000)
    );
    for bytes in [
        &b""[..],
        b"\xff\xfe",
        b"{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"rm -rf specs \xff\"}}",
        b"{}",
        deep.as_bytes(),
        &vec![b' '; 17 * 1024 * 1024],
    ] {
        let told = raw(bytes);
        let object: Value = serde_json::from_str(&told.out()).unwrap();
        assert_eq!(object["hookSpecificOutput"]["permissionDecision"], "deny");
    }
}

/// Whoever hands nothing over and keeps the pipe open is told no in time.
#[test]
fn a_payload_that_never_ends_is_answered_in_time() {
    let context = context();
    let begun = Instant::now();
    let call = context
        .fusebox(&["hook", "claude", "pre-tool-use"])
        .piped_input();
    let mut running = call.start();
    let held = running.child.stdin.take();
    let told = running.finish().expect(2);
    drop(held);
    assert!(told.err().contains("longer than it may"), "{}", told.err());
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_wrong_event_or_agent_is_a_usage_error_and_blocks() {
    let context = context();
    context
        .fusebox(&["hook", "claude", "pre-tool"])
        .run()
        .expect(2);
    context.fusebox(&["hook", "nobody", "stop"]).run().expect(2);
}

/// The breaker of a workspace stays with an agent that has gone elsewhere.
#[test]
fn going_elsewhere_does_not_leave_the_breaker_behind() {
    let context = context();
    context
        .fusebox(&["trip", "--reason", "Enough."])
        .run()
        .expect(0);
    let payload = json!({"session_id": "s", "cwd": context.path("home"),
        "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let call = context.fusebox(&["hook", "claude", "pre-tool-use"]);
    let call = call.env("CLAUDE_PROJECT_DIR", context.work());
    call.input(payload.to_string()).run().expect(2);
}

fn turn(context: &TestContext, writes: Option<&str>, stop: &Value) -> Finished {
    hook(context, "claude", "prompt", &json!({}))
        .run()
        .expect(0);
    if let Some(name) = writes {
        let path = context.work().join(name);
        let arguments = json!({"file_path": path.to_str().unwrap()});
        before(context, "claude", "Write", &arguments).expect(0);
    }
    hook(context, "claude", "stop", stop).run().expect(0)
}

fn status(context: &TestContext) -> Value {
    context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json()
}

#[test]
fn a_turn_without_a_loop_counts_as_an_iteration() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::write(context.work().join("b.txt"), "new").unwrap();
    // Nobody counts the questions of a person.
    for _ in 0..4 {
        turn(&context, None, &json!({"stop_hook_active": false}));
    }
    assert_eq!(status(&context)["iterations"], 0, "{}", status(&context));
    // A file that is announced and not written is no progress.
    for _ in 0..3 {
        turn(&context, Some("c.txt"), &json!({"stop_hook_active": false}));
    }
    let told = status(&context);
    assert_eq!(told["state"], "Open", "{told}");
    shell(&context, "ls").expect(2);
}

#[test]
fn turns_that_nobody_watches_count_even_if_nothing_was_tried() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..3 {
        turn(&context, None, &json!({"stop_hook_active": true}));
    }
    assert_eq!(status(&context)["state"], "Open");
}

#[test]
fn a_loop_that_counts_already_is_not_counted_twice() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..2 {
        context.fusebox(&["check"]).run().expect(0);
        turn(&context, Some("c.txt"), &json!({"stop_hook_active": true}));
        context
            .fusebox(&["record", "--files-changed", "1"])
            .run()
            .expect(0);
    }
    let told = status(&context);
    assert_eq!(told["state"], "Closed", "{told}");
    assert_eq!(told["iterations"], 2, "{told}");
}

/// What the model is working on is told to it when a session begins, and not when all is well.
#[test]
fn a_session_begins_with_how_things_stand() {
    let context = context();
    let told = hook(&context, "gemini", "session-start", &json!({}))
        .run()
        .expect(0);
    assert_eq!(told.out(), "");
    for _ in 0..2 {
        context.fusebox(&["check"]).run();
        context.fusebox(&["record", "--files-changed", "0"]).run();
    }
    let told = hook(&context, "gemini", "session-start", &json!({}))
        .run()
        .expect(0);
    let text = told.json()["hookSpecificOutput"]["additionalContext"].to_string();
    assert!(text.contains("fusebox"), "{text}");
}

/// The same call with the same answer, again and again, ends the turn; another prompt by a
/// person begins anew.
#[test]
fn a_loop_inside_a_turn_is_told_stopped_and_forgotten_with_the_turn() {
    let context = context();
    let payload = |extra: Value| {
        let mut payload = json!({"tool_name": "Bash", "tool_input": {"command": "cat a.log"}});
        for (key, value) in extra.as_object().unwrap() {
            payload[key] = value.clone();
        }
        payload
    };
    hook(
        &context,
        "claude",
        "prompt",
        &json!({"prompt": "Find the error."}),
    )
    .run()
    .expect(0);
    let mut told = false;
    let mut stopped = None;
    for number in 0..60 {
        let id = json!({"tool_use_id": format!("t{number}")});
        let asked = hook(&context, "claude", "pre-tool-use", &payload(id.clone())).run();
        told |= asked.out().contains("circles");
        if asked.code == 2 {
            stopped = Some(number);
            break;
        }
        let mut after = payload(id);
        after["tool_response"] = json!({"stdout": "no such file", "stderr": ""});
        let answered = hook(&context, "claude", "post-tool-use", &after)
            .run()
            .expect(0);
        told |= answered.out().contains("circles");
    }
    assert!(
        told && stopped.is_some_and(|number| number > 1),
        "{stopped:?}"
    );
    hook(
        &context,
        "claude",
        "prompt",
        &json!({"prompt": "Look elsewhere."}),
    )
    .run()
    .expect(0);
    let id = json!({"tool_use_id": "last", "tool_input": {"command": "ls elsewhere"}});
    hook(&context, "claude", "pre-tool-use", &payload(id))
        .run()
        .expect(0);
}

/// Sessions and sub-agents do not share what they repeat, and the file stays small.
#[test]
fn what_is_remembered_of_a_session_stays_small_and_its_own() {
    let context = context();
    for number in 0..40 {
        for (session, agent) in [("a", None), ("b", None), ("a", Some("sub"))] {
            let payload = json!({
                "session_id": session, "agent_id": agent, "cwd": context.work(),
                "tool_name": "Bash", "tool_use_id": format!("{number}"),
                "tool_input": {"command": format!("grep -rn {number} {}", "x".repeat(300))},
            });
            let call = context.fusebox(&["hook", "claude", "pre-tool-use"]);
            call.input(payload.to_string()).run().expect(0);
        }
    }
    let hooks = context.store().workspace.join("hooks");
    let files: Vec<_> = fs::read_dir(hooks).unwrap().flatten().collect();
    let states = files
        .iter()
        .filter(|file| file.path().extension().is_none());
    assert_eq!(states.clone().count(), 3);
    for file in states {
        assert!(file.metadata().unwrap().len() <= 9 * 1024);
    }
}

/// A tool that ran without asking is found in the transcript when the turn has ended.
#[test]
fn what_ran_past_the_hook_opens_the_breaker() {
    for (asked, state) in [(true, "Closed"), (false, "Open")] {
        let context = context();
        let transcript = context.path("home/t.jsonl");
        fs::write(
            &transcript,
            line(&json!({"type": "tool_use", "id": "old", "name": "Bash"})),
        )
        .unwrap();
        let with = |extra: Value| {
            let mut payload = extra;
            payload["transcript_path"] = transcript.to_str().unwrap().into();
            payload
        };
        hook(&context, "claude", "prompt", &with(json!({})))
            .run()
            .expect(0);
        let tool =
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "new"});
        if asked {
            hook(&context, "claude", "pre-tool-use", &with(tool))
                .run()
                .expect(0);
        }
        let parts = [
            json!({"type": "tool_result", "tool_use_id": "old"}),
            json!({"type": "tool_use", "id": "new", "name": "Bash"}),
            json!({"type": "tool_use", "id": "refused", "name": "Bash"}),
            json!({"type": "tool_result", "tool_use_id": "refused", "is_error": true}),
            json!({"type": "tool_result", "tool_use_id": "new"}),
        ];
        let mut text = fs::read_to_string(&transcript).unwrap();
        text.extend(parts.iter().map(line));
        fs::write(&transcript, text).unwrap();
        hook(&context, "claude", "stop", &with(json!({})))
            .run()
            .expect(0);
        let told = context.fusebox(&["status", "--json"]).run().json();
        assert_eq!(told["state"], state, "asked: {asked}: {told}");
    }
}

fn line(part: &Value) -> String {
    format!("{}\n", json!({"message": {"content": [part]}}))
}

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
