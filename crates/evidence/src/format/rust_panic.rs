//! What Rust prints when a thread panics.

use crate::plain_text::location;

/// One panic.
pub(super) struct Panic<'a> {
    pub(super) thread: &'a str,
    pub(super) place: Option<(&'a str, u32)>,
    pub(super) message: &'a str,
}

/// The panics in a text, in order.
///
/// Two shapes are known: `thread 'a' panicked at src/lib.rs:1:2:` with the message on the
/// next line, and the older `thread 'a' panicked at 'message', src/lib.rs:1:2`.
pub(super) fn panics(text: &str) -> Vec<Panic<'_>> {
    let mut lines = text.lines().map(str::trim).peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some((thread, rest)) = line
            .strip_prefix("thread '")
            .and_then(|line| line.split_once("panicked at "))
        else {
            continue;
        };
        let thread = thread.split('\'').next().unwrap_or_default();
        let (place, message) = match rest.strip_prefix('\'').and_then(|it| it.rsplit_once("', ")) {
            Some((message, place)) => (place, message),
            None => (rest, lines.peek().copied().unwrap_or_default()),
        };
        found.push(Panic {
            thread,
            place: location(place),
            message,
        });
    }
    found
}
