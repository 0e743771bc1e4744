//! Makes [`CallEvent`]s of what agents and tools write.
//!
//! The one place where that is done: a stream, a hook and a stored session hand
//! over the same texts and get the same events.

use super::answer;
use super::arguments::Arguments;
use super::digest::Digest;
use super::error_line;
use super::event::{Call, CallEvent, CallResult, Edit, Said, Span, Status};
use super::kind::{CallKind, writes};
use crate::text::clip;

/// The longest piece of text for people, in bytes.
pub const WORDS_BYTES: usize = 120;

/// How a turn ends that says the work is done, in lower case.
const CLAIMS: [&str; 8] = [
    "is complete",
    "is now complete",
    "has been completed",
    "successfully",
    "has been fixed",
    "is fixed",
    "has been resolved",
    "all done",
];

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
    let edit = Edit {
        old: arguments.old,
        new: arguments.new,
    };
    let span = arguments.from.map(|from| Span {
        from: small(from),
        to: small(arguments.span.unwrap_or_default()),
    });
    let about = arguments.path.as_deref().or(arguments.command.as_deref());
    Call {
        id: identity(id),
        digest: Digest::joined(&[identity(tool), arguments.digest]),
        kind,
        target: arguments.path.as_deref().map(identity),
        changes: kind == CallKind::Edit
            || kind == CallKind::Shell && arguments.command.as_deref().is_some_and(writes),
        edit: (kind == CallKind::Edit).then_some(edit),
        span: span.filter(|_| kind == CallKind::Read),
        words: words(&format!("{tool} {}", about.unwrap_or_default())),
    }
}

/// The event for an answer. `text` may be cut; `bytes` is how long all of it was.
#[must_use]
pub fn result(id: &str, outcome: Outcome, text: &str, bytes: usize) -> CallResult {
    let error = (outcome == Outcome::Failed)
        .then(|| error_line::named(text))
        .flatten();
    let status = match (outcome, &error) {
        (Outcome::Denied, _) => Status::Denied,
        (Outcome::Blocked, _) => Status::Blocked,
        (Outcome::Failed, Some(error)) if error.outage => Status::Outage,
        (Outcome::Failed, _) => Status::Failed,
        (Outcome::Ran, _) if answer::is_bare(text) => Status::Silent,
        (Outcome::Ran, _) => Status::Answered,
    };
    CallResult {
        id: identity(id),
        status,
        digest: answer::identity(text, bytes),
        error: error.as_ref().map(|error| error.identity),
        words: error.map(|error| words(&error.line)).unwrap_or_default(),
    }
}

/// The event for what the model wrote or thought.
#[must_use]
pub fn said(text: &str) -> Said {
    let text = text.trim();
    let end = text.len().saturating_sub(600);
    let end = (end..=text.len()).find(|at| text.is_char_boundary(*at));
    let last = text[end.unwrap_or_default()..].to_lowercase();
    Said {
        digest: identity(text),
        bytes: text.len() as u64,
        claims_done: CLAIMS.iter().any(|claim| last.contains(claim)),
        outage: text.starts_with("API Error"),
    }
}

/// The event for what was said in the place of a person.
#[must_use]
pub fn user(text: &str) -> CallEvent {
    let text = text.trim();
    // A prompt that counts ("iteration 7") is the same prompt.
    let plain: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    CallEvent::User {
        digest: identity(&plain),
        bytes: text.len() as u64,
    }
}

fn identity(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The beginning of a text, on one line and without control characters.
fn words(text: &str) -> String {
    let printable: String = clip(text, 2 * WORDS_BYTES)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&line, WORDS_BYTES).to_owned()
}
