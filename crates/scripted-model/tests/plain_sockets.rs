//! The server, asked over a plain socket: no client library stands between
//! what is tested here and what the real clients see.

#![expect(
    clippy::unwrap_used,
    reason = "all of this is tests, also where it is not marked as one"
)]

use scripted_model::{Failure, Reply, Script, Server, Step, ToolCall};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The path of each protocol, the paths of its text and of its first call's
/// name in a whole answer, and a tool list that declares a shell.
struct Dialect {
    path: &'static str,
    text: &'static str,
    call: &'static str,
    tools: fn() -> Value,
    shell: &'static str,
}

const DIALECTS: [Dialect; 4] = [
    Dialect {
        path: "/v1/messages",
        text: "/content/0/text",
        call: "/content/1/name",
        tools: || json!([{"name": "Bash"}]),
        shell: "Bash",
    },
    Dialect {
        path: "/v1/responses",
        text: "/output/0/content/0/text",
        call: "/output/1/name",
        tools: || json!([{"type": "function", "name": "exec_command"}]),
        shell: "exec_command",
    },
    Dialect {
        path: "/v1/chat/completions",
        text: "/choices/0/message/content",
        call: "/choices/0/message/tool_calls/0/function/name",
        tools: || json!([{"type": "function", "function": {"name": "bash"}}]),
        shell: "bash",
    },
    Dialect {
        path: "/v1beta/models/m:generateContent",
        text: "/candidates/0/content/parts/0/text",
        call: "/candidates/0/content/parts/1/functionCall/name",
        tools: || json!([{"functionDeclarations": [{"name": "run_shell_command"}]}]),
        shell: "run_shell_command",
    },
];

impl Dialect {
    fn streaming_path(&self) -> String {
        self.path.replace(":generate", ":streamGenerate")
    }
}

struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The data of each event that is JSON.
    fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|l| l.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok())
            .collect()
    }
}

fn connect(server: &Server) -> TcpStream {
    let address = server.url();
    TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap()
}

fn send(connection: &mut TcpStream, path: &str, body: &Value) {
    let body = body.to_string();
    let length = body.len();
    let request = format!("POST {path} HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}");
    connection.write_all(request.as_bytes()).unwrap();
}

fn ask(server: &Server, path: &str, body: &Value) -> Response {
    let mut connection = connect(server);
    send(&mut connection, path, body);
    let mut text = String::new();
    connection.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Response {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

fn two_calls() -> Step {
    let shell = |command: &str| ToolCall::Shell {
        shell: command.to_owned(),
    };
    Step::Reply(Reply {
        text: "Working".to_owned(),
        calls: vec![shell("echo one"), shell("echo two")],
        ..Reply::default()
    })
}

#[test]
fn every_protocol_says_text_and_calls_the_clients_own_shell() {
    for dialect in DIALECTS {
        let path = dialect.path;
        let server = Server::start(Script::once([two_calls()])).unwrap();
        let body = json!({"model": "m", "tools": (dialect.tools)()});
        let response = ask(&server, path, &body);
        assert_eq!(response.status, 200, "{path}");
        let whole = response.json();
        let at = |pointer| whole.pointer(pointer).and_then(Value::as_str);
        assert_eq!(at(dialect.text), Some("Working"), "{path}: {whole}");
        assert_eq!(at(dialect.call), Some(dialect.shell), "{path}: {whole}");
        for command in ["echo one", "echo two"] {
            assert!(response.body.contains(command), "{path}: {whole}");
        }
    }
}

#[test]
fn every_protocol_streams_the_same_turn() {
    for dialect in DIALECTS {
        let path = dialect.streaming_path();
        let server = Server::start(Script::once([two_calls()])).unwrap();
        let body = json!({"stream": true, "tools": (dialect.tools)()});
        let response = ask(&server, &path, &body);
        assert!(response.head.contains("text/event-stream"), "{path}");
        for part in ["Working", dialect.shell, "echo one", "echo two"] {
            assert!(response.body.contains(part), "{path}: {}", response.body);
        }
        assert!(!response.events().is_empty(), "{path}");
    }
}

#[test]
fn titles_and_summaries_do_not_take_a_step() {
    let script = Script::once([Step::text("first"), Step::text("second")]);
    let server = Server::start(script).unwrap();
    let main = json!({"model": "m", "tools": [{"name": "Bash"}],
        "messages": [{"role": "user", "content": "do it"}]});
    let aside = json!({"model": "small"});
    for (body, said) in [
        (&aside, "A scripted session"),
        (&main, "first"),
        (&aside, "A scripted session"),
        (&main, "second"),
        (&main, "The script is at its end."),
    ] {
        let answer = ask(&server, "/v1/messages?beta=true", body).json();
        assert_eq!(answer["content"][0]["text"], said);
    }
    let requests = server.requests();
    let taken: Vec<bool> = requests.iter().map(|r| r.declares_tools).collect();
    assert_eq!(taken, [false, true, false, true, true]);
    assert_eq!(requests[0].model.as_deref(), Some("small"));
    assert_eq!(requests[1].last_user_text.as_deref(), Some("do it"));
    assert_eq!(requests[1].messages, 1);
    assert_eq!(requests[1].path, "/v1/messages");
    assert_eq!(server.steps_taken(), 3);
}

#[test]
fn failures_are_worded_as_each_vendor_words_them() {
    let limit = Failure::UsageLimit { resets_in_s: 7200 };
    for (index, failure, status, word) in [
        (0, limit, 429, "rate_limit_error"),
        (0, Failure::RateLimited, 429, "rate_limit_error"),
        (0, Failure::Overloaded, 529, "overloaded_error"),
        (0, Failure::Unauthorized, 401, "authentication_error"),
        (1, limit, 429, "usage_limit_reached"),
        (1, Failure::RateLimited, 429, "rate_limit_exceeded"),
        (1, Failure::Overloaded, 503, "server_is_overloaded"),
        (1, Failure::Unauthorized, 401, "invalid_api_key"),
        (2, limit, 429, "insufficient_quota"),
        (2, Failure::RateLimited, 429, "rate_limit_exceeded"),
        (2, Failure::Overloaded, 503, "server_is_overloaded"),
        (2, Failure::Unauthorized, 401, "invalid_api_key"),
        (3, limit, 429, "QUOTA_EXHAUSTED"),
        (3, Failure::RateLimited, 429, "RESOURCE_EXHAUSTED"),
        (3, Failure::Overloaded, 503, "UNAVAILABLE"),
        (3, Failure::Unauthorized, 400, "API_KEY_INVALID"),
    ] {
        let dialect = &DIALECTS[index];
        let server = Server::start(Script::once([Step::fail(failure)])).unwrap();
        let response = ask(&server, dialect.path, &json!({"tools": (dialect.tools)()}));
        assert_eq!(response.status, status, "{}: {failure:?}", dialect.path);
        assert!(response.body.contains(word), "{}", response.body);
        assert!(response.json()["error"].is_object(), "{}", response.body);
    }
}

#[test]
fn a_usage_limit_says_when_it_ends_where_the_vendor_has_words_for_it() {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let soon = |at: u64| (now + 7200..now + 7230).contains(&at);
    let limit = Failure::UsageLimit { resets_in_s: 7200 };
    let server = Server::start(Script::for_ever([Step::fail(limit)])).unwrap();
    let refused = |index: usize| {
        let dialect: &Dialect = &DIALECTS[index];
        ask(&server, dialect.path, &json!({"tools": (dialect.tools)()}))
    };

    let anthropic = refused(0).head;
    let header = "anthropic-ratelimit-unified-reset: ";
    let value = anthropic.lines().find_map(|line| line.strip_prefix(header));
    assert!(soon(value.unwrap().parse().unwrap()), "{anthropic}");

    let codex = refused(1);
    assert!(soon(codex.json()["error"]["resets_at"].as_u64().unwrap()));
    assert!(codex.head.contains("x-codex-primary-reset-at: "));

    let gemini = refused(3).json();
    let delay = &gemini["error"]["details"][0]["metadata"]["quotaResetDelay"];
    assert_eq!(delay, "7200s");
}

#[test]
fn a_turn_can_break_off_after_it_began() {
    for (dialect, ends_with) in DIALECTS.iter().zip([
        "overloaded_error",
        "response.failed",
        "server_is_overloaded",
        "UNAVAILABLE",
    ]) {
        let step = Step::BreakOff {
            text: "So far so good".to_owned(),
            failure: Failure::Overloaded,
        };
        let server = Server::start(Script::once([step])).unwrap();
        let body = json!({"stream": true, "tools": (dialect.tools)()});
        let response = ask(&server, &dialect.streaming_path(), &body);
        assert_eq!(response.status, 200);
        let events = response.events();
        let (last, before) = events.split_last().unwrap();
        assert!(last.to_string().contains(ends_with), "{last}");
        let before = json!(before).to_string();
        assert!(before.contains("So far so good"), "{before}");
    }
}

#[test]
fn hanging_dropping_and_waiting() {
    let slow = Step::Reply(Reply {
        text: "at last".to_owned(),
        delay_ms: 300,
        ..Reply::default()
    });
    let server = Server::start(Script::once([Step::Drop, slow, Step::Hang])).unwrap();
    let body = json!({"tools": [{"name": "Bash"}]});
    let mut nothing = String::new();

    let mut dropped = connect(&server);
    send(&mut dropped, "/v1/messages", &body);
    dropped.read_to_string(&mut nothing).unwrap();
    assert_eq!(nothing, "");

    let started = Instant::now();
    assert!(ask(&server, "/v1/messages", &body).body.contains("at last"));
    assert!(started.elapsed() >= Duration::from_millis(300));

    let mut hanging = connect(&server);
    hanging
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    send(&mut hanging, "/v1/messages", &body);
    assert!(server.wait_for_steps(3, Duration::from_secs(20)));
    assert!(
        hanging.read(&mut [0]).is_err(),
        "it must neither answer nor close"
    );
    drop(server);
    assert_eq!(
        hanging.read(&mut [0]).unwrap(),
        0,
        "it ends with the server"
    );
}

#[test]
fn what_clients_ask_beside_the_model() {
    let server = Server::start(Script::once([Step::text("first")])).unwrap();
    let tools = json!({"tools": [{"name": "Bash"}]});
    for (path, status, part) in [
        ("/v1/messages/count_tokens", 200, "input_tokens"),
        ("/v1beta/models/m:countTokens", 200, "totalTokens"),
        ("/v1/elsewhere", 404, "/v1/elsewhere"),
    ] {
        let response = ask(&server, path, &tools);
        assert_eq!(response.status, status, "{path}");
        assert!(response.body.contains(part), "{}", response.body);
    }
    assert_eq!(server.steps_taken(), 0);
}

#[test]
fn a_shell_for_a_client_that_has_none_is_the_scripts_mistake() {
    let server = Server::start(Script::once([Step::shell("ls")])).unwrap();
    let response = ask(
        &server,
        "/v1/messages",
        &json!({"tools": [{"name": "Read"}]}),
    );
    assert_eq!(response.status, 400);
    assert!(response.body.contains("script_error"), "{}", response.body);
}
