//! HTTP, once: one request, one judgement of the answer.
//!
//! The part of ureq that takes a resolver of one's own is not bound by its
//! promise of stability, so all of it is in this file.

use std::fmt;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::{Response, Uri};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};

use super::address::Reach;
use super::post::Post;
use crate::failure::Failure;

/// The most of an answer that is read, and only to learn when to come back.
const ANSWER: u64 = 4 * 1024;

/// The longest wait that a receiver's answer is believed.
const LONGEST_WISH: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) struct Client(Agent);

impl Client {
    pub(super) fn new(reach: Reach) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A proxy would resolve the name itself, unchecked.
            .proxy(None)
            // Notices are rare; a connection kept would be a dead one.
            .max_idle_connections(0)
            .user_agent(concat!("fusebox/", env!("CARGO_PKG_VERSION")))
            .build();
        Self(Agent::with_parts(
            config,
            DefaultConnector::default(),
            Checked(reach),
        ))
    }

    pub(super) fn send(&self, post: &Post, within: Duration) -> Result<(), Failure> {
        let mut request = self
            .0
            .post(&post.url)
            .config()
            .timeout_global(Some(within))
            .build()
            .content_type("application/json");
        for (name, value) in &post.headers {
            request = request.header(*name, value);
        }
        match request.send(&post.body) {
            Ok(response) => judge(response),
            Err(error) => Err(failure(error)),
        }
    }
}

fn judge(response: Response<Body>) -> Result<(), Failure> {
    let status = response.status().as_u16();
    match status {
        200..=299 => Ok(()),
        300..=399 => Err(Failure::lasting(format!(
            "it answered {status}, and redirects are not followed"
        ))),
        408 | 425 | 429 | 500.. => Err(Failure::Passing {
            why: format!("it answered {status}"),
            after: wish(response),
        }),
        _ => Err(Failure::lasting(format!("it answered {status}"))),
    }
}

fn failure(error: ureq::Error) -> Failure {
    match error {
        ureq::Error::Other(error) if error.is::<Refused>() => Failure::lasting(error.to_string()),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => Failure::lasting("the URL is not valid"),
        error => Failure::passing(error.to_string()),
    }
}

/// When the receiver wants to be asked again: seconds in a header, or, from
/// Discord, in the answer.
fn wish(mut response: Response<Body>) -> Option<Duration> {
    let header = response.headers().get("retry-after");
    let seconds = header
        .and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok())
        .or_else(|| {
            let body = response.body_mut().with_config().limit(ANSWER);
            let answer: serde_json::Value =
                serde_json::from_str(&body.read_to_string().ok()?).ok()?;
            answer.get("retry_after")?.as_f64()
        })?;
    let wish = Duration::try_from_secs_f64(seconds).ok()?;
    Some(wish.min(LONGEST_WISH))
}

/// Resolves as usual and lets no name pass that leads out of reach.
#[derive(Debug)]
struct Checked(Reach);

impl Resolver for Checked {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = DefaultResolver::default().resolve(uri, config, timeout)?;
        let refused = addresses
            .iter()
            .find(|address| !self.0.includes(address.ip()));
        match refused {
            None => Ok(addresses),
            Some(address) => Err(ureq::Error::Other(Box::new(Refused {
                address: address.ip().to_string(),
            }))),
        }
    }
}

/// A name led to an address that no notice may be sent to.
#[derive(Debug)]
struct Refused {
    address: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = &self.address;
        write!(
            f,
            "its address {address} is not public, and others are only allowed if the user's configuration says so"
        )
    }
}

impl std::error::Error for Refused {}
