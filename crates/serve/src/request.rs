//! What somebody asks for.

use std::io::{self, Read};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::response::Status;

/// The longest request. A browser sends less than two thousand bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// The most headers.
const HEADERS: usize = 64;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is to be done with the thing asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Show it.
    #[default]
    Get,
    /// Say how it would be shown.
    Head,
    /// Do something with it. Only a server that takes bodies hears this.
    Post,
}

/// A request that is whole and makes sense. Whether it is welcome is not known
/// yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The path, decoded, without the slash before it: `api`, `loops`.
    pub path: Vec<String>,
    /// What stood behind the question mark, decoded.
    pub query: Vec<(String, String)>,
    /// What is to be done.
    pub method: Method,
    /// What it brought along; only ever with [`Method::Post`].
    pub body: Vec<u8>,
    /// The other end of the connection, where it is known.
    pub peer: Option<SocketAddr>,
    /// This end of it.
    pub own: Option<SocketAddr>,
    content_type: Option<String>,
    /// How long the body is said to be.
    length: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) fetch_site: Option<String>,
    pub(crate) authorization: Option<String>,
}

impl Request {
    /// The last value that the question gave for `name`.
    #[must_use]
    pub fn asked(&self, name: &str) -> Option<&str> {
        let mut query = self.query.iter().rev();
        query
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether the body is said to be JSON, or nothing is said of it. A form of another page
    /// says something else.
    #[must_use]
    pub fn may_be_json(&self) -> bool {
        let Some(media) = self.content_type.as_deref() else {
            return true;
        };
        let media = media.split(';').next().unwrap_or_default().trim();
        media.eq_ignore_ascii_case("application/json")
    }

    /// Reads one from `stream`, whose reads must end after a while. It may bring
    /// `most` bytes along; where that is none, it may not ask for anything to be
    /// done either.
    pub(crate) fn read(stream: &mut impl Read, most: usize) -> Result<Self, Status> {
        let begun = Instant::now();
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            let count = match stream.read(&mut chunk) {
                Ok(0) => return Err(Status::BadRequest),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(Status::Timeout),
            };
            bytes.extend_from_slice(&chunk[..count]);
            if let Some(request) = Self::parse(&bytes, most)? {
                return Ok(request);
            }
            if bytes.len() > HEAD_BYTES.saturating_add(most) {
                return Err(Status::HeadTooLarge);
            }
            if begun.elapsed() > PATIENCE {
                return Err(Status::Timeout);
            }
        }
    }

    /// `None` while the end is missing.
    pub(crate) fn parse(bytes: &[u8], most: usize) -> Result<Option<Self>, Status> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        let end = match head.parse(bytes) {
            Ok(httparse::Status::Complete(end)) => end,
            Ok(httparse::Status::Partial) if bytes.len() > HEAD_BYTES => {
                return Err(Status::HeadTooLarge);
            }
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(Status::HeadTooLarge),
            Err(_) => return Err(Status::BadRequest),
        };
        let method = match head.method {
            Some("GET") => Method::Get,
            Some("HEAD") => Method::Head,
            Some("POST") if most > 0 => Method::Post,
            _ => return Err(Status::MethodNotAllowed),
        };
        let target = head.path.unwrap_or_default();
        let mut request = Self::of_target(target).ok_or(Status::BadRequest)?;
        request.method = method;
        for header in head.headers.iter() {
            request.take(header.name, header.value)?;
        }
        let most = if method == Method::Post { most } else { 0 };
        let length = request.length(most)?;
        let Some(body) = bytes.get(end..end.saturating_add(length)) else {
            return Ok(None);
        };
        request.body = body.to_vec();
        Ok(Some(request))
    }

    /// How long the body is, where it is no longer than `most`.
    fn length(&self, most: usize) -> Result<usize, Status> {
        let Some(said) = &self.length else {
            return Ok(0);
        };
        let digits = said.bytes().all(|byte| byte.is_ascii_digit());
        match said.parse() {
            Ok(length) if digits && length <= most => Ok(length),
            Ok(_) if digits => Err(Status::BodyRefused),
            _ => Err(Status::BadRequest),
        }
    }

    fn of_target(target: &str) -> Option<Self> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path.strip_prefix('/')?;
        let parts = path.split('/').filter(|part| !part.is_empty());
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Some(Self {
            path: parts.map(decoded).collect::<Option<_>>()?,
            query: pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    // Forms write a space as a plus.
                    let plain = |text: &str| decoded(&text.replace('+', " "));
                    Some((plain(name)?, plain(value)?))
                })
                .collect::<Option<_>>()?,
            ..Self::default()
        })
    }

    fn take(&mut self, name: &str, value: &[u8]) -> Result<(), Status> {
        let place = match name.to_ascii_lowercase().as_str() {
            "host" => &mut self.host,
            "origin" => &mut self.origin,
            "sec-fetch-site" => &mut self.fetch_site,
            "authorization" => &mut self.authorization,
            "content-type" => &mut self.content_type,
            "content-length" => &mut self.length,
            "transfer-encoding" => return Err(Status::BodyRefused),
            _ => return Ok(()),
        };
        let value = str::from_utf8(value).map_err(|_| Status::BadRequest)?;
        // Two of a kind would let each of two readers believe another one.
        match place.replace(value.trim().to_owned()) {
            None => Ok(()),
            Some(_) => Err(Status::BadRequest),
        }
    }
}

/// A part of a path or a query, with its percent signs resolved.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (pair, after) = rest.split_first_chunk::<2>()?;
        let digits = str::from_utf8(pair).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
