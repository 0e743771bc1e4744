//! How whole runs end, each in as few lines as show it.

use fusebox_agents::{AgentEvent, EndClass, Exit, ToolOutcome};

use crate::support::{NOW, read_chunks, run};

const OPENCODE_FULL: &str = r#"{"type":"error","sessionID":"s","error":{"name":"ContextOverflowError","data":{"message":"too long"}}}
"#;
const OPENCODE_WORK: &str = r#"{"type":"tool_use","sessionID":"s","part":{"tool":"bash","callID":"c","state":{"status":"completed","output":"x","metadata":{"exit":0}}}}
"#;
const OPENCODE_STOP: &str = r#"{"type":"step_finish","sessionID":"s","part":{"reason":"stop","tokens":{"total":3,"input":2,"output":1}}}
"#;
const OPENCODE_REFUSED: &str = r#"{"type":"tool_use","sessionID":"s","part":{"tool":"read","callID":"c","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}
{"type":"step_finish","sessionID":"s","part":{"reason":"tool-calls"}}
"#;

#[test]
fn opencode_has_finished_when_its_last_step_stops() {
    use EndClass::{Context, Finished, Permission, Stopped, Unclear};
    let table: [(&[&str], Exit, EndClass); 8] = [
        (&[OPENCODE_STOP], Exit::Code(0), Finished),
        (&[OPENCODE_FULL, OPENCODE_STOP], Exit::Code(0), Finished),
        (&[OPENCODE_FULL, OPENCODE_STOP], Exit::StoppedByUs, Context),
        (&[OPENCODE_FULL, OPENCODE_WORK], Exit::StoppedByUs, Stopped),
        (&[OPENCODE_FULL], Exit::Code(1), Context),
        (&[OPENCODE_REFUSED], Exit::Code(0), Permission),
        (&[OPENCODE_REFUSED, OPENCODE_WORK], Exit::Code(0), Unclear),
        (&[OPENCODE_REFUSED, OPENCODE_STOP], Exit::Code(0), Finished),
    ];
    for (lines, exit, class) in table {
        let (_, end) = run("opencode", &lines.concat(), exit);
        assert_eq!(end.class, class, "{lines:?} {exit:?}");
    }
}

#[test]
fn gemini_reports_success_although_its_loop_guard_stopped_it() {
    let guard =
        r#"{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}"#;
    let remark = r#"{"type":"error","severity":"warning","message":"Something else"}"#;
    let success = r#"{"type":"result","status":"success"}"#;
    let table = [
        (guard, EndClass::OwnLoopGuard),
        (remark, EndClass::Finished),
    ];
    for (line, class) in table {
        let (events, end) = run("gemini", &format!("{line}\n{success}"), Exit::Code(0));
        assert_eq!(end.class, class, "{line}");
        assert!(events.contains(&AgentEvent::Finished { class }), "{line}");
    }
}

#[test]
fn gemini_exit_codes_count_when_nothing_else_was_said() {
    let table = [
        (41, EndClass::Auth),
        (53, EndClass::TurnCap),
        (173, EndClass::RateLimited),
        (247, EndClass::Overloaded),
        (1, EndClass::Crash),
        (0, EndClass::Unclear),
    ];
    for (code, class) in table {
        assert_eq!(run("gemini", "", Exit::Code(code)).1.class, class, "{code}");
        let success = r#"{"type":"result","status":"success"}"#;
        let said = run("gemini", success, Exit::Code(code)).1;
        assert_eq!(said.class, EndClass::Finished, "{code}");
    }
}

#[test]
fn copilot_exits_with_0_after_an_abort() {
    let abort = r#"{"type":"abort","data":{"reason":"user_initiated"}}"#;
    let error = r#"{"type":"session.error","data":{"errorType":"quota","message":"402"}}"#;
    let result = r#"{"type":"result","sessionId":"s","exitCode":0}"#;
    let table = [
        (vec![result], EndClass::Finished),
        (vec![abort, result], EndClass::Stopped),
        (vec![abort], EndClass::Stopped),
        (vec![error, result], EndClass::UsageLimit),
    ];
    for (lines, class) in table {
        let (_, end) = run("copilot", &lines.join("\n"), Exit::Code(130));
        assert_eq!(end.class, class, "{lines:?}");
    }
}

#[test]
fn codex_counts_the_cache_within_the_input_and_here_it_does_not() {
    let line = r#"{"type":"turn.completed","usage":{"input_tokens":2200,"cached_input_tokens":800,"cache_write_input_tokens":100,"output_tokens":60,"reasoning_output_tokens":20}}"#;
    let (_, end) = run("codex", line, Exit::Code(0));
    assert_eq!(end.usage.input_tokens, Some(1300));
    assert_eq!(end.usage.tokens(), Some(2260));
}

#[test]
fn a_denial_of_claude_is_counted_once_however_often_it_is_told() {
    let stdout = r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"c1","message":"denied in this mode"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"no"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":"no"}]},"tool_result_meta":[{"id":"c2","permission_decision":{"decision":"reject"}}]}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c3","is_error":true,"content":"no"}]},"tool_result_meta":[{"id":"c2","permission_decision":{"decision":"reject"}}]}
{"type":"result","is_error":false,"permission_denials":[{"tool_name":"Bash","tool_use_id":"c1"},7,{"tool_name":"Edit","tool_use_id":"c2"}]}"#;
    let (events, end) = run("claude", stdout, Exit::Code(0));
    assert_eq!((end.class, end.denials), (EndClass::Finished, 2));
    let outcomes: Vec<ToolOutcome> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolResult(result) => Some(result.outcome),
            _ => None,
        })
        .collect();
    let (denied, failed) = (ToolOutcome::Denied, ToolOutcome::Failed);
    assert_eq!(outcomes, [denied, denied, failed]);
}

#[test]
fn the_event_of_a_window_beats_the_sentence_about_it() {
    let event = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794782215,"rateLimitType":"five_hour"}}
"#;
    let result = r#"{"type":"result","is_error":true,"result":"You've hit your 5-hour limit · resets 10:36pm (UTC)"}"#;
    let table = [
        (format!("{event}{result}"), 1_794_782_215_000),
        (result.to_owned(), 1_794_782_160_000),
    ];
    for (stdout, resets_at) in table {
        let (_, end) = run("claude", &stdout, Exit::Code(1));
        assert_eq!(
            (end.class, end.resets_at),
            (EndClass::UsageLimit, Some(resets_at))
        );
    }
}

#[test]
fn an_error_that_claude_overcame_does_not_explain_a_later_one() {
    let error = r#"{"type":"assistant","error":"billing_error","message":{"id":"e","model":"<synthetic>","content":[]}}"#;
    let answer = r#"{"type":"assistant","message":{"id":"m","model":"x","content":[]}}"#;
    let result = r#"{"type":"result","is_error":true,"result":"odd"}"#;
    let table = [
        ([error, result].join("\n"), EndClass::Billing),
        ([error, answer, result].join("\n"), EndClass::Unclear),
    ];
    for (stdout, class) in table {
        assert_eq!(
            run("claude", &stdout, Exit::Code(1)).1.class,
            class,
            "{stdout}"
        );
    }
}

#[test]
fn whoever_ends_a_gemini_that_sleeps_on_its_quota_learns_until_when() {
    let stderr = "Attempt 1 failed: Your quota will reset after 2h.. Retrying after 7200000ms...";
    let awake = r#"{"type":"message","role":"assistant","content":"Good morning."}"#;
    let table = [
        ("", EndClass::UsageLimit, Some(7_200_000)),
        (awake, EndClass::Stopped, None),
    ];
    for (stdout, class, ahead) in table {
        let chunks = [stdout.as_bytes()];
        let (_, end) = read_chunks("gemini", &chunks, stderr.as_bytes(), Exit::StoppedByUs);
        assert_eq!(end.class, class, "{stdout}");
        assert_eq!(
            end.resets_at,
            ahead.map(|ahead: i64| NOW + ahead),
            "{stdout}"
        );
    }
}

#[test]
fn whoever_ends_an_opencode_that_waits_for_its_vendor_learns_why() {
    let stderr = r#"timestamp=2026-11-16T02:58:55.000Z level=ERROR run=1 message="stream error" small=false error.error="AI_APICallError: The server is overloaded.""#;
    let answer = r#"{"type":"step_start","sessionID":"s","part":{"type":"step-start"}}"#;
    let table = [("", EndClass::Overloaded), (answer, EndClass::Stopped)];
    for (stdout, class) in table {
        let chunks = [stdout.as_bytes()];
        let (events, end) = read_chunks("opencode", &chunks, stderr.as_bytes(), Exit::StoppedByUs);
        assert_eq!(end.class, class, "{stdout}");
        let retries = events
            .iter()
            .filter(|event| matches!(event, AgentEvent::Retrying(_)));
        assert_eq!(retries.count(), 1, "{stdout}");
    }
}
