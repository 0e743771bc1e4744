//! What is tried again, what is not, and what is not even tried.

use std::time::Duration;

use fusebox_notify::{Kind, Notice, SinkReport, Webhook};

use crate::server::{Answer, OK, Server, notifier, quick};

fn notice(title: &str) -> Notice {
    Notice::new(Kind::Tripped, title, 0)
}

fn sent_to(server: &Server) -> SinkReport {
    let notifier = server.notifier(quick());
    notifier.send(&notice("stopped"));
    notifier.flush(Duration::from_secs(20)).remove(0)
}

#[test]
fn passing_failures_are_tried_again_under_the_same_id() {
    let busy = Answer::Say("503 Busy", "");
    let server = Server::answering(&[busy, Answer::Reset, Answer::Say("500 No", "x"), OK]);
    let report = sent_to(&server);
    assert_eq!((report.delivered, report.failed), (1, 0), "{report:?}");
    let ids: Vec<String> = (0..4)
        .map(|_| server.next().header("webhook-id").unwrap().to_owned())
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert!(server.nothing_more());
}

#[test]
fn the_receiver_says_when_to_come_back() {
    for answer in [
        Answer::Say("429 Slow\r\nretry-after: 1", ""),
        Answer::Say("429 Slow", r#"{"message":"slow","retry_after":1.0}"#),
    ] {
        let server = Server::answering(&[answer, OK]);
        assert_eq!(sent_to(&server).delivered, 1);
        let (first, second) = (server.next(), server.next());
        let waited = second.at.duration_since(first.at);
        assert!(waited >= Duration::from_millis(990), "{waited:?}");
    }
}

#[test]
fn a_wish_beyond_the_end_is_a_failure_at_once() {
    let server = Server::answering(&[Answer::Say("429 Slow\r\nretry-after: 3600", "")]);
    let report = sent_to(&server);
    assert_eq!(report.failed, 1);
    assert_eq!(
        report.last_failure.as_deref(),
        Some("it answered 429 (given up after 1 attempt)")
    );
}

#[test]
fn lasting_failures_are_not_tried_again() {
    for status in ["400 Bad", "401 Who", "404 Gone"] {
        let server = Server::answering(&[Answer::Say(status, ""), OK]);
        let report = sent_to(&server);
        assert_eq!((report.delivered, report.failed), (0, 1), "{status}");
        server.next();
        assert!(server.nothing_more(), "{status}");
    }
}

#[test]
fn redirects_are_not_followed() {
    for status in ["302 Found", "307 Temporary", "308 Permanent"] {
        let elsewhere = Server::answering(&[OK]);
        let target = elsewhere.url("x", "/stolen").replace("x+", "");
        let head = format!("{status}\r\nlocation: {target}");
        let server = Server::answering(&[Answer::Say(head.leak(), "")]);
        let report = sent_to(&server);
        let why = report.last_failure.unwrap();
        assert!(why.contains("redirects are not followed"), "{why}");
        assert!(elsewhere.nothing_more());
    }
}

#[test]
fn addresses_that_are_not_public_are_refused_before_a_connection() {
    const INWARDS: [&str; 16] = [
        "https://10.0.0.1/",
        "https://172.16.0.1:8443/",
        "https://192.168.1.1/",
        "https://100.64.0.1/",
        "https://[fd12::1]/",
        "https://[fe80::1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:169.254.169.254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[2002:a9fe:a9fe::1]/",
        "https://2130706433/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://0/",
        "https://0.0.0.0/",
        "https://255.255.255.255/",
    ];
    for url in INWARDS {
        let notifier = notifier(url.parse().unwrap(), quick());
        notifier.send(&notice("stopped"));
        let report = notifier.flush(Duration::from_secs(20)).remove(0);
        let why = report.last_failure.unwrap_or_default();
        assert!(why.contains("is not public"), "{url}: {why}");
    }
    println!("proof: attacks {} addresses inwards", INWARDS.len());
}

#[test]
fn link_local_addresses_stay_refused_where_private_ones_are_allowed() {
    let url: Webhook = "https://169.254.169.254/".parse().unwrap();
    let notifier = notifier(url.allowing_private_addresses(), quick());
    notifier.send(&notice("stopped"));
    let report = notifier.flush(Duration::from_secs(20)).remove(0);
    assert!(report.last_failure.unwrap().contains("is not public"));
}
