//! `fusebox serve`, for as long as it is measured or asked.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server, gone with it.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Served {
    /// Starts a command that ends in `serve --json`.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take().context("it has no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let found: Value = serde_json::from_str(&line).context("it does not say where it is")?;
        let port = found["port"]
            .as_u64()
            .and_then(|port| u16::try_from(port).ok());
        Ok(Self {
            child,
            port: port.context("it has no port")?,
            token: found["token"].as_str().unwrap_or_default().to_owned(),
        })
    }

    /// Asks, and leaves the answer to be read.
    pub(crate) fn ask(&self, target: &str) -> Result<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let (port, token) = (self.port, &self.token);
        let head = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
        stream.write_all(format!("GET {target} HTTP/1.1\r\n{head}\r\n").as_bytes())?;
        Ok(stream)
    }

    /// The body of an answer.
    pub(crate) fn get(&self, target: &str) -> Result<String> {
        let mut answer = String::new();
        self.ask(target)?.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
        ensure!(head.starts_with("HTTP/1.1 200 "), "{target}: {head}");
        Ok(body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
