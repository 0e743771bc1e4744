//! What readers make of lines, shown on lines written for the purpose.

use std::time::Duration;

use fusebox_agents::{AgentEvent, EndClass, Exit, RunEnd, ToolOutcome, Trouble, Usage, by_name};

use crate::support::{read_chunks, run};

fn ends_with_stderr(agent: &str, stderr: &str, exit: Exit) -> RunEnd {
    read_chunks(agent, &[b""], stderr.as_bytes(), exit).1
}

#[test]
fn retries_are_told_with_their_trouble_and_delay() {
    let table = [
        (
            "claude",
            r#"{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":579.5,"error_status":529,"error":"overloaded"}"#,
            EndClass::Overloaded,
            Some(2),
            Some(579_500),
        ),
        (
            "codex",
            r#"{"type":"error","message":"Reconnecting... 2/5 (unexpected status 503 Service Unavailable)"}"#,
            EndClass::Overloaded,
            Some(2),
            None,
        ),
        (
            "codex",
            r#"{"type":"error","message":"Reconnecting... 1/5 (stream disconnected before completion: x. Please try again in 1.5s)"}"#,
            EndClass::Network,
            Some(1),
            Some(1_500_000),
        ),
        (
            "copilot",
            r#"{"type":"assistant.turn_retry","data":{"reason":"rate_limit"},"ephemeral":true}"#,
            EndClass::RateLimited,
            Some(2),
            None,
        ),
    ];
    for (agent, line, trouble, attempt, micros) in table {
        let (events, end) = run(agent, line, Exit::StoppedByUs);
        let [AgentEvent::Retrying(retrying)] = &events[..] else {
            panic!("{events:?}");
        };
        assert_eq!(
            (retrying.trouble, retrying.attempt),
            (trouble, attempt),
            "{line}"
        );
        assert_eq!(retrying.delay, micros.map(Duration::from_micros), "{line}");
        assert_eq!(end.class, EndClass::Stopped, "a retry is no end: {line}");
    }
}

#[test]
fn what_agents_and_tools_write_about_limits_is_never_a_limit() {
    let words = "Error: You've hit your usage limit, rate limit reached, 429, please run /login";
    let table = [
        (
            "claude",
            format!(
                r#"{{"type":"assistant","message":{{"id":"m","model":"x","content":[{{"type":"text","text":"{words}"}}]}}}}
{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"c","is_error":true,"content":"{words}"}}]}}}}
{{"type":"result","is_error":false,"result":"{words}"}}"#
            ),
        ),
        (
            "codex",
            format!(
                r#"{{"type":"item.completed","item":{{"id":"i","type":"command_execution","aggregated_output":"{words}","exit_code":1,"status":"failed"}}}}
{{"type":"item.completed","item":{{"id":"j","type":"agent_message","text":"{words}"}}}}
{{"type":"turn.completed","usage":{{"input_tokens":1}}}}"#
            ),
        ),
        (
            "gemini",
            format!(
                r#"{{"type":"message","role":"assistant","content":"{words}","delta":true}}
{{"type":"tool_result","tool_id":"t","status":"error","output":"{words}","error":{{"type":"x","message":"{words}"}}}}
{{"type":"result","status":"success"}}"#
            ),
        ),
        (
            "opencode",
            format!(
                r#"{{"type":"tool_use","sessionID":"s","part":{{"tool":"bash","callID":"c","state":{{"status":"completed","output":"{words}","metadata":{{"exit":1}}}}}}}}
{{"type":"text","sessionID":"s","part":{{"text":"{words}"}}}}
{{"type":"step_finish","sessionID":"s","part":{{"reason":"stop"}}}}"#
            ),
        ),
        (
            "copilot",
            format!(
                r#"{{"type":"assistant.message","data":{{"content":"{words}"}}}}
{{"type":"tool.execution_complete","data":{{"toolCallId":"c","success":false,"error":{{"message":"{words}"}}}}}}
{{"type":"result","sessionId":"s","exitCode":0}}"#
            ),
        ),
        (
            "aider",
            format!(
                "litellm.RateLimitError: {words}\n{words}\nTokens: 1.0k sent, 50 received.\n{words}"
            ),
        ),
        ("generic", words.to_owned()),
    ];
    for (agent, stdout) in table {
        let (_, end) = run(agent, &stdout, Exit::Code(0));
        assert_eq!(end.class, EndClass::Finished, "{agent}: {end:#?}");
        assert_eq!(end.denials, 0, "{agent}");
    }
}

#[test]
fn a_command_that_nobody_knows_is_unclear_whatever_it_says() {
    let words = "You've hit your usage limit · resets 3pm (UTC)";
    let table = [
        (Exit::Code(1), EndClass::Unclear),
        (Exit::Signal(9), EndClass::Crash),
        (Exit::StoppedByUs, EndClass::Stopped),
        (Exit::Code(0), EndClass::Finished),
    ];
    for (exit, class) in table {
        let end = ends_with_stderr("generic", words, exit);
        assert_eq!((end.class, end.resets_at), (class, None), "{exit:?}");
    }
    assert_eq!(
        ends_with_stderr("generic", words, Exit::Code(1)).detail,
        words
    );
}

#[test]
fn last_words_explain_a_failure_that_no_event_does() {
    let table = [
        (
            "claude",
            "--dangerously-skip-permissions cannot be used with root/sudo privileges",
            EndClass::Setup,
        ),
        (
            "codex",
            "error: unexpected argument '--nope' found\n\nFor more information, try '--help'.",
            EndClass::Setup,
        ),
        (
            "gemini",
            "Please set an Auth method in your settings.json",
            EndClass::Auth,
        ),
        (
            "copilot",
            "Error: No authentication information found.",
            EndClass::Auth,
        ),
        ("opencode", "Error: Session not found", EndClass::Setup),
        (
            "aider",
            "aider: error: unrecognized arguments: --nope",
            EndClass::Setup,
        ),
        ("codex", "thread 'main' panicked", EndClass::Crash),
    ];
    for (agent, stderr, class) in table {
        let end = ends_with_stderr(agent, stderr, Exit::Code(1));
        assert_eq!(end.class, class, "{agent}: {stderr}");
        assert!(!end.detail.is_empty(), "{agent}");
        let after_success = ends_with_stderr(agent, stderr, Exit::Code(0));
        assert_eq!(after_success.class, EndClass::Unclear, "{agent}: {stderr}");
    }
}

#[test]
fn a_denial_that_only_standard_error_tells_is_told() {
    let stderr =
        "ERROR codex_core::exec: approval policy is Never; reject command — you cannot ask";
    let (events, end) = read_chunks("codex", &[b""], stderr.as_bytes(), Exit::Code(0));
    assert!(matches!(&events[..], [AgentEvent::Denied { .. }]));
    assert_eq!(end.denials, 1);
    let declined = r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"rm x","status":"declined"}}"#;
    let (events, end) = run("codex", declined, Exit::Code(0));
    assert_eq!(end.denials, 1);
    let denied = events.iter().any(|event| {
        matches!(event, AgentEvent::ToolResult(result) if result.outcome == ToolOutcome::Denied)
    });
    assert!(denied, "{events:?}");
}

#[test]
fn req_004_054_without_structure_the_text_is_the_result() {
    for agent in [
        "claude", "codex", "gemini", "opencode", "copilot", "aider", "generic",
    ] {
        let (events, end) = run(agent, "I have\nwritten it.\n", Exit::StoppedByUs);
        let text = end.result.map(|result| result.text.text);
        assert_eq!(text.as_deref(), Some("I have\nwritten it."), "{agent}");
        let structured = by_name(agent).expect("ours").abilities().structured;
        assert_eq!(
            end.unreadable,
            if structured { 2 } else { 0 },
            "{agent}: {events:?}"
        );
    }
}

#[test]
fn kinds_that_are_not_known_are_counted_and_named() {
    let stdout = "{\"type\":\"brand.new\",\"data\":{}}\nnot json\n{\"no\":\"type\"}\n[1]\n";
    for agent in ["claude", "codex", "gemini", "opencode", "copilot"] {
        let (events, end) = run(agent, stdout, Exit::Code(0));
        assert_eq!((end.unknown, end.unreadable), (1, 3), "{agent}");
        let named = AgentEvent::Unknown {
            kind: "brand.new".to_owned(),
        };
        assert!(events.contains(&named), "{agent}");
    }
}

#[test]
fn trouble_outside_the_agent_is_told_from_trouble_with_the_work() {
    let table = [
        (EndClass::UsageLimit, Some(Trouble::Limit)),
        (EndClass::RateLimited, Some(Trouble::Limit)),
        (EndClass::Overloaded, Some(Trouble::Overload)),
        (EndClass::Auth, Some(Trouble::Auth)),
        (EndClass::Network, Some(Trouble::Network)),
        (EndClass::Context, None),
        (EndClass::Finished, None),
        (EndClass::Crash, None),
    ];
    for (class, trouble) in table {
        assert_eq!(class.trouble(), trouble, "{class:?}");
    }
}

#[test]
fn aider_bills_each_answer_and_says_when_it_tries_again() {
    let stdout = "Tokens: 1.0k sent, 50 received. Cost: $0.02 message, $0.02 session.\n\
                  litellm.RateLimitError: slow down\nRetrying in 0.5 seconds...\n\
                  Tokens: 2.0k sent, 50 received. Cost: $0.03 message, $0.05 session.\n";
    let (events, end) = run("aider", stdout, Exit::Code(0));
    assert_eq!(end.class, EndClass::Finished);
    assert_eq!(
        (end.usage.tokens(), end.usage.micro_usd),
        (Some(3100), Some(50_000))
    );
    let retries = events
        .iter()
        .filter(|event| matches!(event, AgentEvent::Retrying(_)));
    assert_eq!(retries.count(), 1);
    assert_ne!(end.usage, Usage::default());
}
