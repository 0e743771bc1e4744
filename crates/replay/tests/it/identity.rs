//! One session, several ways in: the same events and the same verdicts.

use fusebox_core::calls::{CallEvent, CallPolicy, CallState, step};
use fusebox_replay::{Conversation, Heard, heard, said_before};

use crate::fixtures::*;

/// What matters to a verdict: what was spent and who asked is told by files only.
fn essence(events: &[CallEvent]) -> Vec<CallEvent> {
    let told_by_all =
        |event: &&CallEvent| !matches!(event, CallEvent::Spent { .. } | CallEvent::User { .. });
    events.iter().filter(told_by_all).cloned().collect()
}

/// A long answer, so that all ways have to cut it in the same place.
fn stuck() -> String {
    let long = "the same trouble as before\n".repeat(2000);
    claude_session(12, |_| long.clone())
}

#[test]
fn a_session_file_and_what_was_printed_hold_the_same_events() {
    let session = stuck();
    let (_, stored) = record(&session);
    let (_, printed) = record(&claude_stream(&session));
    assert_eq!(
        essence(&stored[0].outcome.0),
        essence(&printed[0].outcome.0)
    );
    let (stored, printed) = (judge(&session), judge(&claude_stream(&session)));
    let calls = |told: &fusebox_replay::Told<fusebox_replay::Verdicts>| {
        let at = |point: &fusebox_replay::Point| (point.verdict.level, point.tally.calls);
        told.outcome.points.iter().map(at).collect::<Vec<_>>()
    };
    assert!(
        !calls(&stored[0]).is_empty(),
        "a stuck session has to be noticed"
    );
    assert_eq!(calls(&stored[0]), calls(&printed[0]));
}

/// The way that `run` takes: the agent's reader, an event at a time.
#[test]
fn listening_to_an_agent_leads_to_the_verdicts_of_its_recording() {
    let printed = claude_stream(&stuck());
    let mut reader = fusebox_agents::by_name("claude")
        .unwrap()
        .reader(Default::default());
    let (mut events, mut live) = (Vec::new(), Vec::new());
    let (mut conversation, mut state) = (Conversation::default(), CallState::default());
    let policy = CallPolicy::native();
    for line in printed.lines() {
        let line = fusebox_agents::Line::whole(line.as_bytes());
        reader.line(fusebox_agents::Stream::Stdout, line, 0, &mut events);
        for event in events.drain(..) {
            let Some(heard) = heard(&event) else { continue };
            conversation.hear(&heard, |event| {
                live.extend(step(&mut state, &policy, &event));
            });
        }
    }
    conversation.hear(&Heard::Ended(Default::default()), |event| {
        live.extend(step(&mut state, &policy, &event));
    });
    let recorded = &judge(&printed)[0].outcome.points;
    let recorded: Vec<_> = recorded.iter().map(|point| point.verdict.clone()).collect();
    assert!(live.starts_with(&recorded) && !recorded.is_empty());
}

/// The way that hooks take: the state goes through a file after every event.
#[test]
fn a_state_that_is_stored_after_every_event_comes_to_the_same_verdicts() {
    let (_, sessions) = record(&stuck());
    let policy = CallPolicy::native();
    let (mut kept, mut stored) = (CallState::default(), CallState::default());
    for event in &sessions[0].outcome.0 {
        let json = serde_json::to_string(&stored).unwrap();
        stored = serde_json::from_str(&json).unwrap();
        assert_eq!(
            step(&mut stored, &policy, event),
            step(&mut kept, &policy, event)
        );
    }
}

/// What was written before a call is found in the end of a transcript, and nothing
/// that belongs to another call, another speaker or another conversation.
#[test]
fn what_was_said_before_a_call_is_found_in_the_transcript() {
    let blocks = |number, blocks: &str| {
        let message = format!(r#""id":"m{number}","model":"claude","content":[{blocks}]"#);
        claude_line("assistant", number, &message)
    };
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let call =
        |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
    let answer = r#""content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]"#;
    let aside = blocks(6, &text("a sub-agent's")).replace(
        "\"isSidechain\":false",
        "\"isSidechain\":true,\"agentId\":\"sub\"",
    );
    let transcript = [
        "cut in the midd\n".to_owned(),
        blocks(1, &text("old")),
        blocks(2, &call("a")),
        claude_line("user", 3, answer),
        blocks(4, &text("one")),
        blocks(5, &text("two")),
        aside,
        blocks(7, &[call("b"), call("c")].join(",")),
        blocks(8, &text("after")),
    ]
    .concat();
    for (id, expected) in [
        ("a", vec!["old"]),
        ("b", vec!["one", "two"]),
        ("c", vec![]),
        ("not yet written", vec!["after"]),
    ] {
        assert_eq!(said_before(&transcript, id), expected, "{id}");
    }
    assert_eq!(said_before("no session\n", "a"), Vec::<String>::new());
}
