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
        failure: error.as_ref().map(|_| answer::failure(text)),
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
    // A prompt that counts ("iteration 7") is the same prompt; a number alone is
    // what a person chose.
    let plain: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let chosen = plain.trim().is_empty();
    CallEvent::User {
        digest: identity(if chosen { text } else { &plain }),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_line_without_control_characters() {
        let arguments = Arguments::read(r#"{"command":"make\n\u001b[31m  all\u0007"}"#);
        assert_eq!(call("1", "Bash", &arguments).words, "Bash make [31m all");
        let long = format!(r#"{{"command":"{}"}}"#, "é".repeat(500));
        let words = call("1", "Bash", &Arguments::read(&long)).words;
        assert!(words.len() <= WORDS_BYTES && words.starts_with("Bash é"));
    }

    #[test]
    fn how_a_call_went() {
        for (outcome, text, status) in [
            (Outcome::Ran, "3 files", Status::Answered),
            (Outcome::Ran, "", Status::Silent),
            (Outcome::Ran, "ok", Status::Silent),
            (Outcome::Failed, "error: x", Status::Failed),
            (Outcome::Failed, "", Status::Failed),
            (
                Outcome::Failed,
                "error: rate limit exceeded",
                Status::Outage,
            ),
            (Outcome::Denied, "error: x", Status::Denied),
            (Outcome::Blocked, "", Status::Blocked),
        ] {
            let result = result("1", outcome, text, text.len());
            assert_eq!(result.status, status, "{outcome:?} {text:?}");
        }
        assert!(result("1", Outcome::Ran, "error: x", 8).error.is_none());
    }

    #[test]
    fn claims_outages_and_prompts_that_count() {
        assert!(said("All done, the bug has been fixed.").claims_done);
        assert!(!said("Let me look at the parser.").claims_done);
        let early = format!("It is fixed. {}", "But then ".repeat(100));
        assert!(!said(&early).claims_done, "the end of a text counts");
        assert!(said("API Error: 529 Overloaded").outage);
        assert_eq!(said(" x ").digest, said("x").digest);
        assert_eq!(
            user("iteration 7 of the loop"),
            user("iteration 8 of the loop")
        );
        assert_ne!(user("go on"), user("go back"));
        assert_ne!(user("1"), user("2"));
    }
}
