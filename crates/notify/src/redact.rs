//! Takes secrets out of text that is about to be kept or sent.
//!
//! Two kinds of evidence give a secret away: its own shape (`ghp_…`, a private
//! key's armour) and what stands before it (`Authorization:`, `password=`, the
//! user's part of a URL). Both are looked for in one pass from left to right.
//! Whatever is recognised is skipped, and whatever is not was looked at for a
//! bounded number of bytes, so the time is linear in the length of the text
//! however hostile it is.
//!
//! Patches and logs go through here too, so a false alarm has a price: `let
//! token = parser.next();` must survive. A name such as `token` therefore only
//! condemns a value that looks like a literal.

mod assigned;
mod shapes;

use std::borrow::Cow;

/// What stands where a secret was.
pub(crate) const MARK: &str = "[redacted]";

/// The furthest that is looked ahead for the end of a short thing.
const REACH: usize = 256;

/// `text` without the secrets that can be recognised in it; the same text when
/// there are none. Redacting twice is the same as redacting once.
///
/// ```
/// use fusebox_notify::redact;
///
/// assert_eq!(redact("curl -H 'Authorization: Bearer abc.def'"),
///            "curl -H 'Authorization: [redacted]'");
/// assert_eq!(redact("postgres://app:hunter2@db/main"), "postgres://app:[redacted]@db/main");
/// assert_eq!(redact("let token = parser.next();"), "let token = parser.next();");
/// ```
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut kept_to = 0;
    let mut at = 0;
    while at < bytes.len() {
        match secret_from(bytes, at) {
            Some(secret) => {
                out.push_str(&text[kept_to..secret.start]);
                out.push_str(MARK);
                kept_to = secret.end;
                at = secret.end;
            }
            None => at = after_word(bytes, at),
        }
    }
    if kept_to == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept_to..]);
    Cow::Owned(out)
}

/// The bytes of a secret, on character boundaries and never empty.
pub(crate) type Span = std::ops::Range<usize>;

/// The secret that the word or mark at `at` is, or announces.
fn secret_from(bytes: &[u8], at: usize) -> Option<Span> {
    let span = match bytes[at] {
        b'-' => shapes::private_key(bytes, at)
            .or_else(|| assigned::value(bytes, at, word_end(bytes, at))),
        b':' => shapes::password_in_url(bytes, at),
        first if is_word(first) => {
            let end = word_end(bytes, at);
            shapes::known_token(bytes, at)
                .or_else(|| shapes::webhook_path(bytes, at, end))
                .or_else(|| assigned::value(bytes, at, end))
        }
        _ => None,
    }?;
    let already = bytes[span.start..].starts_with(MARK.as_bytes());
    (!already && !span.is_empty()).then_some(span)
}

/// Where the next word, or the next byte that is none, begins.
fn after_word(bytes: &[u8], at: usize) -> usize {
    word_end(bytes, at).max(at + 1)
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    run_end(bytes, at, is_word)
}

fn run_end(bytes: &[u8], at: usize, belongs: fn(u8) -> bool) -> usize {
    let run = bytes[at..].iter().take_while(|&&byte| belongs(byte));
    at + run.count()
}

/// What the names of things and most secrets are made of. Bytes beyond ASCII
/// count: a span then always ends on a character boundary, and a word in any
/// script is one word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | 0x80..)
}

#[cfg(test)]
mod tests;
