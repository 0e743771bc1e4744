//! Where notices go, behind one door.

use std::time::Duration;

use crate::command::Command;
use crate::desktop::Desktop;
use crate::failure::Failure;
use crate::message::Message;
use crate::terminal::Terminal;
use crate::webhook::Webhook;

/// A place that notices are carried to.
#[derive(Debug)]
pub enum Sink {
    /// The desktop's own notifications.
    Desktop(Desktop),
    /// The terminal's.
    Terminal(Terminal),
    /// A chat, a phone or a program behind a URL.
    Webhook(Box<Webhook>),
    /// A command of the user's own.
    Command(Command),
}

impl Sink {
    /// Its name for people. It holds nothing of a webhook's path, which is
    /// the secret that lets one post.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Desktop(_) => "desktop".into(),
            Self::Terminal(_) => "terminal".into(),
            Self::Webhook(webhook) => webhook.name(),
            Self::Command(command) => command.name(),
        }
    }

    pub(crate) fn deliver(&self, message: &Message, within: Duration) -> Result<(), Failure> {
        match self {
            Self::Desktop(desktop) => desktop.deliver(message),
            Self::Terminal(terminal) => terminal.deliver(message),
            Self::Webhook(webhook) => webhook.deliver(message, within),
            Self::Command(command) => command.deliver(message),
        }
    }
}

/// What became of the notices that one sink was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SinkReport {
    /// The sink's name.
    pub sink: String,
    /// How many arrived.
    pub delivered: u64,
    /// How many were not sent because the same had been said shortly before.
    pub repeated: u64,
    /// How many were dropped because too many waited.
    pub dropped: u64,
    /// How many were given up.
    pub failed: u64,
    /// How many were still waiting or under way.
    pub waiting: u64,
    /// Why the last one that failed did so.
    pub last_failure: Option<String>,
}
