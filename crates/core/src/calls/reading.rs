//! Makes [`CallEvent`](super::CallEvent)s of what agents and tools write.
//!
//! The one place where that is done: a stream, a hook and a stored session hand
//! over the same texts and get the same events.

use super::arguments::Arguments;
use super::digest::Digest;
use super::event::{Call, CallEvent, CallResult, Edit, Said, Span, Status};
use super::kind::CallKind;
use crate::text::clip;

/// The longest piece of text for people, in bytes.
const WORDS: usize = 120;

/// How a tool call went, as far as the agent tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran, as far as is known.
    Ran,
    /// It ran and failed, or could not run.
    Failed,
    /// Somebody did not permit it.
    Denied,
    /// We did not let it run.
    Blocked,
}

/// The event for a call of `tool`.
#[must_use]
pub fn call(id: &str, tool: &str, arguments: &Arguments) -> Call {
    let kind = CallKind::of(tool, arguments.command.as_deref());
    let target = arguments.path.as_deref().map(identity);
    let edit = (kind == CallKind::Edit)
        .then(|| {
            Some(Edit {
                old: arguments.old.unwrap_or_default(),
                new: arguments.new?,
            })
        })
        .flatten();
    let span = arguments.from.map(|from| Span {
        from: small(from),
        to: small(arguments.span.unwrap_or_default()),
    });
    let about = arguments.path.as_deref().or(arguments.command.as_deref());
    Call {
        id: identity(id),
        digest: Digest::joined(&[identity(tool), arguments.digest]),
        kind,
        target,
        edit,
        span: span.filter(|_| kind == CallKind::Read),
        words: words(&format!("{tool} {}", about.unwrap_or_default())),
    }
}

/// The event for an answer. `text` may be cut, `bytes` is how long all of it was.
#[must_use]
pub fn result(id: &str, outcome: Outcome, text: &str, bytes: usize) -> CallResult {
    let status = match outcome {
        Outcome::Denied => Status::Denied,
        Outcome::Blocked => Status::Blocked,
        Outcome::Failed => Status::Failed,
        Outcome::Ran if text.trim().is_empty() => Status::Silent,
        Outcome::Ran => Status::Answered,
    };
    CallResult {
        id: identity(id),
        status,
        digest: Digest::joined(&[identity(text), identity(&bytes.to_string())]),
        error: None,
        words: words(text),
    }
}

/// The event for what the model wrote or thought.
#[must_use]
pub fn said(text: &str) -> Said {
    let text = text.trim();
    Said {
        digest: identity(text),
        bytes: text.len() as u64,
        claims_done: false,
    }
}

/// The event for what was said in the place of a person.
#[must_use]
pub fn user(text: &str) -> CallEvent {
    CallEvent::User {
        digest: identity(text.trim()),
    }
}

fn identity(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The beginning of a text, on one line.
fn words(text: &str) -> String {
    let kept: Vec<_> = clip(text, WORDS).split_whitespace().collect();
    kept.join(" ")
}
