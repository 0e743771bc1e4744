//! A receiver that keeps what it is sent and answers as it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use fusebox_notify::{Notifier, Pace, Sink, Webhook};

/// How the receiver treats one request.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// Status line and headers, then a body.
    Say(&'static str, &'static str),
    /// Closes the connection without a word.
    Reset,
    /// Keeps it open without a word.
    Hang,
}

pub(crate) const OK: Answer = Answer::Say("200 OK", "");

/// What a request was.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    pub(crate) at: Instant,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A listener on loopback. Its thread ends with the test's process.
pub(crate) struct Server {
    port: u16,
    requests: Receiver<Request>,
}

impl Server {
    /// Gives the answers in turn, the last one for ever.
    pub(crate) fn answering(answers: &[Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = channel();
        let answers = answers.to_vec();
        std::thread::spawn(move || {
            let mut kept_open = Vec::new();
            for (turn, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let Some(request) = read(&mut stream) else {
                    continue;
                };
                let _ = sender.send(request);
                match answers[turn.min(answers.len() - 1)] {
                    Answer::Reset => {}
                    Answer::Hang => kept_open.push(stream),
                    Answer::Say(head, body) => {
                        let length = body.len();
                        let _ = write!(
                            stream,
                            "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                        );
                    }
                }
            }
        });
        Self { port, requests }
    }

    pub(crate) fn url(&self, dialect: &str, path: &str) -> String {
        format!("{dialect}+http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn webhook(&self, dialect: &str, path: &str) -> Webhook {
        self.url(dialect, path).parse().unwrap()
    }

    /// A notifier with this receiver as its only sink.
    pub(crate) fn notifier(&self, pace: Pace) -> Notifier {
        notifier(self.webhook("generic", "/hook"), pace)
    }

    #[track_caller]
    pub(crate) fn next(&self) -> Request {
        self.requests.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    pub(crate) fn nothing_more(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

pub(crate) fn notifier(webhook: Webhook, pace: Pace) -> Notifier {
    Notifier::start(vec![Sink::Webhook(Box::new(webhook))], pace).unwrap()
}

/// As in earnest, but with the pauses of a test.
pub(crate) fn quick() -> Pace {
    Pace {
        first_pause: Duration::from_millis(20),
        attempt: Duration::from_secs(2),
        ..Pace::default()
    }
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length?.1.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        path,
        headers,
        body: String::from_utf8(body).ok()?,
        at: Instant::now(),
    })
}
