//! What each receiver is sent, to the last field.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fusebox_notify::{Kind, Notice};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::server::{OK, Request, Server, notifier, quick};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A trip whose every text tries something.
fn hostile() -> Notice {
    Notice {
        body: "<!channel> @everyone\n*bold* \u{1b}[31m".into(),
        reason: Some("same error: export API_KEY=sk-abcdefghijklmnopqrstuvwx".into()),
        iteration: Some(7),
        task: Some("<https://evil.example|click>\u{202e}".into()),
        micro_usd: Some(1_250_000),
        next: Some("fusebox reset --reason …".into()),
        circuit: "default".into(),
        workspace: "/srv/app".into(),
        ..Notice::new(Kind::Tripped, "stopped & <stuck>", 1_700_000_000_000)
    }
}

fn received(dialect: &str, path: &str) -> Request {
    let server = Server::answering(&[OK]);
    let notifier = notifier(server.webhook(dialect, path), quick());
    notifier.send(&hostile());
    let reports = notifier.flush(Duration::from_secs(20));
    assert_eq!(reports[0].delivered, 1, "{reports:?}");
    let request = server.next();
    assert_eq!(request.header("content-type"), Some("application/json"));
    request
}

#[test]
fn req_000_103_slack_is_told_in_plain_text() {
    let request = received("slack", "/services/x");
    assert_eq!(request.path, "/services/x");
    let text = "<!channel> @everyone\n*bold* \\x1b[31m\nReason: same error: export API_KEY=[redacted]\n\
                Task: <https://evil.example|click>\\u{202e}\nIteration: 7\nCost: $1.25\nWorkspace: /srv/app\n\
                Circuit: default\nNext: fusebox reset --reason …";
    let plain = |text: &str| json!({ "type": "plain_text", "text": text, "emoji": false });
    assert_eq!(
        request.json(),
        json!({
            "text": "fusebox: stopped &amp; &lt;stuck&gt;",
            "blocks": [
                { "type": "header", "text": plain("fusebox: stopped & <stuck>") },
                { "type": "section", "text": plain(text) },
            ],
            "unfurl_links": false,
            "unfurl_media": false,
        })
    );
}

#[test]
fn discord_mentions_nobody() {
    let request = received("discord", "/api/webhooks/1/x");
    let field = |name: &str, value: &str, inline: bool| json!({ "name": name, "value": value, "inline": inline });
    assert_eq!(
        request.json(),
        json!({
            "username": "fusebox",
            "allowed_mentions": { "parse": [] },
            "embeds": [{
                "title": "fusebox\\: stopped & \\<stuck\\>",
                "description": "\\<!channel\\> \\@everyone\n\\*bold\\* \\\\x1b\\[31m",
                "color": 0xe7_4c_3c,
                "timestamp": "2023-11-14T22:13:20Z",
                "fields": [
                    field("Reason", "same error\\: export API\\_KEY=\\[redacted\\]", false),
                    field("Task", "\\<https\\://evil.example\\|click\\>\\\\u{202e}", false),
                    field("Iteration", "7", true),
                    field("Cost", "$1.25", true),
                    field("Workspace", "/srv/app", true),
                    field("Circuit", "default", true),
                    field("Next", "fusebox reset \\-\\-reason …", true),
                ],
            }],
        })
    );
}

#[test]
fn ntfy_gets_topic_and_text() {
    let request = received("ntfy", "/push/topic");
    assert_eq!(request.path, "/push/");
    let body = request.json();
    assert_eq!(body["topic"], "topic");
    assert_eq!(body["title"], "fusebox: stopped & <stuck>");
    assert_eq!(body["priority"], 5);
    assert_eq!(body["tags"], json!(["rotating_light"]));
    let message = body["message"].as_str().unwrap();
    assert!(message.starts_with("<!channel> @everyone\n*bold* \\x1b[31m\nReason: "));
}

#[test]
fn a_program_gets_signed_json() {
    let server = Server::answering(&[OK]);
    let webhook = server.webhook("generic", "/hook?x=1");
    let notifier = notifier(webhook.signed_with(SECRET.parse().unwrap()), quick());
    notifier.send(&hostile());
    let request = server.next();
    assert_eq!(request.path, "/hook?x=1");

    let id = request.header("webhook-id").unwrap();
    let timestamp = request.header("webhook-timestamp").unwrap();
    let signature = request.header("webhook-signature").unwrap();
    let signature = STANDARD
        .decode(signature.strip_prefix("v1,").unwrap())
        .unwrap();
    let key = STANDARD.decode(&SECRET["whsec_".len()..]).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{timestamp}.{}", request.body).as_bytes());
    mac.verify_slice(&signature).unwrap();

    assert_eq!(
        request.json(),
        json!({
            "schema": "fusebox.notice/1",
            "id": id,
            "type": "circuit.opened",
            "severity": "critical",
            "time": "2023-11-14T22:13:20Z",
            "title": "stopped & <stuck>",
            "body": "<!channel> @everyone\n*bold* \\x1b[31m",
            "reason": "same error: export API_KEY=[redacted]",
            "iteration": 7,
            "task": "<https://evil.example|click>\\u{202e}",
            "cost_usd": 1.25,
            "next": "fusebox reset --reason …",
            "circuit": "default",
            "workspace": "/srv/app",
        })
    );
}

#[test]
fn without_a_secret_nothing_is_signed() {
    let request = received("generic", "/hook");
    assert!(request.header("webhook-id").is_some());
    assert!(request.header("webhook-signature").is_none());
}

/// Every kind of news, to every kind of receiver, with every field trying something.
#[test]
fn no_text_acts_on_any_receiver() {
    const TEXTS: [&str; 12] = [
        "\u{1b}[2J\u{1b}[H",
        "\u{1b}]8;;https://evil.example\u{1b}\\click\u{1b}]8;;\u{1b}\\",
        "\u{9b}31mred",
        "over\rwritten",
        "back\u{8}\u{8}spaced",
        "\u{202e}drowssap",
        "\u{2066}isolated\u{2069}",
        "zero\u{200b}width\u{feff}",
        "<!channel> @everyone <@U0000>",
        "[click](javascript:alert(1)) <https://evil.example|click>",
        "token ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
    ];
    let kinds = [
        Kind::Tripped,
        Kind::Paused,
        Kind::Limited,
        Kind::Warned,
        Kind::Escalated,
        Kind::Finished,
        Kind::Ended,
        Kind::Test,
    ];
    let acts = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}' | '\u{feff}')
    };
    let mut sent = 0;
    for dialect in ["slack", "discord", "ntfy", "generic"] {
        let server = Server::answering(&[OK]);
        for kind in kinds {
            for text in TEXTS {
                let notifier = notifier(server.webhook(dialect, "/x"), quick());
                notifier.send(&Notice {
                    body: text.into(),
                    reason: Some(text.into()),
                    task: Some(text.into()),
                    next: Some(text.into()),
                    circuit: text.into(),
                    workspace: text.into(),
                    ..Notice::new(kind, text, 0)
                });
                let body = server.next().json();
                let context = format!("{dialect} {kind:?} {text:?}: {body}");
                let texts = texts_in(&body);
                assert!(texts.len() > 1, "{context}");
                assert!(!texts.iter().any(|text| text.contains(acts)), "{context}");
                for secret in ["ghp_0123", "wJalrXUt"] {
                    assert!(!body.to_string().contains(secret), "{context}");
                }
                match dialect {
                    // Its plain text is shown as it is; what is not marked as plain is escaped.
                    "slack" => assert!(!body["text"].to_string().contains("<!"), "{context}"),
                    "discord" => {
                        assert_eq!(
                            body["allowed_mentions"],
                            json!({ "parse": [] }),
                            "{context}"
                        );
                    }
                    _ => {}
                }
                sent += 1;
            }
        }
    }
    println!("proof: texts {sent} sent, of {} texts", TEXTS.len());
}

/// All that is text in it.
fn texts_in(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().flat_map(texts_in).collect(),
        Value::Object(all) => all.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn the_longest_texts_stay_within_each_receivers_bounds() {
    let long = "*漢_".repeat(5_000);
    let notice = Notice {
        body: format!("{long}\n").repeat(30),
        reason: Some(long.clone()),
        task: Some(long.clone()),
        ..Notice::new(Kind::Warned, long.as_str(), 0)
    };
    for dialect in ["slack", "discord", "ntfy"] {
        let server = Server::answering(&[OK]);
        let notifier = notifier(server.webhook(dialect, "/x"), quick());
        notifier.send(&notice);
        let body = server.next().json();
        let length = |pointer: &str| {
            let text = body.pointer(pointer).unwrap().as_str().unwrap();
            text.encode_utf16().count()
        };
        match dialect {
            "slack" => {
                assert!(length("/blocks/0/text/text") <= 150);
                assert!(length("/blocks/1/text/text") <= 3_000);
            }
            "discord" => {
                assert!(length("/embeds/0/title") <= 256);
                assert!(length("/embeds/0/description") <= 4_096);
                assert!(length("/embeds/0/fields/0/value") <= 1_024);
            }
            _ => assert!(body["message"].as_str().unwrap().len() <= 4_096),
        }
    }
}
