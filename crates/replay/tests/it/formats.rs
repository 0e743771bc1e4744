//! Every format, told apart by content and read.

use fusebox_replay::{Format, Group};

use crate::fixtures::*;

#[test]
fn every_format_is_recognised_and_read() {
    let session = claude_session(1, |_| "no".to_owned());
    let stream = claude_stream(&session);
    // Format, text, session, calls, answers, failures, prompts, tokens.
    let table = [
        (
            Format::ClaudeSession,
            &*session,
            "s",
            [1, 1, 1, 1],
            Some(15),
        ),
        (Format::ClaudeStream, &stream, "s", [1, 1, 1, 0], Some(15)),
        (
            Format::CodexRollout,
            CODEX_ROLLOUT,
            "roll-1",
            [1, 1, 1, 1],
            Some(105),
        ),
        (
            Format::CodexStream,
            CODEX_STREAM,
            "th-1",
            [1, 1, 1, 0],
            Some(105),
        ),
        (
            Format::GeminiStream,
            GEMINI_STREAM,
            "g-1",
            [1, 1, 1, 0],
            Some(105),
        ),
        (
            Format::OpencodeStream,
            OPENCODE_STREAM,
            "o-1",
            [1, 1, 1, 0],
            Some(105),
        ),
        (
            Format::OpenHands,
            OPENHANDS_LIST,
            "unnamed",
            [1, 1, 1, 1],
            None,
        ),
        (
            Format::OpenHands,
            OPENHANDS_SDK,
            "unnamed",
            [1, 1, 1, 1],
            None,
        ),
        (
            Format::SweAgent,
            SWE_AGENT,
            "unnamed",
            [1, 1, 0, 0],
            Some(105),
        ),
        (Format::Collection, COLLECTION, "one", [2, 1, 1, 1], None),
        (Format::Journal, JOURNAL, "unnamed", [1, 1, 1, 0], None),
    ];
    for (format, text, name, counts, tokens) in table {
        let (report, sessions) = record(text);
        assert_eq!(report.format, Some(format), "{text}");
        assert_eq!(report.notes, [""; 0], "{format:?}");
        let tally = &sessions[0].tally;
        assert_eq!(sessions[0].session, name, "{format:?}");
        let counted = [tally.calls, tally.answers, tally.failures, tally.prompts];
        assert_eq!(counted, counts, "{format:?}");
        assert_eq!(tally.spent.tokens(), tokens, "{format:?}");
    }
}

#[test]
fn what_comes_with_a_session_is_kept() {
    let (_, sessions) = record(COLLECTION);
    let groups: Vec<_> = sessions
        .iter()
        .map(|session| session.labels.group)
        .collect();
    assert_eq!(groups, [Group::Stuck, Group::Supervised]);
    assert_eq!(
        (sessions[0].source.as_str(), sessions[0].tally.last_edit),
        ("a", 1)
    );
    let (_, sessions) = record(SWE_AGENT);
    assert_eq!(sessions[0].labels.group, Group::Limit);
    assert_eq!(sessions[0].tally.spent.micro_usd, Some(250_000));
    let (_, sessions) = record(CODEX_ROLLOUT);
    assert_eq!(
        (sessions[0].model.as_str(), sessions[0].tally.elapsed_ms()),
        ("gpt", Some(3000))
    );
}

/// What an agent's line repeats of a message is not spent again.
#[test]
fn a_message_of_several_lines_is_paid_for_once() {
    let block = |number: usize, output: u32, block: &str| {
        claude_line(
            "assistant",
            number,
            &format!(
                r#""id":"m1","model":"claude","content":[{block}],"usage":{{"input_tokens":10,"output_tokens":{output}}}"#
            ),
        )
    };
    let text = block(1, 2, r#"{"type":"text","text":"a"}"#)
        + &block(
            2,
            9,
            r#"{"type":"tool_use","id":"t","name":"Bash","input":{}}"#,
        );
    assert_eq!(record(&text).1[0].tally.spent.tokens(), Some(19));
}

/// Sub-agents repeat each other's reading, which is no loop of the session.
#[test]
fn what_a_sub_agent_does_is_a_conversation_of_its_own() {
    let session = claude_session(2, |round| round.to_string());
    let side = renamed(&session, 'v').replace(
        "\"isSidechain\":false",
        "\"isSidechain\":true,\"agentId\":\"a1\"",
    );
    let lines = session.lines().zip(side.lines());
    let mixed: String = lines
        .map(|(one, other)| format!("{one}\n{other}\n"))
        .collect();
    let (_, sessions) = record(&mixed);
    let names: Vec<_> = sessions
        .iter()
        .map(|told| (told.session.as_str(), told.tally.calls))
        .collect();
    assert_eq!(names, [("s", 2), ("s/a1", 2)]);
    let alone = &record(&session).1[0];
    assert_eq!(sessions[0].outcome.0, alone.outcome.0);
}
