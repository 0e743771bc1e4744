//! The loops in a browser, as a browser would ask for them.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use serde_json::{Value, json};

use crate::context::TestContext;
use crate::served::Served;

/// Text that would act if it were taken for markup.
const HOSTILE: [&str; 5] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'><svg/onload=alert(1)>",
    "</pre><iframe src=//evil.example></iframe>",
    "\u{1b}[2J\u{202e}",
];

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
        "/api/about".into(),
        "/api/incidents".into(),
        "/api/anomalies".into(),
        "/api/tasks".into(),
        "/api/fleet".into(),
        "/api/history".into(),
        "/api/events".into(),
        "/api/openapi.json".into(),
        format!("/pages/loops/{id}"),
        "/pages/overview".into(),
        "/pages/incidents".into(),
        "/pages/tasks".into(),
        "/pages/fleet".into(),
        "/pages/history".into(),
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
    println!("proof: requests {} for what is guarded", 3 * guarded.len());
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
    let pages = [
        format!("/pages/loops/{id}"),
        format!("/pages/loops/{id}/iterations/{record}"),
        "/pages/overview".into(),
        "/pages/incidents".into(),
        "/pages/history".into(),
    ];
    println!("proof: texts {} on pages", HOSTILE.len() * pages.len());
    for target in pages {
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
        (format!("/pages/loops/{id}?before=x"), 400),
        ("/api/history?most=x".into(), 400),
        ("/pages/history?most=x".into(), 400),
        ("/pages/nothing".into(), 404),
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
fn the_past_is_found_by_words_kind_task_and_loop() {
    let context = TestContext::new();
    for (task, message) in [
        ("importer", "disk full"),
        ("exporter", "Disk FULL"),
        ("docs", "typo"),
    ] {
        let report = json!({"files_changed": 1, "task": task,
            "errors": [{"type": "E", "message": message}]});
        let call = context.fusebox(&["record", "-", "--exit-zero"]);
        call.input(report.to_string()).run().expect(0);
    }
    context
        .fusebox(&["trip", "--reason", "100% _sure_"])
        .run()
        .expect(0);
    let served = Served::start(&context);
    let id = served.only_loop();
    let found = |question: &str| {
        let lines = served.json(&format!("/api/history?{question}"));
        let lines = lines.as_array().unwrap().clone();
        let task = |line: &Value| line["task"].as_str().unwrap_or("-").to_owned();
        lines.iter().map(task).collect::<Vec<_>>()
    };
    for (question, tasks) in [
        ("words=disk+full", &["exporter", "importer"][..]),
        ("words=100%25+_SURE_", &["-"]),
        ("words=x%25x", &[]),
        ("kind=reported&most=2", &["docs", "exporter"]),
        ("kind=tripped", &["-"]),
        ("task=docs", &["docs"]),
        ("loop=nobody", &[]),
        (&format!("loop={id}&task=importer"), &["importer"]),
    ] {
        assert_eq!(found(question), tasks, "{question}");
    }
    let told = context
        .fusebox(&["history", "--search", "DISK"])
        .run()
        .expect(0)
        .out();
    assert_eq!(told.lines().count(), 2, "{told}");
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
    let fleet = format!("file://{}", context.path("fleet").display());
    for words in [
        &["init"][..],
        &["halt", "--reason", "to have one"],
        &["budget", "fleet", "calls", "9"],
    ] {
        let args = [&["fleet", "--fleet", &fleet], words].concat();
        context.fusebox(&args).run().expect(0);
    }
    let served = Served::start_with(&context, &["--fleet", &fleet]);
    let described = served.json("/api/openapi.json");
    let id = served.only_loop();
    let page = served.json(&format!("/api/loops/{id}/iterations"));
    let record = page["iterations"][0]["record"].to_string();
    let paths = described["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 19);
    let shown = paths.iter().filter(|(_, item)| item.get("get").is_some());
    for (path, item) in shown.filter(|(path, _)| *path != "/api/events") {
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
