//! Who is told when nobody looks: the desktop, and an address on the net.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::Value;

use crate::context::TestContext;
use crate::stand_in::IDLE;

/// Seven iterations without progress: two alerts.
const ALERT: [&str; 6] = [
    "--preset",
    "cub",
    "--on-stagnation",
    "alert",
    "--max-iterations",
    "7",
];

/// What a receiver got.
struct Received {
    headers: Vec<String>,
    body: Value,
}

/// A receiver on this machine, gone with the test.
fn receiver() -> (String, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let (send, received) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let headers: Vec<String> = reader
                .by_ref()
                .lines()
                .map(|line| line.unwrap_or_default().to_lowercase())
                .take_while(|line| !line.is_empty())
                .collect();
            let length = headers
                .iter()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            stream.write_all(answer.as_bytes()).unwrap();
            let body = serde_json::from_slice(&body).unwrap();
            if send.send(Received { headers, body }).is_err() {
                return;
            }
        }
    });
    (address, received)
}

/// A `notify-send` that writes down what it was told.
fn desktop(context: &TestContext) {
    let log = context.path("desktop");
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$*\" >> '{}'\n", log.display());
    context.script("notify-send", &script);
}

fn shown(context: &TestContext) -> String {
    fs::read_to_string(context.path("desktop")).unwrap_or_default()
}

/// A memory that was damaged under a running loop ends it, whoever is looking.
#[test]
fn an_end_by_an_error_is_told_as_well() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let (address, received) = receiver();
    let options = ["--webhook", &address];
    context
        .supervise(&options, "rm -rf $XDG_STATE_HOME/fusebox/*/circuits")
        .run()
        .expect(4);
    let told = received.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(
        told.body.to_string().contains("stopped by an error"),
        "{}",
        told.body
    );
}

#[test]
fn req_000_055_to_057_and_075_to_076_and_103_an_alert_is_shown_and_the_loop_goes_on() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    desktop(&context);
    let run = context.run_claude(&ALERT).run().expect(45);
    assert_eq!(context.calls().len(), 7, "the loop went on");
    let shown = shown(&context);
    assert_eq!(
        shown
            .matches("Stagnation detected; the loop goes on")
            .count(),
        2,
        "{shown}"
    );
    for count in [3, 6] {
        let news = format!("No progress for {count} iterations");
        assert!(
            run.err().contains(&format!("warning: OPEN · {news}")),
            "{}",
            run.err()
        );
        assert!(shown.contains(&news), "{shown}");
    }
    assert!(
        !run.err().contains("notifications go to"),
        "no address is the default"
    );
}

#[test]
fn req_000_075_the_desktop_can_be_left_alone() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    desktop(&context);
    let directory = context.path("config/fusebox");
    fs::create_dir_all(&directory).unwrap();
    fs::write(
        directory.join("config.toml"),
        "[notifications]\ndesktop = false\n",
    )
    .unwrap();
    context.run_claude(&ALERT).run().expect(45);
    assert_eq!(shown(&context), "");
}

#[test]
fn req_000_058_and_103_an_address_gets_signed_json() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    let directory = context.path("config/fusebox");
    fs::create_dir_all(&directory).unwrap();
    fs::write(
        directory.join("config.toml"),
        "[notifications]\nsecret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n",
    )
    .unwrap();
    let (address, received) = receiver();
    let options = [
        &ALERT[..],
        &["--task", "beads-abc123", "--webhook", &address],
    ]
    .concat();
    let run = context.run_claude(&options).run().expect(45);
    let first = received.recv_timeout(Duration::from_secs(10)).unwrap();
    let body = &first.body;
    for (name, value) in [
        ("type", "run.warned"),
        ("reason", "No progress for 3 iterations"),
        ("task", "beads-abc123"),
        ("circuit", "default"),
        ("workspace", "work"),
    ] {
        assert_eq!(body[name], value, "{body}");
    }
    assert_eq!(body["iteration"], 3, "{body}");
    assert!(
        first
            .headers
            .iter()
            .any(|line| line.starts_with("webhook-signature: v1,")),
        "{:?}",
        first.headers
    );
    assert!(run.err().contains("notifications go to"), "{}", run.err());
}

/// An address that does not answer costs a word, and nothing else.
#[test]
fn req_000_055_a_notice_that_does_not_arrive_stops_nothing() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let address = format!("http://{closed}/hook");
    let options = [&ALERT[..], &["--webhook", &address]].concat();
    context
        .run_claude(&options)
        .run()
        .expect(45)
        .says("did not arrive");
    assert_eq!(context.calls().len(), 7);
}
