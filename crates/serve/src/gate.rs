//! Who is answered.

use std::net::SocketAddr;

use crate::request::Request;
use crate::response::Status;
use crate::token::Token;

/// What a request must show.
#[derive(Debug)]
pub(crate) struct Gate {
    hosts: [String; 2],
    token: Token,
}

impl Gate {
    /// The gate of the server at `address`.
    pub(crate) fn of(address: SocketAddr, token: Token) -> Self {
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        Self { hosts, token }
    }

    /// Refuses what does not come from this server's own pages or from a program.
    ///
    /// A name that an attacker points at loopback shows itself by its host, a page
    /// of theirs by its origin or by what the browser says of it.
    pub(crate) fn admit(&self, request: &Request) -> Result<(), Status> {
        let host = request.host.as_deref();
        if !host.is_some_and(|host| self.hosts.iter().any(|ours| ours == host)) {
            return Err(Status::Forbidden);
        }
        if let Some(origin) = &request.origin
            && origin.strip_prefix("http://") != host
        {
            return Err(Status::Forbidden);
        }
        match request.fetch_site.as_deref() {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(Status::Forbidden),
        }
    }

    /// Refuses whoever does not have the token.
    pub(crate) fn identify(&self, request: &Request) -> Result<(), Status> {
        let shown = request.authorization.as_deref();
        let token = shown.and_then(|shown| shown.strip_prefix("Bearer "));
        match token {
            Some(token) if self.token.is(token.trim()) => Ok(()),
            _ => Err(Status::Unauthorized),
        }
    }
}
