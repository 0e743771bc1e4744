//! As much of HTTP as the clients need: one request a connection.
//!
//! Every response closes its connection. That costs a client on loopback
//! nothing, and the end of a stream of events needs no other mark.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// Clients send a kilobyte or two of headers.
const HEAD_LIMIT: u64 = 64 * 1024;

/// A whole conversation with every tool's description is about a megabyte.
const BODY_LIMIT: u64 = 64 * 1024 * 1024;

/// A request, read to its end.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) method: String,
    /// The path without its query.
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

impl Incoming {
    /// Reads one request; `None` if the client connected and said nothing,
    /// as some do to warm a connection up.
    pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut head = reader.take(HEAD_LIMIT);
        let Some(line) = read_line(&mut head)? else {
            return Ok(None);
        };
        let mut words = line.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(malformed("the request line has no target"));
        };
        let path = target.split('?').next().unwrap_or_default();
        let framing = read_headers(&mut head)?;
        Ok(Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            body: read_body(reader, framing)?,
        }))
    }

    /// The body as JSON; `Null` if it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// How the length of the body is told.
#[derive(Clone, Copy)]
enum Framing {
    Length(u64),
    Chunked,
}

fn read_headers(head: &mut impl BufRead) -> io::Result<Framing> {
    let mut framing = Framing::Length(0);
    loop {
        let line = read_line(head)?.ok_or_else(|| malformed("the headers do not end"))?;
        if line.is_empty() {
            return Ok(framing);
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(malformed("a header has no colon"));
        };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let length = value.parse();
            framing = Framing::Length(length.map_err(|_| malformed("content-length"))?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            framing = Framing::Chunked;
        } else if name.eq_ignore_ascii_case("content-encoding") {
            return Err(malformed("compressed requests are not understood"));
        }
    }
}

fn read_body(reader: &mut impl BufRead, framing: Framing) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    match framing {
        Framing::Length(length) => read_exactly(reader, length, &mut body)?,
        Framing::Chunked => loop {
            let line = read_line(&mut reader.take(HEAD_LIMIT))?.unwrap_or_default();
            let size = u64::from_str_radix(line.trim(), 16);
            let size = size.map_err(|_| malformed("a chunk has no size"))?;
            read_exactly(reader, size, &mut body)?;
            read_line(&mut reader.take(HEAD_LIMIT))?;
            if size == 0 {
                break;
            }
        },
    }
    Ok(body)
}

fn read_exactly(reader: &mut impl BufRead, length: u64, into: &mut Vec<u8>) -> io::Result<()> {
    if length > BODY_LIMIT.saturating_sub(into.len() as u64) {
        return Err(malformed("the body is too long"));
    }
    if reader.take(length).read_to_end(into)? as u64 != length {
        return Err(malformed("the body ends too soon"));
    }
    Ok(())
}

/// A line without its end; `None` at the end of the stream.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn malformed(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Writes the status line and the headers.
pub(crate) fn write_head<'a>(
    writer: &mut impl Write,
    status: u16,
    content_type: &str,
    headers: impl Iterator<Item = (&'a String, &'a String)>,
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} scripted\r\ncontent-type: {content_type}\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("connection: close\r\n\r\n");
    writer.write_all(head.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> io::Result<Option<Incoming>> {
        Incoming::read(&mut text.as_bytes())
    }

    #[test]
    fn both_ways_to_frame_a_body_are_read() {
        for text in [
            "POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
            "POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n\
             4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n",
        ] {
            let incoming = read(text).unwrap().unwrap();
            assert_eq!(incoming.method, "POST");
            assert_eq!(incoming.path, "/v1/messages");
            assert_eq!(incoming.json()["a"], 1);
        }
    }

    #[test]
    fn a_silent_client_is_no_error_and_a_broken_one_is() {
        assert!(read("").unwrap().is_none());
        let long = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(70_000));
        for text in [
            "GET\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nshort",
            "POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-encoding: zstd\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            &long,
        ] {
            assert!(read(text).is_err(), "{text:.40}");
        }
    }
}
