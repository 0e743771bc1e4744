//! Where a coordinator is.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use postgres::Config;
use postgres::config::{Host, SslMode};

use crate::error::FleetError;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);
/// How long data may stay unacknowledged before the other end is taken for gone.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);

/// Where a coordinator is. Shown without its password.
#[derive(Clone, Debug)]
pub enum Address {
    /// A PostgreSQL server: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    Server(Box<Config>),
    /// A directory on this machine: `file:///PATH`.
    Directory(Directory),
}

/// A directory that a fleet on one machine has in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Which.
    pub path: PathBuf,
    /// Where we remember how far its state had come; if nowhere, a state that was deleted
    /// is one that there never was.
    pub witnesses: Option<PathBuf>,
}

impl Address {
    /// The same, and how far the state of a directory had come is remembered in `witnesses`.
    #[must_use]
    pub fn remembered_in(self, witnesses: PathBuf) -> Self {
        match self {
            Self::Directory(Directory { path, .. }) => Self::Directory(Directory {
                path,
                witnesses: Some(witnesses),
            }),
            server @ Self::Server(_) => server,
        }
    }
}

impl FromStr for Address {
    type Err = FleetError;

    /// Reads an address. What is wrong with it is said without repeating it: it may hold
    /// a password.
    fn from_str(text: &str) -> Result<Self, FleetError> {
        let wrong = |what: &str| FleetError::Address(what.to_owned());
        if let Some(path) = text.strip_prefix("file://") {
            let path = PathBuf::from(path);
            return if path.is_absolute() {
                Ok(Self::Directory(Directory {
                    path,
                    witnesses: None,
                }))
            } else {
                Err(wrong(
                    "must name a directory from the root on: file:///PATH",
                ))
            };
        }
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(wrong(
                "must begin with postgres:// (a server) or file:/// (a directory on this machine)",
            ));
        }
        let mut config: Config = text
            .parse()
            .map_err(|_| wrong("is not postgres://USER:PASSWORD@HOST:PORT/DATABASE"))?;
        if config.get_ssl_mode() == SslMode::Require || text.contains("sslmode=verify") {
            return Err(wrong(
                "asks for TLS, which fusebox does not speak to a database; use a tunnel (ssh, WireGuard) and sslmode=disable",
            ));
        }
        if config.get_hosts().is_empty() {
            return Err(wrong("names no host"));
        }
        config
            .application_name("fusebox")
            .connect_timeout(CONNECT)
            .tcp_user_timeout(UNACKNOWLEDGED)
            .keepalives_idle(UNACKNOWLEDGED);
        Ok(Self::Server(Box::new(config)))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(place) => write!(out, "file://{}", place.path.display()),
            Self::Server(config) => {
                out.write_str("postgres://")?;
                if let Some(user) = config.get_user() {
                    write!(out, "{user}@")?;
                }
                match config.get_hosts().first() {
                    Some(Host::Tcp(host)) => out.write_str(host)?,
                    Some(Host::Unix(path)) => write!(out, "{}", path.display())?,
                    None => {}
                }
                if let Some(port) = config.get_ports().first() {
                    write!(out, ":{port}")?;
                }
                write!(out, "/{}", config.get_dbname().unwrap_or_default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address: Address = "postgres://ann:hunter2@db.example:5433/fleet"
            .parse()
            .unwrap();
        assert_eq!(address.to_string(), "postgres://ann@db.example:5433/fleet");
        let address: Address = "file:///var/lib/fleet".parse().unwrap();
        assert_eq!(address.to_string(), "file:///var/lib/fleet");
    }

    #[test]
    fn what_is_wrong_is_said_without_repeating_a_password() {
        for (text, word) in [
            ("http://a:hunter2@b/c", "postgres://"),
            ("file://relative", "from the root"),
            ("postgres://a:hunter2@b:port/c", "is not"),
            ("postgres://a:hunter2@b/c?sslmode=require", "TLS"),
            ("postgres://a:hunter2@b/c?sslmode=verify-full", ""),
            ("postgres:///c", "no host"),
            ("", "must begin"),
        ] {
            let said = text.parse::<Address>().unwrap_err().to_string();
            assert!(said.contains(word), "{text}: {said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }
}
