//! Programs that talk to the breaker over a pipe, and the clients that are given to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::context::{FUSEBOX, TestContext};

fn request(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
}

/// What is answered to these lines, one after the other.
#[track_caller]
fn talk(context: &TestContext, args: &[&str], lines: &str) -> Vec<Value> {
    let given = context.fusebox(args).input(lines).run().expect(0);
    let lines = given.out();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_loop_is_stopped_over_the_pipe_as_it_is_on_the_command_line() {
    let context = TestContext::new();
    let mut lines = request(0, "check", &json!({}));
    for id in 1..=3 {
        lines += &request(id, "record", &json!({"report": {"files_changed": 0}}));
    }
    lines += &request(4, "check", &json!({"peek": true}));
    lines += &request(5, "explain", &json!({}));
    lines += &request(6, "history", &json!({"last": 3}));
    let answers = talk(&context, &["serve", "--stdio"], &lines);
    let gates: Vec<&str> = answers[..5]
        .iter()
        .map(|answer| answer["result"]["gate"].as_str().unwrap())
        .collect();
    assert_eq!(gates, ["allow", "allow", "allow", "deny", "deny"]);
    assert_eq!(answers[3]["result"]["exit_code"], 42);
    assert_eq!(answers[3]["result"]["state"], "Open");
    let text = answers[5]["result"]["text"].as_str().unwrap();
    assert!(text.contains("No progress"), "{text}");
    assert!(
        !text.contains('\x1b'),
        "nobody sees colours there: {text:?}"
    );
    let past = answers[6]["result"]["lines"].as_array().unwrap();
    assert_eq!(past.len(), 3, "{past:?}");
    // It is one memory, whoever asks.
    context.fusebox(&["check"]).run().expect(42);
}

#[test]
fn an_anomaly_is_reported_and_kept() {
    let context = TestContext::new();
    let anomaly = json!({"type": "retry_loop", "task": "T-3", "details": {"count": 3, "error_pattern": "no nesting"}});
    let lines = request(1, "report_anomaly", &anomaly)
        + &request(
            2,
            "report_anomaly",
            &json!({"type": "retry_loop", "task": "T-3"}),
        )
        + &request(
            3,
            "report_anomaly",
            &json!({"type": "no_such", "task": "T-3"}),
        );
    let answers = talk(&context, &["serve", "--stdio"], &lines);
    assert_eq!(answers[0]["result"]["task"], "T-3");
    for refused in &answers[1..] {
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let list = context.fusebox(&["anomaly", "list"]).run().expect(0).out();
    assert_eq!(list.lines().count(), 1, "{list}");
    assert!(list.contains("no nesting"), "{list}");
}

/// Whoever is on the other end may be the agent.
#[test]
fn nothing_over_a_pipe_releases_and_nothing_breaks_it() {
    let context = TestContext::new();
    context.open_breaker();
    let mut lines = String::new();
    for method in [
        "reset", "resolve", "edit", "recover", "rollback", "presets", "config", "run", "trip",
    ] {
        lines += &request(1, method, &json!({"reason": "let me"}));
    }
    lines += &request(1, "status", &json!({"reset": true}));
    lines += &request(1, "check", &json!({"force": true}));
    lines += &request(
        1,
        "record",
        &json!({"report": {"files_changed": 3}, "reset": true}),
    );
    for args in [&["serve", "--stdio"][..], &["mcp"]] {
        for answer in talk(&context, args, &lines) {
            let code = answer["error"]["code"].as_i64();
            assert!(matches!(code, Some(-32601 | -32602)), "{answer}");
        }
    }
    assert_eq!(context.state(), "Open");
    let hostile = format!(
        "{}\n\u{0}\u{1b}[31m\n{{\"jsonrpc\":\"2.0\"\n[[[[\n{}",
        "y".repeat(3 << 20),
        request(9, "status", &json!({}))
    );
    for args in [&["serve", "--stdio"][..], &["mcp"]] {
        let answers = talk(&context, args, &hostile);
        assert_eq!(answers.len(), 5, "{answers:?}");
        assert_eq!(answers[4]["id"], 9);
    }
}

#[test]
fn a_memory_that_cannot_be_believed_is_an_error_and_no_yes() {
    let context = TestContext::new();
    context.open_breaker();
    fs::write(context.store().log, "not a log").unwrap();
    let lines = request(1, "check", &json!({})) + &request(2, "status", &json!({}));
    for answer in talk(&context, &["serve", "--stdio"], &lines) {
        assert_eq!(answer["error"]["code"], -32000, "{answer}");
        assert_eq!(answer["error"]["data"]["exit_code"], 4, "{answer}");
    }
}

#[test]
fn an_agent_finds_tools_that_look_and_report() {
    let context = TestContext::new();
    context.open_breaker();
    let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let call = |id, name: &str, arguments: Value| {
        request(
            id,
            "tools/call",
            &json!({"name": name, "arguments": arguments}),
        )
    };
    let lines = request(1, "initialize", &hello)
        + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
        + &request(2, "tools/list", &json!({}))
        + &call(3, "status", json!({}))
        + &call(4, "explain", json!({}))
        + &call(5, "history", json!({"kind": "reported"}))
        + &call(
            6,
            "report_anomaly",
            json!({"type": "external_blocker", "task": "T", "details": {"blocker_service": "db"}}),
        )
        + &call(7, "reset", json!({}))
        + &request(8, "ping", &json!({}));
    let answers = talk(&context, &["mcp"], &lines);
    assert_eq!(answers.len(), 8, "a notification is not answered");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "fusebox");
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["status", "explain", "history", "report_anomaly"]);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
    }
    assert_eq!(answers[2]["result"]["structuredContent"]["state"], "Open");
    let why = answers[3]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(why.contains("No progress for 3 iterations"), "{why}");
    assert!(!why.contains('\x1b'), "{why:?}");
    let lines = &answers[4]["result"]["structuredContent"]["lines"];
    assert_eq!(lines.as_array().unwrap().len(), 3, "{lines}");
    assert_eq!(answers[5]["result"]["isError"], false);
    assert_eq!(answers[6]["error"]["code"], -32602);
    assert_eq!(answers[7]["result"], json!({}));
}

fn client(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("examples/clients").join(name)
}

/// Whether this starts here; says so where it does not.
fn starts(program: &str, args: &[&str]) -> bool {
    let started = Command::new(program).args(args).output();
    let starts = started.is_ok_and(|done| done.status.success());
    if !starts {
        eprintln!("SKIPPED: `{program} {}` does not start", args.join(" "));
    }
    starts
}

/// Runs a client around a command that does nothing, and one that works once.
fn is_stopped(program: &str, args: &[&str], file: &str) {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let file = client(file);
    let bin = Path::new(FUSEBOX).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let agent = context.script(
        "agent",
        "#!/bin/sh\necho ran >> ../runs\n[ -e new.txt ] || echo new > new.txt\n",
    );
    let mut words = args.to_vec();
    words.extend([file.to_str().unwrap(), agent.to_str().unwrap()]);
    let ended = context
        .call(Path::new(program), &words)
        .env("PATH", path)
        .run()
        .expect(42);
    assert!(
        ended.err().contains("stopped: No progress"),
        "{}",
        ended.err()
    );
    // One iteration that changed something, then three that did not.
    let runs = fs::read_to_string(context.path("runs")).unwrap();
    assert_eq!(runs.lines().count(), 4);
}

#[test]
fn the_client_in_python_is_stopped() {
    if starts("python3", &["--version"]) {
        is_stopped("python3", &[], "loop.py");
    }
}

#[test]
fn the_client_in_plain_javascript_is_stopped() {
    if starts("node", &["--version"]) {
        is_stopped("node", &[], "loop.mjs");
    }
}

#[test]
fn the_client_in_typescript_is_stopped_where_node_reads_types() {
    let flag = "--experimental-strip-types";
    if starts("node", &[flag, "--version"]) {
        is_stopped("node", &[flag, "--no-warnings"], "loop.ts");
    }
}

/// Where node reads no types, the twin was run; so it has to be a twin.
#[test]
fn the_client_in_typescript_is_the_one_in_javascript_with_types() {
    let typed = fs::read_to_string(client("loop.ts")).unwrap();
    let (head, rest) = typed.split_once("// types\n").unwrap();
    let (_, tail) = rest.split_once("// end of types\n\n").unwrap();
    let annotations = [
        ": Promise<Answer>",
        ": Promise<number>",
        ": string[]",
        ": string",
        ": object",
        ": Fusebox",
        ": Reply",
    ];
    let plain = annotations
        .iter()
        .fold(format!("{head}{tail}"), |text, annotation| {
            text.replace(annotation, "")
        });
    assert_eq!(plain, fs::read_to_string(client("loop.mjs")).unwrap());
}
