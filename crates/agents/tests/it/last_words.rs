//! What the last words of an agent tell, where no event does.

use std::ffi::OsString;

use fusebox_agents::{
    EndClass, Exit, Line, Reading, Recognised, RunEnd, Stream, as_text, by_name, recognise,
};

use crate::support::{NOW, read_chunks, run};

const BEGUN: &str = "{\"type\":\"init\"}\n";

#[test]
fn standard_error_explains_only_with_its_last_lines_and_only_in_its_own_words() {
    let long_ago = format!("Error: fetch failed\n{}", "x\n".repeat(10));
    let table = [
        ("gemini", "Error: fetch failed", 1, EndClass::Network),
        (
            "gemini",
            "Error: fetch failed\n  at a.js:1\n  at b.js:2",
            1,
            EndClass::Network,
        ),
        (
            "gemini",
            "\u{1b}[31mError: \u{1b}]8;;x\u{7}fetch\u{1b}[0m failed",
            1,
            EndClass::Network,
        ),
        (
            "opencode",
            "\u{1b}[91m\u{1b}[1mError: \u{1b}[0mModel not found",
            1,
            EndClass::Setup,
        ),
        ("gemini", long_ago.as_str(), 1, EndClass::Crash),
        (
            "gemini",
            "Error executing tool x: fetch failed",
            1,
            EndClass::Crash,
        ),
        (
            "gemini",
            "Attempt 1 failed with status 429. Retrying",
            1,
            EndClass::Crash,
        ),
        (
            "claude",
            "[hook] a.ts: \"Invalid API key\"\nTypeError: x",
            1,
            EndClass::Crash,
        ),
        (
            "claude",
            "server \"a\": please run /login\nfault",
            1,
            EndClass::Crash,
        ),
        (
            "opencode",
            "level=ERROR error=\"b: rate limit\"\npanic",
            1,
            EndClass::Crash,
        ),
        // What dies on the spot has not said why.
        ("gemini", "Error: fetch failed", 134, EndClass::Crash),
        ("claude", "Invalid API key", 139, EndClass::Crash),
        // And what is asked to end does.
        ("claude", "Invalid API key", 143, EndClass::Stopped),
        ("codex", "", 130, EndClass::Stopped),
    ];
    for (agent, stderr, code, class) in table {
        let chunks = [BEGUN.as_bytes()];
        let (_, end) = read_chunks(agent, &chunks, stderr.as_bytes(), Exit::Code(code));
        assert_eq!(end.class, class, "{agent} {code}: {stderr}");
    }
    for (signal, class) in [
        (15, EndClass::Stopped),
        (2, EndClass::Stopped),
        (11, EndClass::Crash),
    ] {
        let (_, end) = read_chunks("claude", &[b"{}"], b"Invalid API key", Exit::Signal(signal));
        assert_eq!(end.class, class, "{signal}");
    }
}

#[test]
fn an_agent_that_refuses_to_start_cannot_run_like_this() {
    let table = [
        (
            "claude",
            "error: option '--mode <m>' argument 'x' is invalid.",
            1,
            EndClass::Setup,
        ),
        (
            "claude",
            "Error: --resume requires a valid id",
            1,
            EndClass::Setup,
        ),
        (
            "codex",
            "Not inside a trusted directory and so on.",
            1,
            EndClass::Setup,
        ),
        (
            "codex",
            "Error loading config.toml: unknown variant\n  in `a`",
            1,
            EndClass::Setup,
        ),
        (
            "codex",
            "error: required arguments were not provided:\n  <P>\n\nUsage: x",
            2,
            EndClass::Setup,
        ),
        (
            "copilot",
            "Error: Model \"x\" is not available.",
            1,
            EndClass::Setup,
        ),
        (
            "opencode",
            "opencode run\n\nUnknown argument: x",
            1,
            EndClass::Setup,
        ),
        ("claude", "Error: Invalid API key", 1, EndClass::Auth),
        ("claude", "error: x", 3, EndClass::Crash),
        ("claude", "TypeError: x is no function", 1, EndClass::Crash),
        ("generic", "error: x", 1, EndClass::Unclear),
    ];
    for (agent, stderr, code, class) in table {
        let at_once = read_chunks(agent, &[b""], stderr.as_bytes(), Exit::Code(code)).1;
        assert_eq!(at_once.class, class, "{agent}: {stderr}");
    }
    let more = "more\n".repeat(20);
    let transcript = format!("{more}Error: Invalid API key\n{more}");
    let long = read_chunks("claude", &[b""], transcript.as_bytes(), Exit::Code(1)).1;
    assert_eq!(long.class, EndClass::Crash, "that was not about its start");
    let later = read_chunks("claude", &[b"{}"], b"error: x", Exit::Code(1)).1;
    assert_eq!(later.class, EndClass::Crash, "it had begun");
}

fn read_as_text(agent: &str, stdout: &str, stderr: &str, code: i32) -> RunEnd {
    let agent = as_text(by_name(agent).expect("an agent of ours"));
    assert!(!agent.abilities().structured);
    let mut reader = agent.reader(Reading::default());
    let mut events = Vec::new();
    for (stream, text) in [(Stream::Stderr, stderr), (Stream::Stdout, stdout)] {
        for line in text.lines() {
            reader.line(stream, Line::whole(line.as_bytes()), NOW, &mut events);
        }
    }
    assert!(events.is_empty(), "{events:?}");
    reader.end(Exit::Code(code), NOW)
}

#[test]
fn text_tells_of_limits_and_failures_and_of_nothing_else() {
    let limit = "You've hit your 5-hour limit · resets 10:36pm (UTC)";
    let talk = format!("I handle it now.\n{limit}\nDone, {limit}");
    let noise = format!("Debugger attached.\n{limit}");
    let more = format!("{limit}\n\n/upgrade to increase your usage limit.");
    let long = format!("{limit}\n{}", "and on\n".repeat(300));
    let reset = Some(1_794_782_160_000);
    let table = [
        ("claude", limit, "", 1, EndClass::UsageLimit, reset),
        ("claude", &noise, "", 1, EndClass::UsageLimit, reset),
        ("claude", &more, "", 1, EndClass::UsageLimit, reset),
        (
            "claude",
            "API Error: 500 {}",
            "",
            1,
            EndClass::Overloaded,
            None,
        ),
        (
            "claude",
            "Error: Reached max turns (3)",
            "",
            1,
            EndClass::TurnCap,
            None,
        ),
        ("claude", "I did it.", "", 0, EndClass::Finished, None),
        ("claude", &talk, "", 0, EndClass::Finished, None),
        ("claude", limit, "", 0, EndClass::Finished, None),
        ("claude", &long, "", 1, EndClass::Unclear, None),
        ("claude", "No idea.", "", 1, EndClass::Unclear, None),
        (
            "codex",
            "",
            "model: x\nERROR: You've hit your usage limit. Try again at 10:36 PM.",
            1,
            EndClass::UsageLimit,
            reset,
        ),
        (
            "gemini",
            "",
            "[API Error: You have exhausted your daily quota on this model.]",
            173,
            EndClass::UsageLimit,
            None,
        ),
        ("aider", "x", "", 0, EndClass::Unclear, None),
    ];
    for (agent, stdout, stderr, code, class, resets_at) in table {
        let end = read_as_text(agent, stdout, stderr, code);
        let found = (end.class, end.resets_at, end.unreadable);
        assert_eq!(found, (class, resets_at, 0), "{agent}: {stdout}{stderr}");
    }
}

#[test]
fn an_agent_is_recognised_behind_what_only_starts_it() {
    let table = [
        (
            "timeout 20 claude -p x --output-format stream-json",
            "claude",
        ),
        ("npx -y @google/gemini-cli -o json", "gemini"),
        ("nice env A=1 codex exec --json", "codex"),
    ];
    for (line, name) in table {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let (agent, _) = recognise(&words).expect("a command");
        assert_eq!(agent.name(), name, "{line}");
    }
    let (_, unread) = run("generic", "You've hit your usage limit", Exit::Code(1));
    assert_eq!(unread.class, EndClass::Unclear);
}

#[test]
fn agents_that_speak_like_claude_are_read_and_not_offered() {
    let done = r#"{"type":"result","is_error":false,"result":"x"}"#;
    let words = r#"{"type":"result","is_error":true,"error":"fetch failed"}"#;
    let object = r#"{"type":"result","is_error":true,"error":{"message":"[API Error: 429 x]"}}"#;
    let monthly = "Error: You've hit your usage limit until your monthly cycle ends on 1/2/2027.";
    let table = [
        (
            "amp -x y --stream-json",
            true,
            done,
            "",
            0,
            EndClass::Finished,
        ),
        (
            "amp -x y --stream-json",
            true,
            words,
            "",
            1,
            EndClass::Network,
        ),
        (
            "amp -x y",
            false,
            "",
            "No API key found. Starting login",
            1,
            EndClass::Auth,
        ),
        (
            "qwen -p x -o stream-json",
            true,
            object,
            "",
            1,
            EndClass::RateLimited,
        ),
        ("qwen -p x", false, "done", "", 0, EndClass::Finished),
        (
            "cursor-agent -p x --output-format json",
            true,
            "",
            monthly,
            1,
            EndClass::Billing,
        ),
    ];
    for (line, structured, stdout, stderr, code, class) in table {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let (agent, recognised) = recognise(&words).expect("a command");
        assert_eq!(recognised == Recognised::Structured, structured, "{line}");
        assert!(by_name(agent.name()).is_none(), "{line}");
        let agent = if structured { agent } else { as_text(agent) };
        assert_eq!(agent.abilities().structured, structured, "{line}");
        let mut reader = agent.reader(Reading::default());
        let mut events = Vec::new();
        for (stream, text) in [(Stream::Stderr, stderr), (Stream::Stdout, stdout)] {
            for line in text.lines() {
                reader.line(stream, Line::whole(line.as_bytes()), NOW, &mut events);
            }
        }
        let end = reader.end(Exit::Code(code), NOW);
        assert_eq!(end.class, class, "{line}: {stdout}{stderr}");
    }
}
