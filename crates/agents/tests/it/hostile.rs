//! Lines that nobody meant to write: readers take them all.

use crate::support::read_chunks;
use fusebox_agents::{AGENTS, AgentEvent, Exit, Line, Reading, Stream};
use proptest::prelude::*;

/// One line of each kind that some reader looks into.
const SEEDS: &[&str] = &[
    r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#,
    r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"c","message":"no"}"#,
    r#"{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":18446744073709551615}},"error":"rate_limit"}"#,
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"Exit code 3","is_error":true}]},"tool_result_meta":[{"id":"c","permission_decision":{"decision":"reject"}}]}"#,
    r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":9223372036854775807,"rateLimitType":"five_hour"}}"#,
    r#"{"type":"result","is_error":true,"result":"limit reached · resets 3pm","modelUsage":{"m":{"inputTokens":18446744073709551615,"costUSD":1e300}},"permission_denials":[{"tool_use_id":"c"}],"result_index":0}"#,
    r#"{"type":"thread.started","thread_id":"t"}"#,
    r#"{"type":"item.started","item":{"id":"i","type":"command_execution","command":"ls","status":"in_progress"}}"#,
    r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"x","exit_code":-1,"status":"failed"}}"#,
    r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":18446744073709551615,"output_tokens":2}}"#,
    r#"{"type":"error","message":"Reconnecting... 1/5 (try again in 99999999999999999999h)","severity":"error"}"#,
    r#"{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. try again at Feb 31st, 9999 9:41 PM."}}"#,
    r#"{"type":"message","role":"assistant","content":"hi","delta":true}"#,
    r#"{"type":"tool_use","tool_name":"x","tool_id":"t","parameters":{},"part":{"tool":"invalid","callID":"c","state":{"status":"error","input":{"tool":"bash","error":"unavailable tool"},"error":"The user rejected permission"}}}"#,
    r#"{"type":"tool_result","tool_id":"t","status":"error","error":{"type":"tool_not_registered","message":"no"}}"#,
    r#"{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"x"},"stats":{"total_tokens":1,"input_tokens":18446744073709551615},"exitCode":0,"sessionId":"s"}"#,
    r#"{"type":"step_finish","sessionID":"s","part":{"reason":"stop","tokens":{"total":1,"input":18446744073709551615,"cache":{"read":18446744073709551615}},"cost":-1}}"#,
    r#"{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"18446744073709551615"}}}}"#,
    r#"{"type":"tool.execution_complete","data":{"toolCallId":"c","success":false,"error":{"code":"denied"}}}"#,
    "Tokens: 99999999999M sent, 1 received. Cost: $1e999 message",
    "litellm.RateLimitError: x",
    "Retrying in 1e9 seconds...",
    "Attempt 18446744073709551615 failed: x. Retrying after 1ms",
    "{",
    "}",
];

/// A few seeds, each with some bytes overwritten, removed or doubled.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<prop::sample::Index>(), any::<u8>(), 0..4u8);
    let line = (
        prop::sample::select(SEEDS),
        prop::collection::vec(edit, 0..4),
    );
    prop::collection::vec(line, 1..8).prop_map(|lines| {
        let mut stream = Vec::new();
        for (seed, edits) in lines {
            let mut line = seed.as_bytes().to_vec();
            for (at, byte, kind) in edits {
                let at = at.index(line.len());
                match kind {
                    0 => line[at] = byte,
                    1 => line.insert(at, byte),
                    2 => line.truncate(at.max(1)),
                    _ => {
                        let tail = line[at..].to_vec();
                        line.extend(tail);
                    }
                }
            }
            stream.extend(line);
            stream.push(b'\n');
        }
        stream
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_reader_fails_on_mutated_lines_and_none_depends_on_chunks(
        stdout in mutated(),
        stderr in mutated(),
        cut in any::<prop::sample::Index>(),
        code in prop::sample::select(vec![0, 1, 53, 144]),
    ) {
        for agent in AGENTS {
            let whole = read_chunks(agent.name(), &[&stdout], &stderr, Exit::Code(code));
            let (head, tail) = stdout.split_at(cut.index(stdout.len()));
            let parts = read_chunks(agent.name(), &[head, tail], &stderr, Exit::Code(code));
            prop_assert_eq!(whole, parts, "{:?}", agent);
        }
    }
}

/// Whatever a line holds, what is kept of it is small.
fn kept_bytes(events: &[AgentEvent]) -> usize {
    events.iter().map(|event| format!("{event:?}").len()).sum()
}

#[test]
fn large_values_are_cut_and_their_length_is_told() {
    let large = "x".repeat(150_000);
    for seed in SEEDS.iter().filter(|seed| seed.starts_with('{')) {
        // Each string of the line in turn is made large.
        for at in seed.match_indices(":\"").map(|(at, _)| at + 2) {
            let line = format!("{}{large}{}", &seed[..at], &seed[at..]);
            for agent in AGENTS {
                let (events, end) =
                    read_chunks(agent.name(), &[line.as_bytes()], b"", Exit::Code(1));
                assert!(kept_bytes(&events) < 40_000, "{agent:?}: {}", &seed[..at]);
                assert!(
                    format!("{end:?}").len() < 80_000,
                    "{agent:?}: {}",
                    &seed[..at]
                );
            }
        }
    }
}

#[test]
fn invalid_utf_8_and_half_surrogates_cost_no_line() {
    let table: [(&str, &[u8]); 5] = [
        ("claude", b"{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"a\xff\\ud83d\"}]}}"),
        ("codex", b"{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"a\xff\\ud83d\"}}"),
        ("gemini", b"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"a\xff\\ud83d\"}"),
        ("opencode", b"{\"type\":\"text\",\"part\":{\"text\":\"a\xff\\ud83d\"}}"),
        ("copilot", b"{\"type\":\"assistant.message\",\"data\":{\"content\":\"a\xff\\ud83d\"}}"),
    ];
    for (agent, line) in table {
        let (events, end) = read_chunks(agent, &[line], b"", Exit::Code(0));
        let said = events.iter().any(
            |event| matches!(event, AgentEvent::Said(said) if said.text == "a\u{fffd}\u{fffd}"),
        );
        assert!(said && end.unreadable == 0, "{agent}: {events:?}");
    }
}

#[test]
fn nesting_without_end_is_one_unreadable_line_at_most() {
    let deep = "[".repeat(200_000);
    for agent in AGENTS {
        for line in [
            deep.clone(),
            format!(r#"{{"type":"assistant","message":{deep}"#),
        ] {
            let (events, end) = read_chunks(agent.name(), &[line.as_bytes()], b"", Exit::Code(0));
            assert!(events.len() <= 1 && end.unreadable <= 1, "{agent:?}");
        }
    }
}

#[test]
fn a_line_that_was_cut_is_told_and_not_believed() {
    let bytes = br#"{"type":"result","is_error":false}"#;
    let line = Line {
        bytes,
        full_length: 9_000_000,
    };
    let mut events = Vec::new();
    let claude = fusebox_agents::by_name("claude").expect("ours");
    let mut reader = claude.reader(Reading::default());
    reader.line(Stream::Stdout, line, 0, &mut events);
    assert_eq!(events, [AgentEvent::Unreadable { bytes: 9_000_000 }]);
    assert_eq!(reader.end(Exit::Code(0), 0).results, 0);
}
