//! What the agents hand over, as they were seen to, or as their makers write.

use std::path::Path;

use fusebox_agents::ToolOutcome;
use fusebox_agents::hook::{
    Deed, HOOKED, HookCall, HookEvent, HookPoint, Hooks, Touch, Trace, Unreadable, hooks_by_name,
};

fn read(agent: &str, point: HookPoint, payload: &str) -> HookCall {
    let hooks = hooks_by_name(agent).expect("one of ours");
    hooks
        .read(point, payload)
        .unwrap_or_else(|error| panic!("{agent}: {error}: {payload}"))
}

fn deeds(agent: &str, payload: &str) -> Vec<Deed> {
    match read(agent, HookPoint::BeforeTool, payload).event {
        HookEvent::BeforeTool(tool) => tool.deeds,
        other => panic!("{other:?}"),
    }
}

fn shell(command: &str, directory: Option<&str>) -> Vec<Deed> {
    vec![Deed::Shell {
        command: command.into(),
        directory: directory.map(Into::into),
    }]
}

fn write(path: &str, touch: Touch) -> Vec<Deed> {
    vec![Deed::Write {
        path: path.into(),
        touch,
    }]
}

fn patch(text: &str) -> Vec<Deed> {
    vec![Deed::Patch {
        text: text.into(),
        directory: None,
    }]
}

#[test]
fn what_a_tool_would_do() {
    for (agent, payload, expected) in [
        (
            "claude",
            r#"{"session_id":"s","transcript_path":"/t","cwd":"/p","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"npm test","description":"Run tests","timeout":120000},"tool_use_id":"toolu_01"}"#,
            shell("npm test", None),
        ),
        (
            "claude",
            r#"{"tool_name":"Write","tool_input":{"file_path":"/p/CLAUDE.md","content":"x"}}"#,
            write("/p/CLAUDE.md", Touch::Update),
        ),
        (
            "claude",
            r#"{"tool_name":"NotebookEdit","tool_input":{"notebook_path":"/p/a.ipynb","new_source":"x"}}"#,
            write("/p/a.ipynb", Touch::Update),
        ),
        (
            "claude",
            r#"{"tool_name":"Read","tool_input":{"file_path":"/p/CLAUDE.md"}}"#,
            vec![],
        ),
        (
            "claude",
            r#"{"tool_name":"LSP","tool_input":{"file_path":"/p/CLAUDE.md","command":"/review"}}"#,
            vec![],
        ),
        (
            "claude",
            r#"{"tool_name":"SlashCommand","tool_input":{"file_path":"/p/CLAUDE.md","command":"/review"}}"#,
            vec![],
        ),
        (
            "opencode",
            r#"{"tool_name":"lsp","tool_input":{"filePath":"/p/CLAUDE.md"}}"#,
            vec![],
        ),
        (
            "copilot",
            r#"{"toolName":"rg","toolArgs":"{\"path\":\"/p/CLAUDE.md\"}"}"#,
            vec![],
        ),
        (
            "claude",
            r#"{"tool_name":"mcp__fs__delete_file","tool_input":{"path":"specs/a"}}"#,
            write("specs/a", Touch::Delete),
        ),
        (
            "codex",
            r#"{"session_id":"s","turn_id":"t","cwd":"/p","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"rm -rf specs"},"tool_use_id":"call_1","transcript_path":null}"#,
            shell("rm -rf specs", None),
        ),
        (
            "codex",
            r#"{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Delete File: specs/a.md\n*** End Patch"}}"#,
            patch("*** Begin Patch\n*** Delete File: specs/a.md\n*** End Patch"),
        ),
        (
            "gemini",
            r#"{"session_id":"s","cwd":"/p","hook_event_name":"BeforeTool","timestamp":"t","tool_name":"run_shell_command","tool_input":{"command":"ls","dir_path":"sub"}}"#,
            shell("ls", Some("sub")),
        ),
        (
            "gemini",
            r#"{"tool_name":"replace","tool_input":{"file_path":"/p/a","old_string":"a","new_string":"b"}}"#,
            write("/p/a", Touch::Update),
        ),
        (
            "copilot",
            r#"{"sessionId":"s","timestamp":1,"cwd":"/p","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#,
            shell("ls", None),
        ),
        (
            "copilot",
            r#"{"sessionId":"s","timestamp":1,"cwd":"/p","toolName":"create","toolArgs":{"path":"/p/a"}}"#,
            write("/p/a", Touch::Update),
        ),
        (
            "cursor",
            r#"{"conversation_id":"c","generation_id":"g","hook_event_name":"preToolUse","workspace_roots":["/p"],"tool_name":"Delete","tool_input":{"path":"/p/specs"},"tool_use_id":"u"}"#,
            write("/p/specs", Touch::Delete),
        ),
        (
            "opencode",
            r#"{"session_id":"s","cwd":"/p","tool_name":"bash","tool_input":{"command":"ls","workdir":"/p/sub"},"tool_use_id":"c"}"#,
            shell("ls", Some("/p/sub")),
        ),
        (
            "opencode",
            r#"{"tool_name":"edit","tool_input":{"filePath":"/p/a","oldString":"a"}}"#,
            write("/p/a", Touch::Update),
        ),
    ] {
        assert_eq!(deeds(agent, payload), expected, "{agent}: {payload}");
    }
}

#[test]
fn a_command_by_itself_is_read_from_cursor() {
    let call = read(
        "cursor",
        HookPoint::BeforeCommand,
        r#"{"conversation_id":"c","command":"rm -rf specs","cwd":"","workspace_roots":["/p"]}"#,
    );
    assert_eq!(call.session, "c");
    assert_eq!(call.directory.as_deref(), Some(Path::new("/p")));
    let HookEvent::BeforeCommand(deed) = call.event else {
        panic!("{call:?}");
    };
    assert_eq!(vec![deed], shell("rm -rf specs", None));
}

#[test]
fn what_came_of_a_tool() {
    use ToolOutcome::{Failed, Succeeded};
    for (agent, point, payload, expected, said) in [
        (
            "claude",
            HookPoint::AfterTool,
            r#"{"tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"a","stderr":"b","interrupted":false}}"#,
            Succeeded,
            "a\nb",
        ),
        (
            "claude",
            HookPoint::AfterFailure,
            r#"{"tool_name":"Bash","tool_input":{},"error":"Exit code 1\nno"}"#,
            Failed,
            "Exit code 1\nno",
        ),
        (
            "codex",
            HookPoint::AfterTool,
            r#"{"tool_name":"Bash","tool_input":{},"tool_response":"done"}"#,
            Succeeded,
            "done",
        ),
        (
            "codex",
            HookPoint::AfterTool,
            r#"{"tool_name":"Bash","tool_input":{},"tool_response":{"output":"no","metadata":{"exit_code":1}}}"#,
            Failed,
            "no",
        ),
        (
            "gemini",
            HookPoint::AfterTool,
            r#"{"tool_name":"x","tool_input":{},"tool_response":{"llmContent":"a","returnDisplay":"a","error":{"message":"m"}}}"#,
            Failed,
            "a",
        ),
        (
            "copilot",
            HookPoint::AfterTool,
            r#"{"toolName":"bash","toolArgs":{},"toolResult":{"resultType":"failure","textResultForLlm":"no"}}"#,
            Failed,
            "no",
        ),
        (
            "cursor",
            HookPoint::AfterFailure,
            r#"{"tool_name":"Shell","tool_input":{},"error_message":"no"}"#,
            Failed,
            "no",
        ),
        (
            "opencode",
            HookPoint::AfterTool,
            r#"{"tool_name":"bash","tool_input":{},"tool_response":{"output":"x","metadata":{"exit":2}}}"#,
            Failed,
            "x",
        ),
    ] {
        match read(agent, point, payload).event {
            HookEvent::AfterTool { outcome, text, .. } => {
                assert_eq!((outcome, text.as_str()), (expected, said), "{payload}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn who_where_and_which() {
    let call = read(
        "claude",
        HookPoint::BeforeTool,
        r#"{"session_id":"s","agent_id":"a","transcript_path":"/t.jsonl","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_01"}"#,
    );
    assert_eq!(
        (call.session.as_str(), call.agent.as_deref()),
        ("s", Some("a"))
    );
    assert_eq!(call.transcript.as_deref(), Some(Path::new("/t.jsonl")));
    let HookEvent::BeforeTool(tool) = call.event else {
        panic!("not a tool");
    };
    assert_eq!(
        (tool.id.as_deref(), tool.tool.as_str()),
        (Some("toolu_01"), "Bash")
    );
    for (agent, payload, by_itself, words) in [
        (
            "claude",
            r#"{"stop_hook_active":true,"last_assistant_message":"Done."}"#,
            true,
            "Done.",
        ),
        ("codex", r#"{"stop_hook_active":false}"#, false, ""),
        (
            "gemini",
            r#"{"prompt":"p","prompt_response":"Done."}"#,
            false,
            "Done.",
        ),
        (
            "cursor",
            r#"{"status":"completed","loop_count":2}"#,
            true,
            "",
        ),
        ("opencode", "{}", false, ""),
    ] {
        let expected = HookEvent::Stop {
            goes_on_by_itself: by_itself,
            said: words.into(),
        };
        assert_eq!(
            read(agent, HookPoint::Stop, payload).event,
            expected,
            "{payload}"
        );
    }
    let prompt = read("gemini", HookPoint::Prompt, r#"{"prompt":"Go on."}"#);
    let text = "Go on.".into();
    assert_eq!(prompt.event, HookEvent::Prompt { text });
}

#[test]
fn what_cannot_be_read_for_sure_is_not_read() {
    let deep = format!(
        r#"{{"tool_name":"Bash","tool_input":{}1{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    for hooks in HOOKED {
        for (payload, error) in [
            ("", Unreadable::NotAnObject),
            ("[]", Unreadable::NotAnObject),
            ("null", Unreadable::NotAnObject),
            (
                r#"{"tool_name":"Bash","tool_input":{"command":"ls"}"#,
                Unreadable::NotAnObject,
            ),
            (
                r#"{"tool_name":"Read","tool_name":"Bash","tool_input":{}}"#,
                Unreadable::NotAnObject,
            ),
            (
                r#"{"tool_name":"Bash","tool_input":{},"tool_input":{}}"#,
                Unreadable::NotAnObject,
            ),
            (&deep, Unreadable::NotAnObject),
            ("{}", Unreadable::NoTool),
            (r#"{"tool_name":7,"tool_input":{}}"#, Unreadable::NoTool),
        ] {
            let result = hooks.read(HookPoint::BeforeTool, payload);
            assert_eq!(result.err(), Some(error), "{}: {payload:.60}", hooks.name());
        }
    }
}

#[test]
fn half_a_character_does_not_hide_a_command() {
    let payload = r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf specs \ud83d"}}"#;
    assert_eq!(
        deeds("claude", payload),
        shell("rm -rf specs \u{fffd}", None)
    );
}

#[test]
fn traces_of_tools_in_transcripts() {
    let called = |id: &str| Trace::Called { id: id.into() };
    let ran = |id: &str| Trace::Ran { id: id.into() };
    for (agent, line, expected) in [
        (
            "claude",
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t1","name":"Bash","input":{}},{"type":"tool_use","id":"t2","name":"Read","input":{}}]}}"#,
            vec![called("t1")],
        ),
        (
            "claude",
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#,
            vec![ran("t1")],
        ),
        (
            "claude",
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true}]}}"#,
            vec![],
        ),
        (
            "claude",
            r#"{"isSidechain":true,"message":{"content":[{"type":"tool_use","id":"t1","name":"Bash"}]}}"#,
            vec![],
        ),
        (
            "claude",
            r#"{"type":"user","message":{"content":"plain"}}"#,
            vec![],
        ),
        ("claude", "no JSON", vec![]),
        (
            "codex",
            r#"{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c1"}}"#,
            vec![called("c1")],
        ),
        (
            "codex",
            r#"{"type":"response_item","payload":{"type":"function_call","name":"update_plan","call_id":"c1"}}"#,
            vec![],
        ),
        (
            "codex",
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Process exited with code 0\nOutput:\n"}}"#,
            vec![ran("c1")],
        ),
        (
            "codex",
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"denied by a hook"}}"#,
            vec![],
        ),
    ] {
        let read = hooks_by_name(agent)
            .and_then(Hooks::traces)
            .expect("a transcript");
        let mut traces = Vec::new();
        read(line, &mut traces);
        assert_eq!(traces, expected, "{line}");
    }
}
