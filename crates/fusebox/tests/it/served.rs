//! `fusebox serve`, for as long as a test takes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::call::AGES;
use crate::context::{FUSEBOX, TestContext};

/// A server of a test's own; ended with it.
pub(crate) struct Served {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

/// Starts a command that listens, and takes in the line in which it says where.
pub(crate) fn listening(context: &TestContext, args: &[&str]) -> (Child, Value) {
    // A session of its own has no terminal that a command could ask on.
    let mut child = Command::new("setsid")
        .arg(FUSEBOX)
        .args(args)
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
    (child, serde_json::from_str(&line).unwrap())
}

impl Served {
    pub(crate) fn start(context: &TestContext) -> Self {
        Self::start_with(context, &[])
    }

    pub(crate) fn start_with(context: &TestContext, args: &[&str]) -> Self {
        let args = [&["serve", "--json"], args].concat();
        let (child, found) = listening(context, &args);
        let (port, token) = (found["port"].as_u64(), found["token"].as_str());
        let (port, token) = (port.unwrap(), token.unwrap().to_owned());
        let expected = format!("http://127.0.0.1:{port}/#token={token}");
        assert_eq!(found["url"], expected);
        let chosen = args.contains(&"--token");
        assert!(chosen || token.len() == 64, "{token}");
        Self {
            child,
            port: u16::try_from(port).unwrap(),
            token,
        }
    }

    /// Sends a request with these headers, and leaves the answer to be read.
    pub(crate) fn send(&self, target: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(AGES)).unwrap();
        let request = format!("GET {target} HTTP/1.1\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    pub(crate) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    pub(crate) fn key(&self) -> String {
        format!("{}Authorization: Bearer {}\r\n", self.host(), self.token)
    }

    /// The answer of whoever has the token.
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> String {
        let (status, body) = self.ask(target, &self.key());
        assert_eq!(status, 200, "{target}: {body}");
        body
    }

    #[track_caller]
    pub(crate) fn json(&self, target: &str) -> Value {
        serde_json::from_str(&self.get(target)).unwrap()
    }

    pub(crate) fn ask(&self, target: &str, headers: &str) -> (u16, String) {
        answer(self.send(target, headers))
    }

    /// The answer to a wish of whoever has the token, with these headers besides.
    pub(crate) fn post(&self, target: &str, headers: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(AGES)).unwrap();
        let length = body.len();
        let request =
            format!("POST {target} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).unwrap();
        let (status, body) = answer(stream);
        (status, serde_json::from_str(&body).unwrap())
    }

    /// The address that a person opens.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token)
    }

    /// The name of the only loop.
    pub(crate) fn only_loop(&self) -> String {
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

fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    (status, body.to_owned())
}
