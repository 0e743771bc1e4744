//! A small web server for one person on one machine.
//!
//! A page in a browser can reach a server on loopback just as well as its owner
//! can: that is how dashboards get robbed. So this room has one idea, and it is
//! distrust. It binds to loopback alone; a request must name this very server as
//! its host, must not come from a page of another origin, and for anything but
//! the empty frame of the page it must carry a token that was never in a place
//! where other pages could see it. It answers `GET` and `HEAD` and takes no body,
//! so no request can make it change anything, unless its owner says how
//! long a body may be ([`Server::taking_bodies`]).
//!
//! Everything is bounded: connections, the length and the time of a request, what
//! waits for a reader that is slow. A thread serves one connection and one
//! request; for a handful of viewers on one machine nothing else is needed.
//!
//! What is served is none of its business: see [`Server::run`].

#![forbid(unsafe_code)]

mod feed;
mod gate;
mod request;
mod response;
mod server;
mod token;

pub use feed::{Feed, Subscription};
pub use request::{Method, Request};
pub use response::{Content, Response, Status};
pub use server::Server;
pub use token::Token;

#[cfg(test)]
mod tests;

/// A door for the fuzzer: whether these bytes are a whole request.
#[cfg(feature = "fuzzing")]
#[must_use]
pub fn is_request(bytes: &[u8]) -> bool {
    matches!(Request::parse(bytes, bytes.len()), Ok(Some(_)))
}
