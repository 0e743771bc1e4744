//! What others answer: services that notices go to, tools that keep tasks, and agents that have
//! come to a limit.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use fusebox_agents::{AGENTS, Exit, LineSplitter, Reading, Stream};
use fusebox_notify::Webhook;

/// How long a receiver is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// When the agent ended: in 2026.
const NOW: i64 = 1_794_000_000_000;
/// No limit lasts longer.
const LONGEST: i64 = 32 * 24 * 3_600_000;

/// Whatever is answered: nothing but a success is taken for one, what tools are told to do is
/// what they were meant to be told, and no wait is without an end.
pub(crate) fn answers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    fusebox_tasks::read_answer(&text);
    limit(&text);
    receiver(bytes);
}

/// The end of an agent that says this of its limit, also in the place of a time.
fn limit(text: &str) {
    for line in [
        text.to_owned(),
        format!("You've hit your usage limit. It resets {text}"),
        format!("Rate limit reached, please try again in {text}"),
        format!("Claude AI usage limit reached|{text}"),
    ] {
        for agent in AGENTS {
            let end = || {
                let mut reader = agent.reader(Reading::default());
                let mut lines = LineSplitter::default();
                let mut events = Vec::new();
                lines.push(line.as_bytes(), |line| {
                    reader.line(Stream::Stderr, line, NOW, &mut events);
                });
                lines.finish(|line| reader.line(Stream::Stderr, line, NOW, &mut events));
                reader.end(Exit::Code(1), NOW)
            };
            let found = end();
            assert_eq!(found, end());
            if let Some(at) = found.resets_at {
                assert!(
                    (NOW - LONGEST..=NOW + LONGEST).contains(&at),
                    "{at}: {line:?}"
                );
            }
        }
    }
}

/// A server that answers so to whatever it is sent.
fn receiver(bytes: &[u8]) {
    let Ok(listener) = TcpListener::bind("127.0.0.1:0") else {
        return;
    };
    let address = listener.local_addr().expect("an address");
    let webhook: Webhook = format!("http://{address}/hook").parse().expect("a URL");
    let begun = Instant::now();
    let told = std::thread::scope(|scope| {
        scope.spawn(|| listener.accept().map(|(stream, _)| answer(stream, bytes)));
        let told = webhook.carry("{}".to_owned(), PATIENCE);
        // Whoever was not even called waits no longer.
        drop(TcpStream::connect(address));
        told
    });
    assert!(begun.elapsed() < 2 * PATIENCE);
    let head = bytes.trim_ascii_start();
    let success = head.starts_with(b"HTTP/1.") && head.get(8..10) == Some(b" 2");
    match told {
        // Others may come before it, which say that it is to come.
        Ok(()) => assert!(success || head.get(8..10) == Some(b" 1"), "{bytes:?}"),
        Err(why) => assert!(why.len() < 4_096, "{why:?}"),
    }
}

fn answer(mut stream: TcpStream, bytes: &[u8]) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    // What is not read would end the connection before the answer has arrived.
    let mut request = Vec::new();
    let mut piece = [0; 1_024];
    while !request.ends_with(b"\r\n\r\n{}") {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => request.extend_from_slice(&piece[..count]),
        }
    }
    let _ = stream.write_all(bytes);
}
