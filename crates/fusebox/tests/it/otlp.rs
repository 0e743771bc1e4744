//! Traces for collectors, and what an agent says it spent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::call::AGES;
use crate::context::TestContext;
use crate::served::listening;

/// Three iterations, the last of which opens the breaker.
fn three_iterations() -> TestContext {
    let context = TestContext::new();
    let report = json!({"task": "T-1", "files_changed": 0, "duration_ms": 60_000,
        "usage": {"input_tokens": 1200, "cached_tokens": 90, "output_tokens": 80, "cost_usd": 0.5}});
    for (minute, code) in [(1, 0), (3, 0), (5, 42)] {
        let at = format!("2026-03-01T12:0{minute}:00Z");
        let call = context.at(&at, &["record", "-"]);
        call.input(report.to_string()).run().expect(code);
    }
    context
}

fn spans(request: &Value) -> Vec<Value> {
    let scope = &request["resourceSpans"][0]["scopeSpans"][0];
    assert_eq!(scope["scope"]["name"], "fusebox");
    scope["spans"].as_array().unwrap().clone()
}

fn attribute(span: &Value, key: &str) -> Value {
    let mut all = span["attributes"].as_array().unwrap().iter();
    let found = all.find(|one| one["key"] == key);
    found.map_or(Value::Null, |one| one["value"].clone())
}

#[test]
fn runs_iterations_and_usage_become_spans_with_the_same_ids_each_time() {
    let context = three_iterations();
    let export = || context.fusebox(&["otlp", "export"]).run().expect(0).json();
    let request = export();
    assert_eq!(request, export());
    let spans = spans(&request);
    assert_eq!(spans.len(), 4, "{request}");
    let (iterations, run) = spans.split_at(3);
    assert_eq!(
        attribute(&run[0], "gen_ai.operation.name"),
        json!({"stringValue": "invoke_workflow"})
    );
    for (key, value) in [
        (
            "gen_ai.operation.name",
            json!({"stringValue": "invoke_agent"}),
        ),
        ("gen_ai.usage.input_tokens", json!({"intValue": "1200"})),
        ("gen_ai.usage.output_tokens", json!({"intValue": "80"})),
        ("fusebox.cost_usd", json!({"doubleValue": 0.5})),
        ("fusebox.task", json!({"stringValue": "T-1"})),
    ] {
        assert_eq!(attribute(&iterations[0], key), value, "{key}");
    }
    let start = |span: &Value| span["startTimeUnixNano"].as_str().unwrap().to_owned();
    // 2026-03-01T12:00:00Z, a minute before the report.
    assert_eq!(start(&iterations[0]), "1772366400000000000");
    for one in iterations {
        assert_eq!(one["parentSpanId"], run[0]["spanId"]);
        assert_eq!(one["traceId"], run[0]["traceId"]);
        assert_eq!(
            (
                one["traceId"].as_str().unwrap().len(),
                one["spanId"].as_str().unwrap().len()
            ),
            (32, 16)
        );
    }
    assert_eq!(iterations[2]["status"]["code"], 2);
    assert!(iterations[0].get("status").is_none());
    let later = ["otlp", "export", "--since", "2026-03-01T12:04:00Z"];
    let late = context.fusebox(&later).run().expect(0).json();
    assert_eq!(
        late["resourceSpans"][0]["scopeSpans"][0]["spans"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// Spans go to a collector, and what a task is called is anybody's to say.
#[test]
fn no_secret_leaves_the_machine_in_a_span() {
    let context = TestContext::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let report = json!({"task": format!("use {secret}"), "files_changed": 0});
    for _ in 0..3 {
        context
            .fusebox(&["record", "-"])
            .input(report.to_string())
            .run();
    }
    let sent = context.fusebox(&["otlp", "export"]).run().expect(0).out();
    assert!(sent.contains("use [redacted]"), "{sent}");
    assert!(!sent.contains(secret), "{sent}");
}

/// A loop whose agent called tools that succeeded, failed, were denied and were never
/// answered.
fn after_calls() -> Option<TestContext> {
    let context = TestContext::with_claude(
        "succeed 'make'; fail 'make test' 'E1'; be_denied Write 'x'; use Task 'think'; echo 1 >> a.txt; finish 'Done.'",
    )?;
    context.run_claude(&["--once"]).run();
    Some(context)
}

#[test]
fn calls_of_tools_become_spans_by_the_conventions() {
    let Some(context) = after_calls() else {
        return;
    };
    let request = context.fusebox(&["otlp", "export"]).run().expect(0).json();
    let spans = spans(&request);
    let named = |name: &str| {
        let mut all = spans.iter();
        let found =
            all.find(|span| attribute(span, "gen_ai.operation.name")["stringValue"] == name);
        found.unwrap().clone()
    };
    let (run, agent) = (named("invoke_workflow"), named("invoke_agent"));
    assert_eq!(agent["parentSpanId"], run["spanId"]);
    assert_eq!(
        attribute(&agent, "gen_ai.conversation.id"),
        json!({"stringValue": "s-1"})
    );
    assert_eq!(
        attribute(&agent, "gen_ai.request.model"),
        json!({"stringValue": "stand-in"})
    );
    let tools: Vec<&Value> = spans
        .iter()
        .filter(|span| attribute(span, "gen_ai.operation.name")["stringValue"] == "execute_tool")
        .collect();
    let told: Vec<_> = tools
        .iter()
        .map(|tool| {
            let word = |key: &str| attribute(tool, key)["stringValue"].clone();
            let status = tool.get("status").map(|status| status["code"].clone());
            (
                tool["name"].clone(),
                word("gen_ai.tool.name"),
                word("gen_ai.tool.call.id"),
                word("error.type"),
                status,
            )
        })
        .collect();
    let row = |name: &str, id: &str, wrong: Option<&str>| {
        let status = wrong.map(|_| json!(2));
        let name = |prefix: &str| json!(format!("{prefix}{name}"));
        (
            name("execute_tool "),
            name(""),
            json!(id),
            json!(wrong),
            status,
        )
    };
    assert_eq!(
        told,
        [
            row("Bash", "t-1", None),
            row("Bash", "t-2", Some("failed")),
            row("Write", "t-3", Some("denied")),
            row("Task", "t-4", Some("unanswered")),
        ]
    );
    let nanos = |span: &Value, key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
    for tool in tools {
        assert_eq!(tool["parentSpanId"], agent["spanId"]);
        assert_eq!(tool["traceId"], agent["traceId"]);
        assert_eq!(tool["kind"], 1);
        let (start, end) = (
            nanos(tool, "startTimeUnixNano"),
            nanos(tool, "endTimeUnixNano"),
        );
        assert!(nanos(&agent, "startTimeUnixNano") <= start && start <= end);
        assert!(end <= nanos(&agent, "endTimeUnixNano"), "{tool}");
    }
}

/// What the protocol's own definitions make of it: the name of every span.
const READ_STRICTLY: &str = include_str!("read_traces.py");

#[test]
fn the_protocols_own_definitions_read_every_span() {
    let Some(context) = after_calls() else {
        return;
    };
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let python = cache.unwrap().join("fusebox-python/bin/python");
    if !python.is_file() {
        eprintln!("SKIPPED: no opentelemetry-proto; `cargo xtask web --install` fetches it");
        return;
    }
    let exported = context.fusebox(&["otlp", "export"]).run().expect(0).out();
    let mut reader = Command::new(python)
        .args(["-c", READ_STRICTLY])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut inward = reader.stdin.take().unwrap();
    inward.write_all(exported.as_bytes()).unwrap();
    drop(inward);
    let read = reader.wait_with_output().unwrap();
    assert!(read.status.success());
    let names = String::from_utf8(read.stdout).unwrap();
    assert_eq!(
        names.lines().collect::<Vec<_>>(),
        [
            "invoke_agent default",
            "execute_tool Bash",
            "execute_tool Bash",
            "execute_tool Write",
            "execute_tool Task",
            "invoke_workflow fusebox",
        ]
    );
}

#[test]
fn a_collector_gets_them_and_one_that_is_not_there_holds_up_nobody() {
    let context = three_iterations();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let taken = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let head: Vec<String> = reader
            .by_ref()
            .lines()
            .map(Result::unwrap)
            .take_while(|line| !line.is_empty())
            .collect();
        let length = head.iter().find_map(|line| {
            line.to_lowercase()
                .strip_prefix("content-length: ")
                .map(str::to_owned)
        });
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
            .unwrap();
        (
            head[0].clone(),
            serde_json::from_slice::<Value>(&body).unwrap(),
        )
    });
    context
        .fusebox(&["otlp", "export", "--to", &address])
        .run()
        .expect(0);
    let (line, request) = taken.join().unwrap();
    assert_eq!(line, "POST /v1/traces HTTP/1.1");
    assert_eq!(spans(&request).len(), 4);
    let nobody = ["otlp", "export", "--to", "http://127.0.0.1:9"];
    context.fusebox(&nobody).run().expect(6).complains_once();
    let plain = ["otlp", "export", "--to", "http://collector.example"];
    context.fusebox(&plain).run().expect(2).complains_once();
}

/// `otlp receive`, for as long as a test takes.
struct Receiver {
    child: Child,
    address: String,
    token: String,
}

impl Receiver {
    fn start(context: &TestContext) -> Self {
        let (child, found) = listening(context, &["otlp", "receive", "--json"]);
        let address = found["endpoint"]
            .as_str()
            .unwrap()
            .strip_prefix("http://")
            .unwrap();
        let token = found["token"].as_str().unwrap().to_owned();
        Self {
            child,
            address: address.to_owned(),
            token,
        }
    }

    fn push(&self, path: &str, media: &str, token: &str, body: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(AGES)).unwrap();
        let (address, length) = (&self.address, body.len());
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn push(temporality: u8, cost: f64, tokens: i64) -> String {
    let point = |kind: &str, more: Value| {
        let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
        let mut point = json!({"attributes": [text("model", "claude-x"), text("type", kind), text("session.id", "s")]});
        point
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        point
    };
    json!({"resourceMetrics": [{"scopeMetrics": [{"metrics": [
        {"name": "claude_code.cost.usage", "sum": {"aggregationTemporality": temporality, "dataPoints": [point("", json!({"asDouble": cost}))]}},
        {"name": "claude_code.token.usage", "sum": {"aggregationTemporality": temporality, "dataPoints": [
            point("input", json!({"asInt": tokens.to_string()})), point("cacheRead", json!({"asDouble": 7.0}))]}},
        {"name": "claude_code.session.count", "sum": {"dataPoints": [point("", json!({"asInt": 1}))]}},
    ]}]}]})
    .to_string()
}

#[test]
fn what_claude_code_says_it_spent_is_among_the_metrics() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let receiver = Receiver::start(&context);
    let json = "application/json";
    let token = receiver.token.clone();
    for (path, media, token, body, status) in [
        ("/v1/metrics", json, token.as_str(), push(1, 0.25, 100), 200),
        ("/v1/metrics", json, &token, push(1, 0.25, 100), 200),
        (
            "/v1/logs",
            json,
            &token,
            "{\"resourceLogs\": []}".into(),
            200,
        ),
        (
            "/v1/metrics",
            json,
            "0123456789abcdef",
            push(1, 9.0, 9),
            401,
        ),
        (
            "/v1/metrics",
            "application/x-protobuf",
            &token,
            "\u{1}".into(),
            415,
        ),
        ("/v1/metrics", json, &token, "[".into(), 400),
        ("/v1/nothing", json, &token, "{}".into(), 404),
    ] {
        assert_eq!(
            receiver.push(path, media, token, &body),
            status,
            "{path} {media}"
        );
    }
    // A number that goes on from the last one counts once.
    for (cost, tokens) in [(1.0, 10), (1.5, 15)] {
        assert_eq!(
            receiver.push("/v1/metrics", json, &token, &push(2, cost, tokens)),
            200
        );
    }
    let metrics = context.fusebox(&["metrics"]).run().expect(0).out();
    for line in [
        "fusebox_agent_cost_usd_total{agent=\"claude\",model=\"claude-x\"} 2",
        "fusebox_agent_tokens_total{agent=\"claude\",model=\"claude-x\",type=\"input\"} 215",
        "fusebox_agent_tokens_total{agent=\"claude\",model=\"claude-x\",type=\"cacheRead\"} 21",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
}

#[test]
fn a_loop_that_cannot_be_read_is_named_and_keeps_nobody_from_the_others() {
    let context = three_iterations();
    let other = ["--circuit", "other", "record", "--files-changed", "1"];
    context.fusebox(&other).run().expect(0);
    let circuits = context.store().circuit;
    std::fs::write(circuits.with_file_name("other").join("log"), "nonsense").unwrap();
    let export = context.fusebox(&["otlp", "export"]).run().expect(0);
    assert_eq!(spans(&export.json()).len(), 4);
    export
        .says("-other is left out: the state is inconsistent or was tampered with")
        .says("4 spans exported");
}
