//! Whatever is thrown at it: one clear line, the right code, nothing changed.

use std::fs;

use serde_json::json;

use crate::context::TestContext;

/// Runs `args` with `input` and makes sure that nothing is remembered of it.
#[track_caller]
fn refused(context: &TestContext, args: &[&str], input: &[u8], says: &str) {
    let before = context.memory();
    context
        .fusebox(args)
        .input(input)
        .run()
        .expect(2)
        .complains_once()
        .says(says);
    assert_eq!(context.memory(), before, "{args:?} left a trace");
}

#[test]
fn reports_that_cannot_be_used_are_refused_by_name() {
    let context = TestContext::new();
    context.fusebox(&["check"]).run().expect(0);
    for (input, says) in [
        (&b""[..], "it is empty"),
        (b"  \n", "it is empty"),
        (b"null", "not a JSON object"),
        (b"[{}]", "not a JSON object"),
        (b"hello", "not a JSON object"),
        (b"\xff\xfe", "not a JSON object"),
        (br#"{"files_changed": 3"#, "not valid JSON"),
        (br#"{"files_changed": 3}{"#, "not valid JSON"),
        (br#"{"task": "unfinished"#, "not valid JSON"),
        (br#"{"files_changed": -1}"#, "`files_changed`"),
        (br#"{"files_changed": 1e400}"#, "`files_changed`"),
        (
            br#"{"files_changed": 99999999999999999999}"#,
            "`files_changed`",
        ),
        (br#"{"files_changed": "many"}"#, "`files_changed`"),
        (br#"{"files_changed": [1]}"#, "`files_changed`"),
        (br#"{"tasks_completed": 4294967296}"#, "`tasks_completed`"),
        (br#"{"duration_ms": -5}"#, "`duration_ms`"),
        (br#"{"exit_code": 1e10}"#, "`exit_code`"),
        (br#"{"errors": "boom"}"#, "`errors`"),
        (br#"{"errors": [7]}"#, "`errors`"),
        (br#"{"tests": {"passed": -1}}"#, "`tests`"),
        (br#"{"task": 7}"#, "`task`"),
        (br#"{"usage": {"cost_usd": -0.01}}"#, "`usage.cost_usd`"),
        (br#"{"environment": "weather"}"#, "`environment`"),
        (br#"{"claimed": true}"#, "`claimed`"),
        (br#"{"schema": 2}"#, "schema 2"),
        (br#"{"grant": "7"}"#, "`grant`"),
    ] {
        refused(&context, &["record", "-"], input, says);
    }
}

#[test]
fn req_000_024_command_lines_that_make_no_sense_are_refused() {
    let context = TestContext::new();
    context.fusebox(&["check"]).run().expect(0);
    let long = "x".repeat(65);
    let work = context.work();
    let work = work.to_str().unwrap();
    for (args, says) in [
        (&["--circuit", "../x", "check"][..], "circuit name"),
        (&["--circuit", ".hidden", "check"], "circuit name"),
        (&["--circuit", "", "check"], "circuit name"),
        (&["--circuit", &long, "check"], "circuit name"),
        (&["--circuit", "a/b", "check"], "circuit name"),
        (&["--circuit", "a\nb", "check"], "circuit name"),
        (&["run"], "nothing to run"),
        (&["run", "--"], "nothing to run"),
        (&["run", "--agent", "hal"], "claude, codex, gemini"),
        (&["run", "--agent", "claude"], "--prompt-file"),
        (&["run", "--agent", "claude", "--", "true"], "--agent"),
        (
            &["run", "--stagnation-threshold", "0", "--", "true"],
            "from 1 to 99",
        ),
        (
            &["run", "--stagnation-threshold", "100", "--", "true"],
            "from 1 to 99",
        ),
        (
            &["run", "--stagnation-threshold", "abc", "--", "true"],
            "abc",
        ),
        (
            &["run", "--max-iterations", "0", "--", "true"],
            "--max-iterations",
        ),
        (&["run", "--timeout", "0s", "--", "true"], "--timeout"),
        (&["run", "--timeout", "soon", "--", "true"], "--timeout"),
        (
            &["run", "--on-stagnation", "shrug", "--", "true"],
            "--on-stagnation",
        ),
        (
            &["run", "--once", "--max-iterations", "2", "--", "true"],
            "--once",
        ),
        (
            &["run", "--prompt-file", work, "--", "true"],
            "is not a regular file",
        ),
        (
            &["run", "--prompt-file", "/no/such/file", "--", "true"],
            "/no/such/file",
        ),
        (&["record", "--files-changed", "-1"], "-1"),
        (
            &["record", "--files-changed", "99999999999999999999"],
            "--files-changed",
        ),
        (&["record", "--files-changed", "x"], "--files-changed"),
        (&["record", "--error", "x", "--no-errors"], "--no-errors"),
        (&["record", "report.json"], "report.json"),
        (&["limit", "take", "0"], "0"),
        (&["limit", "take", "4097"], "4097"),
        (&["history", "-n", "-1"], "-1"),
        (&["trip"], "--reason"),
        (&["reset"], "--reason"),
        (&["frobnicate"], "frobnicate"),
        (&["-C", "/no/such/place", "check"], "/no/such/place"),
    ] {
        refused(&context, args, b"", says);
    }
}

#[test]
fn a_closed_standard_input_is_an_empty_one() {
    let context = TestContext::new();
    let shell = std::path::Path::new("/bin/sh");
    for (script, code) in [
        ("exec \"$0\" record - <&-", 2),
        ("exec \"$0\" record <&-", 0),
    ] {
        context
            .call(shell, &["-c", script, crate::context::FUSEBOX])
            .run()
            .expect(code);
    }
}

#[test]
fn unknown_fields_are_kept_and_spoken_of_once() {
    let context = TestContext::new();
    let report = r#"{"files_changed": 1, "mood": "sunny", "metrics": {"x": 1}, "phase": "GREEN"}"#;
    let first = context
        .fusebox(&["record", "-"])
        .input(report)
        .run()
        .expect(0);
    assert!(
        first
            .err()
            .contains("unknown fields ignored (but stored): mood\n"),
        "{}",
        first.err()
    );
    let second = context
        .fusebox(&["record", "-"])
        .input(report)
        .run()
        .expect(0);
    assert!(!second.err().contains("unknown"), "{}", second.err());
    let third = context
        .fusebox(&["record", "-"])
        .input(r#"{"files_changed": 1, "mood": 1, "weather": 2}"#)
        .run()
        .expect(0);
    assert!(
        third.err().contains("(but stored): weather\n"),
        "{}",
        third.err()
    );
    let log = String::from_utf8_lossy(&fs::read(context.store().log).unwrap()).into_owned();
    assert!(
        log.contains("sunny") && log.contains("GREEN"),
        "they were not kept"
    );
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_said_so() {
    let context = TestContext::new();
    let report = b"{\"task\": \"caf\xe9\", \"files_changed\": 1}";
    context
        .fusebox(&["record", "-"])
        .input(report)
        .run()
        .expect(0)
        .says("no UTF-8");
    let row = context
        .fusebox(&["history", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(row["task"], "caf\u{fffd}");
}

#[test]
fn huge_numbers_do_not_overflow_the_sums() {
    let context = TestContext::new();
    let most = u64::MAX;
    let report = json!({"files_changed": most, "duration_ms": most, "iteration": most,
        "usage": {"input_tokens": most, "output_tokens": most, "cost_usd": 1e9}, "exit_code": i32::MIN});
    for _ in 0..3 {
        context
            .fusebox(&["record", "-"])
            .input(report.to_string())
            .run()
            .expect(0);
    }
    let totals = &context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json()["totals"];
    assert_eq!(totals["duration_ms"], most);
    assert_eq!(totals["tokens"], most);
    for command in ["status", "explain", "history", "check"] {
        context.fusebox(&[command]).run().expect(0);
    }
}

#[test]
fn a_flood_of_structure_is_refused() {
    let context = TestContext::new();
    let flood = format!("{{\"x\": [{}1]}}", "1,".repeat(2 << 20));
    refused(
        &context,
        &["record", "-"],
        flood.as_bytes(),
        "larger than 2 MiB",
    );
    let deep = format!("{{\"errors\": {}", "[".repeat(1 << 20));
    refused(
        &context,
        &["record", "-"],
        deep.as_bytes(),
        "cannot be used",
    );
}
