//! Errors of services, as each agent passes them on.

use std::time::Duration;

use fusebox_agents::{AgentEvent, EndClass, Exit};
use serde_json::json;

use crate::support::{NOW, run};

use EndClass::*;

/// A run that fails with a text that the agent marks as an error.
fn failure(agent: &str, text: &str) -> String {
    let line = match agent {
        "claude" => json!({"type": "result", "is_error": true, "result": text}),
        "codex" => json!({"type": "turn.failed", "error": {"message": text}}),
        "gemini" => json!({"type": "result", "status": "error", "error": {"message": text}}),
        "opencode" => {
            json!({"type": "error", "error": {"name": "APIError", "data": {"message": text}}})
        }
        "copilot" => json!({"type": "session.error", "data": {"message": text}}),
        _ => return format!("litellm.APIError: {text}"),
    };
    line.to_string()
}

#[test]
fn what_a_service_says_means_the_same_from_every_agent() {
    let table = [
        (
            "Your input exceeds the context window of this model.",
            Context,
        ),
        ("prompt is too long: 9 tokens > 8 maximum", Context),
        ("The input token count (9) exceeds the maximum", Context),
        (
            "400 prompt token count of 9 exceeds the limit of 8",
            Context,
        ),
        (r#"{"code":"context_length_exceeded"}"#, Context),
        ("The usage limit has been reached", UsageLimit),
        (r#"{"type":"usage_limit_reached"}"#, UsageLimit),
        ("You've reached your weekly rate limit.", UsageLimit),
        ("Insufficient balance. Manage it there", Billing),
        ("Your credit balance is too low", Billing),
        ("It reached its monthly spending limit of $2", Billing),
        ("Connection error.", Network),
        ("connect ECONNREFUSED 127.0.0.1:1", Network),
        ("failed, reason: connect ETIMEDOUT", Network),
        ("The socket connection was closed unexpectedly.", Network),
        ("TypeError: fetch failed", Network),
        ("Cannot connect to API: x", Network),
        (
            "Client network socket disconnected before secure TLS connection",
            Network,
        ),
        ("Streaming response failed", Network),
        ("Response stalled mid-stream", Network),
        ("Stream idle timeout - partial response received", Timeout),
        ("SSE read timed out", Timeout),
        ("The operation timed out.", Timeout),
        ("API key expired. Please renew the API key.", Auth),
        ("API Key not found. Please pass a valid API key.", Auth),
        ("Could not load credentials from any providers", Auth),
        (
            "The security token included in the request is expired",
            Auth,
        ),
        (
            "Token is expired. To refresh this SSO session run 'aws sso login' with that profile.",
            Auth,
        ),
        ("The provided model identifier is invalid.", Setup),
        ("The server is overloaded", Overloaded),
        ("something that nobody knows", Unclear),
    ];
    for agent in ["claude", "codex", "gemini", "opencode", "copilot", "aider"] {
        for (text, class) in table {
            let code = i32::from(agent != "aider");
            let (_, end) = run(agent, &failure(agent, text), Exit::Code(code));
            assert_eq!(end.class, class, "{agent}: {text}");
        }
    }
}

#[test]
fn words_of_one_agent_are_known() {
    let table = [
        (
            "claude",
            "You've hit your org's monthly usage limit",
            Billing,
        ),
        (
            "claude",
            "You've used all your 5-hour limit. Resets at 7am.",
            UsageLimit,
        ),
        (
            "claude",
            "API Error: 400 input and tokens exceed context limit: 9 > 8",
            Context,
        ),
        ("claude", "API Error: terminated", Network),
        ("gemini", "[API Error: terminated]", Network),
        (
            "claude",
            "API Error (us.anthropic.claude-x): 429 Too many tokens, please wait",
            RateLimited,
        ),
        (
            "claude",
            "API Error (us.anthropic.claude-x): 503 Bedrock is unable to process it",
            Overloaded,
        ),
        (
            "codex",
            "This request has been flagged for possible cybersecurity risk.",
            Refusal,
        ),
        (
            "codex",
            "To use Codex with your plan, upgrade to Plus: there",
            Billing,
        ),
        (
            "codex",
            "You've hit your usage limit. Upgrade to Plus to continue",
            UsageLimit,
        ),
        ("codex", "request timed out", Timeout),
        (
            "codex",
            "Error while reading the server response: x",
            Network,
        ),
        ("codex", "Missing environment variable: `A_KEY`.", Auth),
        (
            "codex",
            "interrupted (Ctrl-C). Something went wrong?",
            Stopped,
        ),
        ("codex", "turn aborted. Something went wrong?", Stopped),
        ("codex", "no thread with id: 1", Setup),
        ("codex", "session token budget exceeded", BudgetCap),
        ("codex", "This content was flagged for something", Refusal),
        ("codex", "stream disconnected before completion: x", Network),
        (
            "codex",
            "stream disconnected before completion: the context window is full",
            Context,
        ),
        (
            "codex",
            "stream disconnected before completion: Incorrect API key provided",
            Auth,
        ),
        (
            "gemini",
            "[API Error: models/x is not found for this version.]",
            Setup,
        ),
        (
            "gemini",
            r#"[API Error: {"error":{"code":404,"message":"x"}}]"#,
            Setup,
        ),
        (
            "gemini",
            "You have reached your daily x quota limit.",
            UsageLimit,
        ),
        (
            "gemini",
            "Quota exceeded for 'Requests per day per user'",
            UsageLimit,
        ),
        (
            "gemini",
            "Quota exceeded for 'requests per minute'",
            RateLimited,
        ),
        (
            "copilot",
            "Sorry, you've exceeded your 5 hour session limits.",
            UsageLimit,
        ),
    ];
    for (agent, text, class) in table {
        let (_, end) = run(agent, &failure(agent, text), Exit::Code(1));
        assert_eq!(end.class, class, "{agent}: {text}");
    }
}

#[test]
fn a_wait_that_is_longer_than_a_burst_is_a_limit_with_an_end() {
    let minutes = |count: u64| Duration::from_secs(60 * count);
    let table = [
        ("2 minutes", RateLimited, minutes(2)),
        ("5 minutes", RateLimited, minutes(5)),
        ("40 minutes", UsageLimit, minutes(40)),
        ("15 hours 23 minutes", UsageLimit, minutes(923)),
        ("3 days", UsageLimit, minutes(3 * 24 * 60)),
    ];
    for (words, class, wait) in table {
        let text = format!("you've hit a rate limit. Please try again in {words}. Thanks");
        let (_, end) = run("copilot", &failure("copilot", &text), Exit::Code(1));
        assert_eq!((end.class, end.retry_after), (class, Some(wait)), "{words}");
        let ahead = end
            .resets_at
            .map(|at| u128::try_from(at - NOW).unwrap_or(0));
        let expected = (class == UsageLimit).then_some(wait.as_millis());
        assert_eq!(ahead, expected, "{words}");
    }
}

#[test]
fn headers_and_bodies_say_what_the_sentence_does_not() {
    let reset = NOW / 1000 + 7200;
    let free = r#"{"error":{"type":"FreeUsageLimitError"}}"#;
    let usage = format!(r#"{{"error":{{"type":"usage_limit_reached","resets_at":{reset}}}}}"#);
    let credit = r#"{"error":{"type":"CreditsError"}}"#;
    let table = [
        (r#"{"retry-after":"2"}"#, "", RateLimited, None),
        (r#"{"retry-after":"20.5"}"#, "", RateLimited, None),
        (r#"{"Retry-After":"7200"}"#, "", UsageLimit, Some(7_200_000)),
        (
            r#"{"retry-after":"43200"}"#,
            free,
            UsageLimit,
            Some(43_200_000),
        ),
        (
            r#"{"retry-after":"18446744073709551615"}"#,
            "",
            RateLimited,
            None,
        ),
        ("{}", &usage, UsageLimit, Some(7_200_000)),
        ("{}", credit, Billing, None),
    ];
    for (headers, body, class, ahead) in table {
        let body = json!(body);
        let line = format!(
            r#"{{"type":"error","error":{{"name":"APIError","data":{{"message":"Rate limit","statusCode":429,"responseHeaders":{headers},"responseBody":{body}}}}}}}"#
        );
        let (_, end) = run("opencode", &line, Exit::Code(1));
        let found = (end.class, end.resets_at.map(|at| at - NOW));
        assert_eq!(found, (class, ahead), "{headers} {body}");
    }
}

#[test]
fn codes_of_copilot_may_name_a_plan() {
    let table = [
        ("user_global_rate_limited:pro", UsageLimit),
        ("user_weekly_rate_limited", UsageLimit),
        ("model_max_prompt_tokens_exceeded", Context),
        ("rate_limit", RateLimited),
    ];
    for (code, class) in table {
        let line = json!({"type": "session.error", "data": {"errorCode": code, "message": "x"}});
        let (_, end) = run("copilot", &line.to_string(), Exit::Code(1));
        assert_eq!(end.class, class, "{code}");
    }
}

#[test]
fn a_vaguer_end_of_a_codex_turn_does_not_hide_why_it_failed() {
    let limit =
        r#"{"type":"error","message":"You've hit your usage limit. Try again at 10:36 PM."}"#;
    let table = [
        (r#"{"type":"turn.failed"}"#, UsageLimit),
        (
            r#"{"type":"turn.failed","error":{"message":"turn failed"}}"#,
            UsageLimit,
        ),
        (
            r#"{"type":"turn.failed","error":{"message":"unexpected status 503"}}"#,
            Overloaded,
        ),
        (r#"{"type":"turn.completed"}"#, Finished),
    ];
    for (last, class) in table {
        let (events, end) = run("codex", &format!("{limit}\n{last}"), Exit::Code(1));
        assert_eq!(end.class, class, "{last}");
        assert!(events.contains(&AgentEvent::Finished { class }), "{last}");
        assert_eq!(end.resets_at.is_some(), class == UsageLimit, "{last}");
    }
}

#[test]
fn gemini_reports_success_although_an_error_stopped_it() {
    let turns = r#"{"type":"error","severity":"error","message":"Maximum session turns exceeded"}"#;
    let other = r#"{"type":"error","severity":"error","message":"x"}"#;
    let remark = r#"{"type":"error","severity":"warning","message":"x"}"#;
    let unsafe_words =
        r#"{"type":"error","severity":"warning","message":"Response stopped due to safety x"}"#;
    let policy =
        r#"{"type":"error","severity":"warning","message":"rate limit, usage policy, 401"}"#;
    let answer = r#"{"type":"message","role":"assistant","content":"y"}"#;
    let success = r#"{"type":"result","status":"success"}"#;
    let table: [(&[&str], EndClass); 6] = [
        (&[turns, success], TurnCap),
        (&[unsafe_words, success], Refusal),
        (&[policy, success], Finished),
        (&[other, success], Unclear),
        (&[remark, success], Finished),
        (&[turns, answer, success], Finished),
    ];
    for (lines, class) in table {
        let (_, end) = run("gemini", &lines.join("\n"), Exit::Code(0));
        assert_eq!(end.class, class, "{lines:?}");
    }
    for (code, class) in [
        (148, Setup),
        (157, Context),
        (152, Timeout),
        (144, Crash),
        (1, Crash),
    ] {
        assert_eq!(run("gemini", "", Exit::Code(code)).1.class, class, "{code}");
    }
}

#[test]
fn a_rule_of_the_user_denies_as_well_as_the_user() {
    let errors = [
        "The user rejected permission to use this specific tool call.",
        "The user has specified a rule which prevents you from using this specific tool call.",
    ];
    for error in errors {
        let line = json!({"type": "tool_use", "part": {"tool": "bash", "callID": "c", "state": {"status": "error", "error": error}}});
        let (_, end) = run("opencode", &line.to_string(), Exit::Code(0));
        assert_eq!(end.denials, 1, "{error}");
    }
}
