//! The loops in a browser, as a browser would ask for them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::call::AGES;
use crate::context::{FUSEBOX, TestContext};

/// Text that would act if it were taken for markup.
const HOSTILE: [&str; 5] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'><svg/onload=alert(1)>",
    "</pre><iframe src=//evil.example></iframe>",
    "\u{1b}[2J\u{202e}",
];

/// A server of a test's own; ended with it.
struct Served {
    child: Child,
    port: u16,
    token: String,
}

impl Served {
    fn start(context: &TestContext) -> Self {
        let mut child = Command::new(FUSEBOX)
            .args(["serve", "--json"])
            .env_clear()
            .envs(context.environment())
            .current_dir(context.work())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let found: Value = serde_json::from_str(&line).unwrap();
        let (port, token) = (found["port"].as_u64(), found["token"].as_str());
        let (port, token) = (port.unwrap(), token.unwrap().to_owned());
        let expected = format!("http://127.0.0.1:{port}/#token={token}");
        assert_eq!(found["url"], expected);
        assert_eq!(token.len(), 64);
        Self {
            child,
            port: u16::try_from(port).unwrap(),
            token,
        }
    }

    /// Sends a request with these headers, and leaves the answer to be read.
    fn send(&self, target: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(AGES)).unwrap();
        let request = format!("GET {target} HTTP/1.1\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn key(&self) -> String {
        format!("{}Authorization: Bearer {}\r\n", self.host(), self.token)
    }

    /// The answer of whoever has the token.
    #[track_caller]
    fn get(&self, target: &str) -> String {
        let (status, body) = self.ask(target, &self.key());
        assert_eq!(status, 200, "{target}: {body}");
        body
    }

    #[track_caller]
    fn json(&self, target: &str) -> Value {
        serde_json::from_str(&self.get(target)).unwrap()
    }

    fn ask(&self, target: &str, headers: &str) -> (u16, String) {
        let mut answer = String::new();
        self.send(target, headers)
            .read_to_string(&mut answer)
            .unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        (status, body.to_owned())
    }

    /// The name of the only loop.
    fn only_loop(&self) -> String {
        let loops = self.json("/api/loops");
        assert_eq!(loops.as_array().map(Vec::len), Some(1), "{loops}");
        loops[0]["id"].as_str().unwrap().to_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A run that changed something and printed something, then stood still.
fn after_a_run() -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    let script = "[ -e b.txt ] || echo '<b>new</b>' > b.txt; echo '<i>printed</i>'";
    context
        .supervise(&["--task", "T-1"], script)
        .run()
        .expect(43);
    Some(context)
}

#[test]
fn a_run_is_seen_from_all_sides() {
    let Some(context) = after_a_run() else {
        return;
    };
    let served = Served::start(&context);
    let loops = served.json("/api/loops");
    let status = &loops[0]["status"];
    assert_eq!(
        (
            &status["state"],
            &loops[0]["running"],
            &loops[0]["readable"]
        ),
        (&json!("Open"), &json!(false), &json!(true))
    );
    let id = served.only_loop();
    assert_eq!(served.json(&format!("/api/loops/{id}")), loops[0]);
    let page = served.json(&format!("/api/loops/{id}/iterations"));
    let iterations = page["iterations"].as_array().unwrap();
    assert_eq!((iterations.len(), &page["earlier"]), (4, &json!(null)));
    assert_eq!(iterations[0]["paths"], json!(["b.txt"]));
    let record = iterations[0]["record"].as_u64().unwrap();
    let first = served.json(&format!("/api/loops/{id}/iterations/{record}"));
    assert!(
        first["changes"].as_str().unwrap().contains("+<b>new</b>"),
        "{first}"
    );
    assert!(
        first["output"].as_str().unwrap().contains("<i>printed</i>"),
        "{first}"
    );
    let incidents = served.json("/api/incidents");
    assert_eq!(incidents[0]["reason"], "No progress for 3 iterations");
    assert_eq!(incidents[0]["closed"], json!(null));
    let page = served.get(&format!("/pages/loops/{id}"));
    let link = format!("<a href=\"#/loops/{id}/iterations/{record}\">1</a>");
    for part in [
        link.as_str(),
        "<svg ",
        "class=\"mark\"",
        "What to do next",
        "T-1",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let page = served.get(&format!("/pages/loops/{id}/iterations/{record}"));
    for part in ["+&lt;b&gt;new&lt;/b&gt;", "&lt;i&gt;printed&lt;/i&gt;"] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(served.get("/metrics").contains("fusebox_trips_total{"));
}

#[test]
fn nobody_is_answered_without_the_token_or_from_elsewhere() {
    let context = TestContext::new();
    context.open_breaker();
    let served = Served::start(&context);
    let id = served.only_loop();
    let guarded = [
        "/api/loops".to_owned(),
        format!("/api/loops/{id}"),
        format!("/api/loops/{id}/iterations"),
        "/api/incidents".into(),
        "/api/events".into(),
        "/api/openapi.json".into(),
        format!("/pages/loops/{id}"),
        "/metrics".into(),
    ];
    for target in &guarded {
        assert_eq!(served.ask(target, &served.host()).0, 401, "{target}");
        let elsewhere = format!(
            "Host: evil.example\r\nAuthorization: Bearer {}\r\n",
            served.token
        );
        assert_eq!(served.ask(target, &elsewhere).0, 403, "{target}");
        let other = format!("{}Origin: http://evil.example\r\n", served.key());
        assert_eq!(served.ask(target, &other).0, 403, "{target}");
    }
    // The frame holds nothing, and loads nothing but its own script and style.
    for (target, kind) in [
        ("/", "<main id=\"view\""),
        ("/app.js", "\"use strict\""),
        ("/app.css", ":root"),
    ] {
        let (status, body) = served.ask(target, &served.host());
        assert!(status == 200 && body.contains(kind), "{target}: {body}");
        for elsewhere in ["http:", "https:", "//evil", "@import", "No progress"] {
            assert!(!body.contains(elsewhere), "{elsewhere} in {target}");
        }
    }
    let (_, frame) = served.ask("/", &served.host());
    assert!(
        !frame.contains("<style") && !frame.contains(" style=") && !frame.contains("onload"),
        "{frame}"
    );
}

#[test]
fn hostile_text_stays_text_on_every_page() {
    let context = TestContext::new();
    for text in HOSTILE {
        let report = json!({
            "files_changed": [text], "task": text,
            "errors": [{"type": text, "message": text, "file": text}],
        });
        let call = context.fusebox(&["record", "-", "--exit-zero"]);
        call.input(report.to_string()).run().expect(0);
        context.fusebox(&["trip", "--reason", text]).run().expect(0);
    }
    let served = Served::start(&context);
    let id = served.only_loop();
    let page = served.json(&format!("/api/loops/{id}/iterations?most=2"));
    let record = &page["iterations"][1]["record"];
    for target in [
        format!("/pages/loops/{id}"),
        format!("/pages/loops/{id}/iterations/{record}"),
    ] {
        let page = served.get(&target);
        for mark in ["<script", "<img", "<svg/", "<iframe", "\u{1b}", "\u{202e}"] {
            assert!(!page.contains(mark), "{mark:?} in {target}: {page}");
        }
        assert!(page.contains("&lt;") || page.contains("\\x1b"), "{page}");
    }
    // Data says what it is, word for word, and is never taken for a page.
    let task = &served.json(&format!("/api/loops/{id}/iterations?most=5"))["iterations"][0]["task"];
    assert_eq!(task, HOSTILE[0]);
}

#[test]
fn pages_of_iterations_lead_to_the_beginning() {
    let context = TestContext::new();
    for _ in 0..7 {
        context
            .fusebox(&["record", "--files-changed", "1", "--exit-zero"])
            .run()
            .expect(0);
    }
    let served = Served::start(&context);
    let id = served.only_loop();
    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let page = served.json(&format!("/api/loops/{id}/iterations?most=3{before}"));
        let numbers = page["iterations"].as_array().unwrap().iter().rev();
        seen.extend(numbers.map(|one| one["iteration"].as_u64().unwrap()));
        match page["earlier"].as_u64() {
            Some(earlier) => before = format!("&before={earlier}"),
            None => break,
        }
    }
    assert_eq!(seen, [7, 6, 5, 4, 3, 2, 1]);
    for (target, status) in [
        (format!("/api/loops/{id}/iterations?most=x"), 400),
        (format!("/api/loops/{id}/iterations?before=-1"), 400),
        (format!("/api/loops/{id}/iterations/99"), 404),
        (format!("/api/loops/{id}/iterations/x"), 404),
        (format!("/api/loops/{id}/iterations/{}", u64::MAX), 404),
        ("/api/loops/nobody".into(), 404),
        ("/pages/loops/nobody".into(), 404),
        ("/api".into(), 404),
    ] {
        assert_eq!(served.ask(&target, &served.key()).0, status, "{target}");
    }
}

#[test]
fn whoever_watches_is_told_at_once() {
    let context = TestContext::new();
    context.open_breaker();
    let served = Served::start(&context);
    let mut stream = BufReader::new(served.send("/api/events", &served.key()));
    let mut next = |beginning: &str| loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "closed");
        if let Some(rest) = line.strip_prefix(beginning) {
            return rest.trim().to_owned();
        }
    };
    next(": here");
    // What was there before is not news; that it was seen takes a moment.
    std::thread::sleep(Duration::from_secs(1));
    context
        .fusebox(&["trip", "--reason", "again"])
        .run()
        .expect(0);
    let event: Value = serde_json::from_str(&next("data: ")).unwrap();
    assert_eq!(
        (&event["event"], &event["reason"]),
        (&json!("tripped"), &json!("again"))
    );
}

#[test]
fn what_is_described_is_what_is_answered() {
    let Some(context) = after_a_run() else {
        return;
    };
    let served = Served::start(&context);
    let described = served.json("/api/openapi.json");
    let id = served.only_loop();
    let page = served.json(&format!("/api/loops/{id}/iterations"));
    let record = page["iterations"][0]["record"].to_string();
    let paths = described["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 8);
    for (path, item) in paths.iter().filter(|(path, _)| *path != "/api/events") {
        let target = path.replace("{id}", &id).replace("{record}", &record);
        let body = served.get(&target);
        let content = item["get"]["responses"]["200"]["content"]
            .as_object()
            .unwrap();
        let Some(schema) = content
            .get("application/json")
            .map(|media| &media["schema"])
        else {
            continue;
        };
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_has_required(&described, schema, &answer, path);
    }
}

/// Every field that a schema requires is there, and no other than it names.
fn assert_has_required(described: &Value, schema: &Value, answer: &Value, path: &str) {
    if let Some(name) = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next()) {
        let named = &described["components"]["schemas"][name];
        return assert_has_required(described, named, answer, path);
    }
    if let Some(items) = answer.as_array() {
        items
            .iter()
            .for_each(|item| assert_has_required(described, &schema["items"], item, path));
        return;
    }
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for field in &required {
        assert!(
            answer.get(field.as_str().unwrap()).is_some(),
            "{path} lacks {field}: {answer}"
        );
    }
    if let (Some(named), Some(given)) = (schema["properties"].as_object(), answer.as_object()) {
        for (name, value) in given {
            assert!(named.contains_key(name), "{path} does not describe {name}");
            assert_has_required(described, &named[name], value, path);
        }
    }
}

#[test]
fn a_weak_token_and_a_taken_port_are_refused() {
    let context = TestContext::new();
    for token in ["short", "with a space in it", "sixteen/and/more"] {
        context
            .fusebox(&["serve", "--token", token])
            .run()
            .expect(2)
            .complains_once();
    }
    let served = Served::start(&context);
    let port = served.port.to_string();
    context
        .fusebox(&["serve", "--port", &port])
        .run()
        .expect(6)
        .complains_once();
}
