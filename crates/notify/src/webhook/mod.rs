//! A chat, a phone or a program behind a URL.
//!
//! The URL's path is a secret in most dialects, and the texts are hostile in
//! all of them. So no error and no debug output holds the path, and each
//! dialect has a file that says how its receiver would misread a text.

mod address;
mod client;
mod dialect;
mod discord;
mod generic;
mod ntfy;
mod post;
mod secret;
mod slack;

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use thiserror::Error;
use ureq::http::Uri;

use crate::failure::Failure;
use crate::message::Message;
use address::Reach;
use client::Client;
pub use dialect::Dialect;
pub(crate) use generic::body;
pub use secret::{Secret, SecretError};

/// A place that takes HTTP requests.
pub struct Webhook {
    url: Uri,
    dialect: Dialect,
    secret: Option<Secret>,
    client: Client,
}

/// Why a URL is not one to send notices to. The URL itself is not repeated:
/// it is as good as a password.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum WebhookError {
    /// It cannot be read.
    #[error("the webhook's URL is not valid: {0}")]
    Invalid(String),
    /// It begins with something else than `https://`.
    #[error(
        "the webhook's URL must begin with https://, or with http:// when it names this machine (localhost, 127.0.0.1, [::1])"
    )]
    NotHttps,
    /// An ntfy URL must end in the topic.
    #[error("an ntfy URL must end in the topic, as https://ntfy.sh/my-topic does")]
    NoTopic,
}

impl FromStr for Webhook {
    type Err = WebhookError;

    /// Reads a URL. Its shape tells the dialect, unless it says so itself, as
    /// in `ntfy+https://push.example.org/topic`.
    fn from_str(text: &str) -> Result<Self, WebhookError> {
        let (named, url) = Dialect::split_prefix(text.trim());
        let url: Uri = url
            .parse()
            .map_err(|error| WebhookError::Invalid(format!("{error}")))?;
        let host = url.host().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| WebhookError::Invalid("it names no host".into()))?;
        let names_this_machine = address::names_this_machine(host);
        match url.scheme_str() {
            Some("https") => {}
            Some("http") if names_this_machine => {}
            _ => return Err(WebhookError::NotHttps),
        }
        let dialect = named.unwrap_or_else(|| Dialect::by_shape(host, url.path()));
        if dialect == Dialect::Ntfy && ntfy::topic(&url).is_none() {
            return Err(WebhookError::NoTopic);
        }
        let reach = if names_this_machine {
            Reach::ThisMachine
        } else {
            Reach::Public
        };
        Ok(Self {
            url,
            dialect,
            secret: None,
            client: Client::new(reach),
        })
    }
}

impl Webhook {
    /// Signs each request. Only the generic dialect has a place for that.
    #[must_use]
    pub fn signed_with(mut self, secret: Secret) -> Self {
        self.secret = Some(secret);
        self
    }

    /// Also connects to addresses of a private network, for a server of one's
    /// own. Link-local addresses, where clouds keep credentials, stay refused.
    #[must_use]
    pub fn allowing_private_addresses(mut self) -> Self {
        // What may be spoken to without encryption stays on this machine.
        if self.url.scheme_str() == Some("https") {
            self.client = Client::new(Reach::Private);
        }
        self
    }

    /// How its receiver is spoken to.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Dialect and host, which is all that may be shown of it.
    #[must_use]
    pub fn name(&self) -> String {
        let host = self.url.host().unwrap_or_default();
        format!("{} webhook at {host}", self.dialect.word())
    }

    /// Sends a body as it is, for what is no notice, and gives up after that time.
    ///
    /// # Errors
    /// Why it was not taken.
    pub fn carry(&self, body: String, within: Duration) -> Result<(), String> {
        let post = post::Post {
            url: self.url.clone(),
            headers: Vec::new(),
            body,
        };
        self.client
            .send(&post, within)
            .map_err(|failure| match failure {
                Failure::Passing { why, .. } | Failure::Final { why } => why,
            })
    }

    pub(crate) fn deliver(&self, message: &Message, within: Duration) -> Result<(), Failure> {
        let post = match self.dialect {
            Dialect::Slack => slack::post(&self.url, message),
            Dialect::Discord => discord::post(&self.url, message),
            Dialect::Ntfy => ntfy::post(&self.url, message),
            Dialect::Generic => {
                generic::post(&self.url, message, self.secret.as_ref(), unix_seconds())
            }
        };
        self.client.send(&post, within)
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Webhook").field(&self.name()).finish()
    }
}

/// The time of the attempt and not of the notice: a receiver refuses old
/// requests, so that a recorded one cannot be played again.
fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_or_a_prefix_tells_the_dialect() {
        for (url, dialect) in [
            ("https://hooks.slack.com/services/T/B/x", Dialect::Slack),
            ("https://discord.com/api/webhooks/1/x", Dialect::Discord),
            (
                "https://ptb.discord.com/api/v10/webhooks/1/x",
                Dialect::Discord,
            ),
            ("https://ntfy.sh/topic", Dialect::Ntfy),
            ("https://example.org/hook", Dialect::Generic),
            ("https://hooks.slack.com.example.org/x", Dialect::Generic),
            ("ntfy+https://push.example.org/topic", Dialect::Ntfy),
            ("generic+https://hooks.slack.com/x", Dialect::Generic),
            ("slack+http://127.0.0.1:9/x", Dialect::Slack),
        ] {
            let webhook: Webhook = url.parse().unwrap();
            assert_eq!(webhook.dialect(), dialect, "{url}");
        }
    }

    #[test]
    fn what_is_no_url_to_send_to_is_refused() {
        for (url, error) in [
            ("http://example.org/x", WebhookError::NotHttps),
            ("http://127.0.0.1@example.org/x", WebhookError::NotHttps),
            ("http://127.0.0.1.example.org/", WebhookError::NotHttps),
            ("http://2130706433/", WebhookError::NotHttps),
            ("http://10.0.0.1/", WebhookError::NotHttps),
            ("ftp://example.org/x", WebhookError::NotHttps),
            (
                "/only/a/path",
                WebhookError::Invalid("it names no host".into()),
            ),
            ("https://ntfy.sh/", WebhookError::NoTopic),
            ("ntfy+https://push.example.org", WebhookError::NoTopic),
        ] {
            assert_eq!(url.parse::<Webhook>().unwrap_err(), error, "{url}");
        }
        for url in ["", "https://", "https://a b/", "gopher+https://x/"] {
            assert!(url.parse::<Webhook>().is_err(), "{url}");
        }
    }

    #[test]
    fn neither_path_nor_password_is_shown() {
        let webhook: Webhook = "https://u:hunter2@hooks.slack.com/services/T/B/secret"
            .parse()
            .unwrap();
        assert_eq!(
            format!("{webhook:?}"),
            "Webhook(\"slack webhook at hooks.slack.com\")"
        );
    }
}
