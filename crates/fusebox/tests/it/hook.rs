//! `fusebox hook`, called as agents call it.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::call::{Call, Finished};
use crate::context::TestContext;

/// The agents with hooks, and what each calls its shell.
pub(crate) const AGENTS: [(&str, &str); 6] = [
    ("claude", "Bash"),
    ("codex", "Bash"),
    ("gemini", "run_shell_command"),
    ("copilot", "bash"),
    ("cursor", "Shell"),
    ("opencode", "bash"),
];

pub(crate) fn context() -> TestContext {
    let context = TestContext::new();
    let root = context.work();
    fs::create_dir(root.join("specs")).unwrap();
    fs::write(root.join("specs/a.md"), "a").unwrap();
    fs::write(root.join("CLAUDE.md"), "a").unwrap();
    context
}

pub(crate) fn hook(context: &TestContext, agent: &str, event: &str, payload: &Value) -> Call {
    let mut payload = payload.clone();
    payload["cwd"] = context.work().to_str().unwrap().into();
    payload["session_id"] = "s".into();
    context
        .fusebox(&["hook", agent, event])
        .input(payload.to_string())
}

pub(crate) fn before(
    context: &TestContext,
    agent: &str,
    tool: &str,
    arguments: &Value,
) -> Finished {
    let payload = json!({"tool_name": tool, "tool_input": arguments, "tool_use_id": "t"});
    hook(context, agent, "pre-tool-use", &payload).run()
}

pub(crate) fn shell(context: &TestContext, command: &str) -> Finished {
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

/// Adding to a file is not what somebody wanted who changes a line of it.
#[test]
fn req_004_056_an_edit_by_the_shell_is_sent_to_the_tool_that_may_make_it() {
    let context = context();
    let told = shell(&context, "sed -i 's/a/b/' specs/a.md")
        .expect(2)
        .err();
    assert!(told.contains("with your edit tool"), "{told}");
    assert!(!told.contains("cat >>"), "{told}");
}

/// Each agent calls its tools as it likes, and updates files by all those that it has for that.
#[test]
fn req_004_056_every_agent_updates_protected_files_with_its_own_tools() {
    let context = context();
    let path = context.work().join("CLAUDE.md");
    for (agent, tools) in [
        (
            "claude",
            &["Write", "Edit", "MultiEdit", "NotebookEdit"][..],
        ),
        ("gemini", &["write_file", "replace"]),
        ("copilot", &["create", "edit", "str_replace_editor"]),
        (
            "cursor",
            &["Write", "Edit", "StrReplace", "TabWrite", "EditNotebook"],
        ),
        ("opencode", &["write", "edit", "multiedit"]),
    ] {
        for tool in tools {
            let told = before(&context, agent, tool, &json!({"path": &path})).expect(0);
            assert_eq!(told.err(), "", "{agent}: {tool}");
        }
    }
    let told = before(&context, "cursor", "Delete", &json!({"path": &path})).expect(2);
    assert!(told.err().contains("protected"), "{}", told.err());
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
fn req_004_004_a_session_begins_with_the_words_that_the_way_of_working_announces_itself_with() {
    let line =
        "Circuit breaker is active — monitoring for stagnation, rate limits, and file protection.";
    for (preset, announces) in [("superkit", true), ("native", false)] {
        let context = context();
        let check = ["--preset", preset, "check"];
        context.fusebox(&check).run().expect(0);
        let told = hook(&context, "claude", "session-start", &json!({}));
        let told = told.run().expect(0).out();
        assert_eq!(told.contains(line), announces, "{preset}: {told}");
    }
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

/// A project that is gone is no reason to ask another directory, where nothing was counted.
#[test]
fn a_project_that_cannot_be_used_is_a_no() {
    let context = context();
    let gone = context.path("gone");
    let file = context.work().join("CLAUDE.md");
    for (agent, variable) in [
        ("claude", Some("CLAUDE_PROJECT_DIR")),
        ("gemini", Some("GEMINI_PROJECT_DIR")),
        ("cursor", Some("CURSOR_PROJECT_DIR")),
        ("codex", None),
        ("copilot", None),
        ("opencode", None),
    ] {
        for named in [&gone, &file, &"work".into()] {
            let cwd = variable.map_or(named.clone(), |_| context.path("home"));
            let payload = json!({"session_id": "s", "cwd": cwd, "tool_name": "Bash",
                "tool_input": {"command": "ls"}, "tool_use_id": "t"});
            let mut call = context.fusebox(&["hook", agent, "pre-tool-use"]);
            if let Some(variable) = variable {
                call = call.env(variable, named);
            }
            let told = call.input(payload.to_string()).run().expect(2);
            let name = named.file_name().unwrap().to_str().unwrap();
            let said = told.err();
            assert!(said.contains("cannot be used"), "{agent}: {said}");
            assert!(said.contains(name), "{agent}: {said}");
        }
    }
}
