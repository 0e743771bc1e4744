//! What pages may ask for: with the token, with a reason, by nobody inside an agent's
//! tree, and written down.

use std::fs;

use serde_json::{Value, json};

use crate::context::{KEY, TestContext};
use crate::served::Served;

const JSON: &str = "Content-Type: application/json\r\n";

fn after_one_report() -> TestContext {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    context
}

/// What was written down of all wishes.
fn record(context: &TestContext) -> Vec<Value> {
    let text = fs::read_to_string(context.path("state/fusebox/actions.jsonl")).unwrap_or_default();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn nothing_can_be_asked_for_unless_it_was_allowed() {
    let context = after_one_report();
    let served = Served::start(&context);
    let target = format!("/api/loops/{}/trip", served.only_loop());
    let head = format!("{}{JSON}", served.key());
    let (status, told) = served.post(&target, &head, r#"{"reason": "x"}"#);
    assert_eq!(status, 405);
    let why = told["error"].as_str().unwrap();
    assert!(why.contains("fusebox serve --allow-actions"), "{told}");
    assert_eq!(served.json("/api/about")["actions"], false);
    assert_eq!(context.state(), "Closed");
}

#[test]
fn a_wish_is_the_command_with_its_reason_and_is_written_down() {
    let context = after_one_report();
    context.hold_key();
    let served = Served::start_with(&context, &["--allow-actions"]);
    assert_eq!(served.json("/api/about")["actions"], true);
    let id = served.only_loop();
    let to = |word: &str| format!("/api/loops/{id}/{word}");
    let head = format!("{}{JSON}", served.key());
    let (status, told) = served.post(&to("trip"), &head, r#"{"reason": "--help me"}"#);
    assert_eq!((status, &told["done"]), (200, &json!(true)), "{told}");
    assert_eq!(context.state(), "Open");
    for (word, wish, expected, said) in [
        ("reset", json!({"reason": "done"}), 409, "operator's key"),
        (
            "reset",
            json!({"reason": "done", "key": "wrong"}),
            409,
            "not the operator's key",
        ),
        (
            "pause",
            json!({"reason": "wait"}),
            409,
            "no loop is running",
        ),
        ("resume", json!({"reason": "go"}), 409, "no loop is running"),
        (
            "stop",
            json!({"reason": "enough"}),
            409,
            "no loop is running",
        ),
        (
            "skip",
            json!({"reason": "hopeless"}),
            409,
            "no task is being worked on",
        ),
    ] {
        let (status, told) = served.post(&to(word), &head, &wish.to_string());
        let why = told["error"].as_str().unwrap_or_default();
        assert!(
            status == expected && why.contains(said) && !why.starts_with("error"),
            "{word}: {status} {told}"
        );
    }
    assert_eq!(context.state(), "Open");
    let release = json!({"reason": "looked at it", "key": KEY}).to_string();
    let (status, told) = served.post(&to("reset"), &head, &release);
    assert_eq!(status, 200, "{told}");
    assert_eq!(context.state(), "Closed");
    let events = context
        .fusebox(&["events", "--json"])
        .run()
        .expect(0)
        .json_lines();
    let last = events.last().unwrap();
    assert_eq!(
        (&last["event"], &last["reason"]),
        (&json!("reset"), &json!("looked at it"))
    );
    let written = record(&context);
    let words = |lines: &[&Value]| -> Vec<String> {
        let words = lines.iter().map(|line| line["action"].as_str().unwrap());
        words.map(str::to_owned).collect()
    };
    // Each is written down twice: as a wish, and with what came of it.
    let pairs: Vec<_> = written.chunks(2).collect();
    let (wishes, came): (Vec<_>, Vec<_>) = pairs.iter().map(|pair| (&pair[0], &pair[1])).unzip();
    assert!(wishes.iter().all(|line| line["done"].is_null()));
    assert!(came.iter().all(|line| line["done"].is_boolean()));
    assert_eq!(words(&wishes), words(&came));
    assert_eq!(
        words(&wishes),
        [
            "trip", "reset", "reset", "pause", "resume", "stop", "skip", "reset"
        ]
    );
    assert_eq!(
        (&came[0]["reason"], &came[0]["done"]),
        (&json!("--help me"), &json!(true))
    );
    assert!(
        !written.iter().any(|line| line.to_string().contains(KEY)),
        "{written:?}"
    );
}

#[test]
fn a_wish_that_cannot_be_written_down_is_not_carried_out() {
    let context = after_one_report();
    let served = Served::start_with(&context, &["--allow-actions"]);
    let target = format!("/api/loops/{}/trip", served.only_loop());
    fs::create_dir(context.path("state/fusebox/actions.jsonl")).unwrap();
    let head = format!("{}{JSON}", served.key());
    let (status, _) = served.post(&target, &head, r#"{"reason": "x"}"#);
    assert_eq!(
        (status, context.state().as_str()),
        (500, "Closed"),
        "nobody would know who asked"
    );
}

#[test]
fn a_wish_without_token_reason_or_form_is_none() {
    let context = after_one_report();
    let served = Served::start_with(&context, &["--allow-actions"]);
    let target = format!("/api/loops/{}/trip", served.only_loop());
    let wish = r#"{"reason": "x"}"#;
    let (key, host) = (served.key(), served.host());
    let long = json!({"reason": "x".repeat(501)}).to_string();
    let mut strangers = 0;
    for (target, head, body, expected) in [
        (target.as_str(), format!("{host}{JSON}"), wish, 401),
        (
            &target,
            format!("{key}{JSON}Origin: http://evil.example\r\n"),
            wish,
            403,
        ),
        (
            &target,
            format!("{key}{JSON}Sec-Fetch-Site: cross-site\r\n"),
            wish,
            403,
        ),
        (&target, format!("Host: evil.example\r\n{JSON}"), wish, 403),
        (&target, key.clone(), "", 400),
        (
            &target,
            format!("{key}Content-Type: text/plain\r\n"),
            wish,
            415,
        ),
        (&target, format!("{key}{JSON}"), "", 400),
        (&target, format!("{key}{JSON}"), "{}", 400),
        (&target, format!("{key}{JSON}"), r#"{"reason": "  "}"#, 400),
        (
            &target,
            format!("{key}{JSON}"),
            r#"{"reason": "x", "force": true}"#,
            400,
        ),
        (&target, format!("{key}{JSON}"), long.as_str(), 400),
        ("/api/loops/nobody/trip", format!("{key}{JSON}"), wish, 404),
        ("/api/loops", format!("{key}{JSON}"), wish, 405),
    ] {
        let (status, answer) = served.post(target, &head, body);
        assert_eq!(status, expected, "{target} {head} {body}: {answer}");
        if status == 400 {
            let why = answer["error"].as_str().unwrap();
            assert!(why.contains("reason"), "{body}: {answer}");
        }
        strangers += usize::from(matches!(status, 401 | 403));
    }
    println!("proof: requests {strangers} to have something done");
    assert_eq!(served.ask(&target, &key).0, 405);
    assert_eq!(
        (context.state().as_str(), record(&context).len()),
        ("Closed", 0)
    );
}

#[test]
fn an_agent_gets_nothing_done_although_it_knows_the_token() {
    let context = after_one_report();
    context.hold_key();
    let served = Served::start_with(&context, &["--allow-actions"]);
    let id = served.only_loop();
    let body = json!({"reason": "let me", "key": KEY}).to_string();
    let request = format!(
        "POST /api/loops/{id}/reset HTTP/1.1\r\n{}{JSON}Content-Length: {}\r\n\r\n{body}",
        served.key(),
        body.len()
    );
    let port = served.port;
    let asking = request.replace("\r\n", "\\r\\n");
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; printf '{asking}' >&3; cat <&3");
    let inside = context.path("inside");
    fs::create_dir_all(&inside).unwrap();
    let run = context.fusebox(&["run", "--once", "--", "bash", "-c", &script]);
    let said = run.inside(&inside).run();
    let said = format!("{}{}", said.out(), said.err());
    assert!(said.contains("409 Conflict"), "{said}");
    assert!(said.contains("supervised agent"), "{said}");
    let written = record(&context);
    assert_eq!(written[1]["done"], false, "{written:?}");
    println!("proof: requests 1 by an agent with the token");
    // Nor can it open the door in the first place.
    let script = format!("{} serve --allow-actions", crate::context::FUSEBOX);
    let run = context.fusebox(&["run", "--once", "--", "sh", "-c", &script]);
    let said = run.inside(&inside).run();
    let said = format!("{}{}", said.out(), said.err());
    assert!(
        said.contains("acting through a page is refused here"),
        "{said}"
    );
}

#[test]
fn actions_take_a_token_that_was_typed_and_none_that_was_planted() {
    let context = after_one_report();
    context
        .fusebox(&["serve", "--allow-actions"])
        .env("FUSEBOX_TOKEN", "0123456789abcdef")
        .run()
        .expect(2)
        .complains_once();
    context
        .fusebox(&["serve", "--token", "short"])
        .run()
        .expect(2)
        .says("less than 16 characters");
    let chosen = ["--allow-actions", "--token", "0123456789abcdef"];
    let served = Served::start_with(&context, &chosen);
    assert!(served.key().contains("Bearer 0123456789abcdef"));
    // What takes no reason when it is typed takes an empty request.
    let target = format!("/api/loops/{}/", served.only_loop());
    let (status, told) = served.post(&format!("{target}pause"), &served.key(), "");
    assert!([200, 409].contains(&status), "{told}");
    let (status, told) = served.post(&format!("{target}trip"), &served.key(), "");
    assert_eq!(status, 400, "{told}");
}
