//! What is answered.

use std::io::{self, Write};

use crate::feed::Subscription;

/// How a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Here it is.
    Ok,
    /// It makes no sense.
    BadRequest,
    /// The token is missing or wrong.
    Unauthorized,
    /// It came from somewhere else.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// This cannot be done with it.
    MethodNotAllowed,
    /// It took too long to arrive.
    Timeout,
    /// It was understood, and is not possible as things stand.
    Conflict,
    /// It brought too much along.
    BodyRefused,
    /// What it brought along is not what is read here.
    WrongMedia,
    /// Its head is too long.
    HeadTooLarge,
    /// Something cannot be read here.
    Failed,
    /// Too many are looking already.
    Busy,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::Unauthorized => "401 Unauthorized",
            Self::Forbidden => "403 Forbidden",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::Timeout => "408 Request Timeout",
            Self::Conflict => "409 Conflict",
            Self::WrongMedia => "415 Unsupported Media Type",
            Self::BodyRefused => "413 Content Too Large",
            Self::HeadTooLarge => "431 Request Header Fields Too Large",
            Self::Failed => "500 Internal Server Error",
            Self::Busy => "503 Service Unavailable",
        }
    }

    /// Headers that belong to it.
    fn headers(self) -> &'static str {
        match self {
            Self::Unauthorized => "WWW-Authenticate: Bearer\r\n",
            Self::MethodNotAllowed => "Allow: GET, HEAD\r\n",
            Self::Busy => "Retry-After: 5\r\n",
            _ => "",
        }
    }
}

/// What kind of thing is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A page or a part of one.
    Html,
    /// Its looks.
    Css,
    /// Its behaviour.
    Script,
    /// A drawing.
    Picture,
    /// Data.
    Json,
    /// Numbers for Prometheus, or a word.
    Text,
    /// Events, as they come.
    Events,
}

impl Content {
    fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Css => "text/css; charset=utf-8",
            Self::Script => "text/javascript; charset=utf-8",
            Self::Picture => "image/svg+xml",
            Self::Json => "application/json",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::Events => "text/event-stream",
        }
    }
}

/// What is answered.
#[derive(Debug)]
pub struct Response {
    status: Status,
    content: Content,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Whole(Vec<u8>),
    Stream(Subscription),
}

/// Nothing from elsewhere is loaded or run, nobody frames the page, and nothing
/// stays behind in a cache.
const PROTECTION: &str = "\
Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
trusted-types pieces\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cache-Control: no-store\r\n";

impl Response {
    /// Here it is.
    #[must_use]
    pub fn ok(content: Content, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: Status::Ok,
            content,
            body: Body::Whole(body.into()),
        }
    }

    /// It is not to be had, and why in words of its own, as JSON.
    #[must_use]
    pub fn told(status: Status, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            content: Content::Json,
            body: Body::Whole(body.into()),
        }
    }

    /// It is not to be had, in JSON as everything that programs read.
    #[must_use]
    pub fn refused(status: Status) -> Self {
        let words = status.line().split_once(' ').map_or("", |(_, words)| words);
        Self {
            status,
            content: Content::Json,
            body: Body::Whole(format!("{{\"error\":\"{words}\"}}").into_bytes()),
        }
    }

    /// Events from now on, until the reader goes.
    #[must_use]
    pub fn events(subscription: Subscription) -> Self {
        Self {
            status: Status::Ok,
            content: Content::Events,
            body: Body::Stream(subscription),
        }
    }

    pub(crate) fn write(&self, out: &mut impl Write, head_only: bool) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nConnection: close\r\n{PROTECTION}{}",
            self.status.line(),
            self.content.media_type(),
            self.status.headers(),
        );
        if let Body::Whole(body) = &self.body {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        head += "\r\n";
        out.write_all(head.as_bytes())?;
        match &self.body {
            _ if head_only => Ok(()),
            Body::Whole(body) => out.write_all(body),
            Body::Stream(subscription) => subscription.write(out),
        }
    }
}
