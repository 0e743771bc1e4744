//! Says elsewhere what happened, to people who are not looking.
//!
//! A breaker that opens at three in the morning helps nobody who learns of it
//! at nine. This room takes a [`Notice`] and carries it to where a person is:
//! the desktop, the terminal, a chat or a webhook of their own.
//!
//! Three things are owed to the loop that sends notices. It is never held up:
//! [`Notifier::send`] puts the notice into a bounded queue and returns. It is
//! never harmed: what fails is counted and reported, nothing more. And it
//! gives nothing away: every text passes through [`redact()`] and is escaped
//! before any sink sees it, because an agent wrote half of it.
//!
//! Where to send is the user's own choice and never the repository's: a
//! webhook is a request into whatever network this machine stands in. Even so
//! [`Webhook`] connects to public addresses alone unless told otherwise, to
//! the addresses it has checked, and follows no redirect.

#![forbid(unsafe_code)]

mod command;
mod desktop;
mod failure;
mod lane;
mod memory;
mod message;
mod notice;
mod notifier;
mod pace;
mod process;
mod redact;
mod route;
mod sink;
mod terminal;
mod webhook;

pub use command::Command;
pub use desktop::Desktop;
pub use failure::Unavailable;
pub use notice::{Kind, Notice, Severity};
pub use notifier::Notifier;
pub use pace::Pace;
pub use redact::redact;
pub use route::{Route, Wanted};
pub use sink::{Sink, SinkReport};
pub use terminal::{Terminal, TerminalKind};
pub use webhook::{Dialect, Secret, SecretError, Webhook, WebhookError};
