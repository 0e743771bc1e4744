//! Small sessions in every format, and a way to read them.

use std::fs;

use fusebox_core::calls::CallPolicy;
use fusebox_replay::{
    FileReport, Follower, Judging, Recording, Told, Verdicts, find, read_from, survey,
};

/// Reads text as a file of that name would be.
pub(crate) fn read_by<F: Follower>(
    bytes: &[u8],
    begin: impl Fn() -> F,
) -> (FileReport, Vec<Told<F::Outcome>>) {
    let mut sessions = Vec::new();
    let report = read_from("unnamed", bytes, &begin, &mut |told| sessions.push(told));
    (report, sessions)
}

pub(crate) fn record(text: &str) -> (FileReport, Vec<Told<Recording>>) {
    read_by(text.as_bytes(), Recording::default)
}

pub(crate) fn judge(text: &str) -> Vec<Told<Verdicts>> {
    read_by(text.as_bytes(), || Judging::by(CallPolicy::native())).1
}

/// Writes text to a file and reads the folder.
pub(crate) fn read_folder(files: &[(&str, &[u8])]) -> Vec<(String, FileReport, usize)> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let (found, failed) = find(&[folder.path().to_owned()]);
    assert!(failed.is_empty());
    let read = survey(&found, &Default::default(), Recording::default);
    let read = read.into_iter().map(|file| {
        let name = file.path.strip_prefix(folder.path()).unwrap();
        (name.display().to_string(), file.report, file.sessions.len())
    });
    read.collect()
}

/// A session of Claude Code: a prompt, then rounds of one call and its answer.
pub(crate) fn claude_session(rounds: usize, answer: impl Fn(usize) -> String) -> String {
    let mut text = claude_line("user", 0, r#""content":"Make the tests pass.""#);
    for round in 1..=rounds {
        text += &claude_line(
            "assistant",
            2 * round - 1,
            &format!(
                r#""id":"m{round}","model":"claude","content":[{{"type":"text","text":"I will run them."}},{{"type":"tool_use","id":"t{round}","name":"Bash","input":{{"command":"make test"}}}}],"usage":{{"input_tokens":10,"output_tokens":5}}"#
            ),
        );
        let answer = serde_json::to_string(&answer(round)).unwrap();
        text += &claude_line(
            "user",
            2 * round,
            &format!(
                r#""content":[{{"type":"tool_result","tool_use_id":"t{round}","is_error":true,"content":{answer}}}]"#
            ),
        );
    }
    text
}

/// One line of a session of Claude Code.
pub(crate) fn claude_line(kind: &str, number: usize, message: &str) -> String {
    let parent = number.wrapping_sub(1);
    let (minute, second) = (number / 60, number % 60);
    format!(
        "{{\"type\":\"{kind}\",\"sessionId\":\"s\",\"isSidechain\":false,\"uuid\":\"u{number}\",\"parentUuid\":\"u{parent}\",\"timestamp\":\"2026-01-01T00:{minute:02}:{second:02}.000Z\",\"message\":{{{message}}}}}\n"
    )
}

/// The same lines under other names.
pub(crate) fn renamed(session: &str, letter: char) -> String {
    let named = session.replace("\"uuid\":\"u", &format!("\"uuid\":\"{letter}"));
    named.replace("\"parentUuid\":\"u", &format!("\"parentUuid\":\"{letter}"))
}

/// The same session, as it was printed.
pub(crate) fn claude_stream(session: &str) -> String {
    let printed = session.replace("\"sessionId\"", "\"session_id\"");
    let init =
        "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"model\":\"claude\"}\n";
    // What a person wrote is not printed.
    let printed = printed.lines().skip(1).map(|line| format!("{line}\n"));
    init.to_owned() + &printed.collect::<String>()
}

pub(crate) const CODEX_ROLLOUT: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"roll-1","cwd":"/w"}}
{"timestamp":"2026-01-01T00:00:00Z","type":"turn_context","payload":{"model":"gpt"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":{"type":"task_started"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}}
{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}}
{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}}
{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}
{"timestamp":"2026-01-01T00:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code 1\nOutput:\nno\n"}}
{"timestamp":"2026-01-01T00:00:03Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":5}}}}
{"timestamp":"2026-01-01T00:00:04Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":5}}}}
"#;

pub(crate) const CODEX_STREAM: &str = r#"{"type":"thread.started","thread_id":"th-1"}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"no\n","exit_code":1,"status":"failed"}}
{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":5}}
"#;

pub(crate) const GEMINI_STREAM: &str = r#"{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g-1","model":"gemini"}
{"type":"message","timestamp":"2026-01-01T00:00:00Z","role":"user","content":"do it"}
{"type":"tool_use","timestamp":"2026-01-01T00:00:01Z","tool_name":"run_shell_command","tool_id":"x","parameters":{"command":"ls"}}
{"type":"tool_result","timestamp":"2026-01-01T00:00:02Z","tool_id":"x","status":"error","output":"no"}
{"type":"result","timestamp":"2026-01-01T00:00:03Z","status":"success","stats":{"total_tokens":105,"input_tokens":100,"output_tokens":5,"cached":40}}
"#;

pub(crate) const OPENCODE_STREAM: &str = r#"{"type":"step_start","sessionID":"o-1","part":{"type":"step-start"}}
{"type":"tool_use","sessionID":"o-1","part":{"tool":"bash","callID":"c","state":{"status":"error","input":{"command":"ls"},"error":"no"}}}
{"type":"step_finish","sessionID":"o-1","part":{"reason":"stop","cost":0.01,"tokens":{"input":60,"output":5,"reasoning":0,"cache":{"read":40,"write":0}}}}
"#;

pub(crate) const OPENHANDS_LIST: &str = r#"[
  {"id":0,"timestamp":"2026-01-01T00:00:00.000001","source":"user","action":"message","args":{"content":"do it"}},
  {"id":1,"timestamp":"2026-01-01T00:00:01.000001","source":"agent","action":"run","args":{"command":"ls","thought":"hm","confirmation_state":"confirmed"},"tool_call_metadata":{"function_name":"execute_bash"}},
  {"id":2,"timestamp":"2026-01-01T00:00:02.000001","source":"agent","observation":"run","content":"no","cause":1,"extras":{"metadata":{"exit_code":1}}},
  {"id":3,"timestamp":"2026-01-01T00:00:02.000001","source":"environment","observation":"agent_state_changed","content":"","extras":{}}
]"#;

pub(crate) const OPENHANDS_SDK: &str = r#"{"kind":"SystemPromptEvent","source":"agent","timestamp":"2026-01-01T00:00:00"}
{"kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"do it"}]}}
{"kind":"ActionEvent","source":"agent","thought":[{"type":"text","text":"hm"}],"tool_name":"terminal","tool_call_id":"c1","action":{"command":"ls","kind":"ExecuteBashAction"}}
{"kind":"ObservationEvent","source":"environment","tool_name":"terminal","tool_call_id":"c1","observation":{"content":[{"type":"text","text":"no"}],"exit_code":1}}
"#;

pub(crate) const SWE_AGENT: &str = r#"{
  "environment": "swe_main",
  "trajectory": [
    {"action": "ls\n", "observation": "a.py\n", "response": "hm", "thought": "hm", "execution_time": 0.5},
    {"action": "", "observation": "", "response": "I am done", "thought": "I am done"}
  ],
  "info": {"exit_status": "submitted (exit_cost)", "model_stats": {"instance_cost": 0.25, "tokens_sent": 100, "tokens_received": 5}}
}"#;

pub(crate) const COLLECTION: &str = r#"{"source":"a","session":"one","model":"m","termination":"stuck","outcome":"unresolved","events":[{"kind":"user","text":"do it"},{"kind":"call","tool":"execute_bash","args":{"command":"ls > out"},"say":"hm","result":"no","result_len":2,"result_sha":"x","is_error":true},{"kind":"call","tool":"execute_bash","args":{"command":"ls"},"result":null,"result_sha":null}]}
{"source":"a","session":"two","model":"m","termination":"human_supervised","outcome":"unknown","events":[]}
"#;

pub(crate) const JOURNAL: &str = r#"{"seq":1,"at":"2026-01-01T00:00:00Z","kind":"granted","iteration":1}
{"seq":2,"at":"2026-01-01T00:00:09Z","kind":"reported","iteration":1,"task":"t","files_changed":0,"error":"E: no"}
"#;
