//! What the reader of Claude Code makes of lines written for the purpose.

use fusebox_agents::{AgentEvent, EndClass, Exit, LimitStatus, Totals, Window};

use crate::support::{read_resumed, run};

const CALL_AND_ANSWER: &str = r#"
{"type":"system","subtype":"init","session_id":"s1","model":"sonnet","claude_code_version":"9.9","cwd":"/repo"}
{"type":"assistant","message":{"id":"m1","model":"sonnet","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Looking."},{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"false"}}],"usage":{"input_tokens":7,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s1"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":[{"type":"text","text":"Exit code 3\nboom"},{"type":"image"},{"type":"text","text":"more"}]}]},"session_id":"s1"}
{"type":"assistant","message":{"id":"m2","model":"haiku","content":[{"type":"tool_use","id":"c2","name":"Read","input":{}}]},"parent_tool_use_id":"c1","session_id":"s1"}
{"type":"system","subtype":"compact_boundary","session_id":"s1"}
"#;

#[test]
fn a_conversation_becomes_events_in_order() {
    let (events, _) = run("claude", CALL_AND_ANSWER, Exit::StoppedByUs);
    let kinds: Vec<String> = events
        .iter()
        .map(|event| match event {
            AgentEvent::SessionStarted(started) => format!("session {:?}", started.model),
            AgentEvent::TurnStarted => "turn".to_owned(),
            AgentEvent::Thought => "thought".to_owned(),
            AgentEvent::Said(said) => said.text.clone(),
            AgentEvent::ToolCall(call) => {
                format!("{} {} {:?}", call.tool, call.arguments.text, call.parent)
            }
            AgentEvent::ToolResult(result) => {
                format!(
                    "{:?} {:?} {}",
                    result.outcome, result.exit_code, result.text.text
                )
            }
            AgentEvent::Compacted => "compacted".to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "session Some(\"sonnet\")",
            "turn",
            "thought",
            "Looking.",
            "Bash {\"command\":\"false\"} None",
            "Failed Some(3) Exit code 3\nboom\nmore",
            "Read {} Some(\"c1\")",
            "compacted",
        ]
    );
}

#[test]
fn an_agent_that_is_killed_before_its_bill_has_spent_at_least_what_it_told() {
    let (_, end) = run("claude", CALL_AND_ANSWER, Exit::StoppedByUs);
    assert_eq!(end.class, EndClass::Stopped);
    assert_eq!(end.usage.tokens(), Some(8));
    assert!(!end.usage_is_complete);
    assert_eq!(end.session.as_deref(), Some("s1"));
}

fn result(class_fields: &str) -> String {
    format!(r#"{{"session_id":"s","num_turns":2,{class_fields},"type":"result"}}"#)
}

#[test]
fn success_is_no_success_when_the_rest_of_the_result_says_so() {
    let table = [
        (
            r#""subtype":"success","is_error":false,"result":"ok""#,
            EndClass::Finished,
        ),
        (
            r#""subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your limit · resets 8pm (UTC)""#,
            EndClass::UsageLimit,
        ),
        (
            r#""subtype":"success","is_error":true,"api_error_status":429,"result":"API Error""#,
            EndClass::RateLimited,
        ),
        (
            r#""subtype":"success","is_error":true,"api_error_status":500,"result":"API Error""#,
            EndClass::Overloaded,
        ),
        (
            r#""subtype":"success","is_error":false,"result":"","terminal_reason":"hook_stopped""#,
            EndClass::Stopped,
        ),
        (
            r#""subtype":"success","is_error":true,"terminal_reason":"rapid_refill_breaker""#,
            EndClass::Context,
        ),
        (
            r#""subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (3)"]"#,
            EndClass::TurnCap,
        ),
        (
            r#""subtype":"error_max_budget_usd","is_error":true"#,
            EndClass::BudgetCap,
        ),
        (
            r#""subtype":"success","is_error":true,"stop_reason":"refusal""#,
            EndClass::Refusal,
        ),
        (
            r#""subtype":"success","is_error":false,"result":"","stop_reason":"refusal""#,
            EndClass::Refusal,
        ),
        (
            r#""subtype":"success","is_error":true,"result":"something new""#,
            EndClass::Unclear,
        ),
        (
            r#""subtype":"error_during_execution","is_error":"surprise""#,
            EndClass::Unclear,
        ),
        (
            r#""subtype":"success","is_error":false,"result":"We should handle: usage limit reached""#,
            EndClass::Finished,
        ),
    ];
    for (fields, class) in table {
        let (_, end) = run("claude", &result(fields), Exit::Code(1));
        assert_eq!(end.class, class, "{fields}");
        assert_eq!(end.results, 1, "{fields}");
    }
}

#[test]
fn the_last_of_several_results_counts_and_all_of_them_cost() {
    let stdout = [
        result(r#""is_error":true,"api_error_status":529,"result_index":0,"modelUsage":{"m":{"inputTokens":100,"outputTokens":1,"costUSD":0.5}},"total_cost_usd":0.5"#),
        result(r#""is_error":false,"result":"done","result_index":1,"modelUsage":{"m":{"inputTokens":150,"outputTokens":3,"costUSD":0.75}},"total_cost_usd":0.75"#),
    ]
    .join("\n");
    let (events, end) = run("claude", &stdout, Exit::Code(0));
    assert_eq!((end.class, end.results), (EndClass::Finished, 2));
    assert_eq!(
        (end.usage.tokens(), end.usage.micro_usd),
        (Some(153), Some(750_000))
    );
    assert!(end.usage_is_complete);
    let text = end.result.map(|result| result.text.text);
    assert_eq!(text.as_deref(), Some("done"));
    let finished = events
        .iter()
        .filter(|event| matches!(event, AgentEvent::Finished { .. }));
    assert_eq!(finished.count(), 2);
}

#[test]
fn running_totals_of_a_resumed_session_are_spent_once() {
    let bill = |tokens: u64, dollars: f64, since: &str| {
        result(&format!(
            r#""is_error":false,"result_index":0{since},"total_cost_usd":{dollars},"modelUsage":{{"m":{{"inputTokens":{tokens},"costUSD":{dollars}}}}}"#
        ))
    };
    let since = r#","model_usage_since_last_result":{"m":{"inputTokens":40,"costUSD":0.01}}"#;
    let runs = [
        (bill(100, 0.0015, ""), 100, 1_500),
        (bill(300, 0.014, ""), 200, 12_500),
        (bill(340, 0.024, since), 40, 10_000),
        (bill(341, 0.025, ""), 1, 1_000),
    ];
    let mut earlier: Option<Totals> = None;
    for (stdout, tokens, micro_usd) in runs {
        let (_, end) = read_resumed("claude", &[stdout.as_bytes()], b"", Exit::Code(0), earlier);
        assert_eq!(end.usage.tokens(), Some(tokens), "{stdout}");
        assert_eq!(end.usage.micro_usd, Some(micro_usd), "{stdout}");
        earlier = end.totals;
    }
}

#[test]
fn a_bill_counts_whatever_stands_beside_it() {
    let usage = r#""usage":{"input_tokens":3,"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"output_tokens":6}"#;
    let models = r#""modelUsage":{"m":{"inputTokens":10,"outputTokens":8}}"#;
    let since = r#""result_index":0,"model_usage_since_last_result":{"m":{"inputTokens":10,"outputTokens":8}}"#;
    let table = [
        (usage.to_owned(), Some(18)),
        (r#""usage":{}"#.to_owned(), None),
        (r#""uuid":"u-1""#.to_owned(), None),
        (models.to_owned(), Some(18)),
        (format!("{models},{since}"), Some(18)),
    ];
    for (beside, tokens) in table {
        let stdout = result(&format!(
            r#""subtype":"success","is_error":false,"duration_ms":4127,"duration_api_ms":3988,"result":"done","total_cost_usd":0.1234567,{beside}"#
        ));
        let (events, end) = run("claude", &stdout, Exit::Code(0));
        assert_eq!(end.usage.micro_usd, Some(123_457), "{beside}");
        assert_eq!(end.usage.tokens(), tokens, "{beside}");
        assert!(end.usage_is_complete, "{beside}");
        let spent = events.iter().find_map(|event| match event {
            AgentEvent::Spent(usage) => usage.micro_usd,
            _ => None,
        });
        assert_eq!(spent, Some(123_457), "{beside}");
    }
}

#[test]
fn a_model_without_a_price_makes_the_price_unknown_and_not_nothing() {
    let stdout = result(
        r#""is_error":false,"total_cost_usd":0,"modelUsage":{"a":{"inputTokens":1,"costUSD":1},"b":{"inputTokens":2,"costUSD":0,"costBasis":"unknown"}}"#,
    );
    let (_, end) = run("claude", &stdout, Exit::Code(0));
    assert_eq!((end.usage.tokens(), end.usage.micro_usd), (Some(3), None));
}

#[test]
fn a_limit_is_announced_before_it_is_met() {
    let stdout = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1794782215,"rateLimitType":"five_hour","utilization":0.91}}"#;
    let (events, end) = run("claude", stdout, Exit::Code(0));
    let [AgentEvent::Limit(limit)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(
        (limit.window, limit.status),
        (Window::Hours, LimitStatus::Warning)
    );
    assert_eq!(
        (limit.used, limit.resets_at),
        (Some(0.91), Some(1_794_782_215_000))
    );
    assert_eq!(end.resets_at, None, "a warning is no end");
}
