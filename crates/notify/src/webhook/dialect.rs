//! Which receiver is spoken to.

/// How a receiver wants to be spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// An incoming webhook of Slack, or of a chat that took over its form.
    Slack,
    /// A webhook of Discord.
    Discord,
    /// A topic of ntfy.
    Ntfy,
    /// Any program: JSON, signed as Standard Webhooks describes.
    Generic,
}

impl Dialect {
    const ALL: [Self; 4] = [Self::Slack, Self::Discord, Self::Ntfy, Self::Generic];

    /// One lower-case word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Discord => "discord",
            Self::Ntfy => "ntfy",
            Self::Generic => "generic",
        }
    }

    /// Takes a dialect's name and a plus sign off the front of a URL.
    pub(super) fn split_prefix(url: &str) -> (Option<Self>, &str) {
        Self::ALL
            .into_iter()
            .find_map(|dialect| {
                let rest = url.strip_prefix(dialect.word())?.strip_prefix('+')?;
                Some((Some(dialect), rest))
            })
            .unwrap_or((None, url))
    }

    pub(super) fn by_shape(host: &str, path: &str) -> Self {
        let host = host.to_ascii_lowercase();
        let is_at = |domain: &str| {
            let rest = host.strip_suffix(domain);
            rest.is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
        };
        if host == "hooks.slack.com" {
            Self::Slack
        } else if (is_at("discord.com") || is_at("discordapp.com")) && path.contains("/webhooks/") {
            Self::Discord
        } else if host == "ntfy.sh" {
            Self::Ntfy
        } else {
            Self::Generic
        }
    }
}
