//! What Claude Code says before its result, or instead of it.

use fusebox_agents::{AgentEvent, EndClass, Exit, ToolOutcome};

use crate::support::{NOW, run};

const LIMIT: &str = r#"{"type":"assistant","error":"rate_limit","message":{"model":"<synthetic>","content":[{"type":"text","text":"You've hit your 5-hour limit · resets 10:36pm (UTC)"}]}}"#;
const BURST: &str = r#"{"type":"assistant","error":"rate_limit","message":{"model":"<synthetic>","content":[{"type":"text","text":"slow down"}]}}"#;
const ANSWER: &str = r#"{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"text","text":"a"}]}}"#;
const FAILED: &str =
    r#"{"type":"result","is_error":true,"api_error_status":429,"result":"slow down"}"#;
const DONE: &str = r#"{"type":"result","is_error":false,"result":"done"}"#;
const CUT: &str = r#"{"type":"result","is_error":true,"resu"#;

fn rejected(resets_at: &str) -> String {
    format!(
        r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"rejected","rateLimitType":"five_hour"{resets_at}}}}}"#
    )
}

#[test]
fn what_the_stream_said_stands_when_no_result_comes() {
    let at_the_minute = Some(1_794_782_160_000);
    let exact = Some(1_794_782_215_000);
    let full = rejected(r#","resetsAt":1794782215"#);
    let table: [(&[&str], EndClass, Option<i64>); 9] = [
        (&[LIMIT], EndClass::UsageLimit, at_the_minute),
        (&[LIMIT, CUT], EndClass::UsageLimit, at_the_minute),
        (&[&full], EndClass::UsageLimit, exact),
        (&[&full, BURST], EndClass::UsageLimit, exact),
        (&[BURST], EndClass::RateLimited, None),
        // The model answered, so nothing stands in its way any more.
        (&[LIMIT, ANSWER], EndClass::Crash, None),
        (&[&full, ANSWER], EndClass::Crash, None),
        (&[&full, ANSWER, BURST], EndClass::RateLimited, None),
        (&[&full, DONE], EndClass::Finished, None),
    ];
    for (lines, class, resets_at) in table {
        let (_, end) = run("claude", &lines.join("\n"), Exit::Code(1));
        assert_eq!((end.class, end.resets_at), (class, resets_at), "{lines:?}");
    }
    let paid = rejected(r#","resetsAt":1794782215,"isUsingOverage":true"#);
    let (_, paid) = run("claude", &paid, Exit::StoppedByUs);
    assert_eq!(paid.class, EndClass::Stopped, "it can go on");
    let (_, again) = run("claude", &[DONE, LIMIT].join("\n"), Exit::Code(1));
    assert_eq!(
        again.class,
        EndClass::UsageLimit,
        "it went on after a result"
    );
}

#[test]
fn a_window_is_full_whether_or_not_it_is_told_until_when() {
    let exact = Some(1_794_782_215_000);
    let table = [
        ("", None),
        (r#","resetsAt":null"#, None),
        (r#","resetsAt":"soon""#, None),
        (r#","resetsAt":1794782215"#, exact),
        (r#","resetsAt":1794782215000"#, exact),
        (r#","resetsAt":"1794782215""#, exact),
        (r#","resetsAt":"2026-11-15T22:36:55Z""#, exact),
    ];
    for (field, resets_at) in table {
        let lines = [&rejected(field), BURST, FAILED].join("\n");
        let (events, end) = run("claude", &lines, Exit::Code(1));
        let found = (end.class, end.resets_at);
        assert_eq!(found, (EndClass::UsageLimit, resets_at), "{field}");
        let class = EndClass::UsageLimit;
        assert!(events.contains(&AgentEvent::Finished { class }), "{field}");
    }
}

#[test]
fn the_type_that_the_service_gives_an_error_is_read() {
    let table = [
        ("overloaded_error", EndClass::Overloaded),
        ("permission_error", EndClass::Auth),
        ("rate_limit_error", EndClass::RateLimited),
        ("something_error", EndClass::Unclear),
    ];
    for (kind, class) in table {
        let result = format!(
            r#"{{"type":"result","is_error":true,"api_error_type":"{kind}","result":"x"}}"#
        );
        let error = format!(
            r#"{{"type":"assistant","api_error_type":"{kind}","message":{{"model":"<synthetic>","content":[]}}}}"#
        );
        for lines in [result, error] {
            let (_, end) = run("claude", &lines, Exit::Code(1));
            assert_eq!(end.class, class, "{lines}");
        }
    }
}

#[test]
fn errors_of_a_result_count_when_they_speak_for_themselves() {
    let table = [
        ("Not logged in. Please run /login", EndClass::Auth),
        ("Error: fetch failed", EndClass::Network),
        ("TypeError: fetch failed in tests", EndClass::Unclear),
        (
            "Tool failed: You've hit your limit in limits.rs",
            EndClass::Unclear,
        ),
    ];
    for (error, class) in table {
        let result = format!(
            r#"{{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["{error}"]}}"#
        );
        assert_eq!(
            run("claude", &result, Exit::Code(1)).1.class,
            class,
            "{error}"
        );
    }
}

fn call(id: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"m{id}","model":"x","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}]}}}}"#
    )
}

fn answer(id: &str, is_error: bool, meta: &str) -> String {
    format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":{is_error},"content":"a"}}]}}{meta}}}"#
    )
}

fn listing(ids: &[&str]) -> String {
    let listed: Vec<String> = ids
        .iter()
        .map(|id| format!(r#"{{"tool_name":"Bash","tool_use_id":"{id}"}}"#))
        .collect();
    let listed = listed.join(",");
    format!(r#"{{"type":"result","is_error":false,"result":"x","permission_denials":[{listed}]}}"#)
}

/// Denials in a row at the end, counted as whoever follows the events would.
fn in_a_row(events: &[AgentEvent]) -> u64 {
    events.iter().fold(0, |count, event| match event {
        AgentEvent::Denied { tool, .. } => {
            assert_eq!(tool, "Bash");
            count + 1
        }
        AgentEvent::ToolResult(result) if result.outcome != ToolOutcome::Denied => 0,
        _ => count,
    })
}

#[test]
fn a_denial_counts_where_it_happened_and_what_was_overcome_is_not_in_a_row() {
    let rejects = |id: &str| {
        format!(
            r#","tool_result_meta":[{{"id":"{id}","permission_decision":{{"decision":"reject"}}}}]"#
        )
    };
    let told = |id: &str| vec![call(id), answer(id, true, &rejects(id))];
    let untold = |id: &str| vec![call(id), answer(id, true, "")];
    let fine = |id: &str| vec![call(id), answer(id, false, "")];
    let table = [
        ("told once", vec![told("a"), vec![listing(&["a"])]], 1, 1),
        (
            "told twice",
            vec![told("a"), told("b"), vec![listing(&["a", "b"])]],
            2,
            2,
        ),
        (
            "told and overcome",
            vec![told("a"), told("b"), fine("c"), vec![listing(&["a", "b"])]],
            2,
            0,
        ),
        (
            "listed and overcome",
            vec![untold("a"), fine("b"), vec![listing(&["a"])]],
            1,
            0,
        ),
        (
            "listed, the last of them not overcome",
            vec![
                untold("a"),
                fine("b"),
                untold("c"),
                vec![listing(&["a", "c"])],
            ],
            2,
            1,
        ),
        (
            "listed, and something else failed since",
            vec![untold("a"), untold("b"), vec![listing(&["a"])]],
            1,
            0,
        ),
        ("listed alone", vec![vec![listing(&["a", "b"])]], 2, 2),
        (
            "not listed",
            vec![told("a"), fine("b"), vec![listing(&[])]],
            1,
            0,
        ),
    ];
    for (name, lines, denials, row) in table {
        let (events, end) = run("claude", &lines.concat().join("\n"), Exit::Code(0));
        assert_eq!(end.denials, denials, "{name}");
        assert_eq!(in_a_row(&events), row, "{name}: {events:#?}");
    }
}

#[test]
fn a_list_of_events_is_as_good_as_lines_of_them() {
    let table = [
        (format!("[{ANSWER},{DONE}]"), 0, EndClass::Finished, 0),
        (format!("[{LIMIT},{FAILED}]"), 1, EndClass::UsageLimit, 0),
        (format!("[7,{DONE}]"), 0, EndClass::Finished, 0),
        (format!("[{DONE}"), 1, EndClass::Crash, 1),
        ("[]".to_owned(), 1, EndClass::Crash, 1),
    ];
    let full = rejected(&format!(r#","resetsAt":{}"#, NOW / 1000 + 60));
    let (events, _) = run("claude", &format!("[{full},{full}]"), Exit::Code(1));
    assert_eq!(events.len(), 2, "each of them is read");
    for (line, code, class, unreadable) in table {
        let (_, end) = run("claude", &line, Exit::Code(code));
        assert_eq!((end.class, end.unreadable), (class, unreadable), "{line}");
    }
}
