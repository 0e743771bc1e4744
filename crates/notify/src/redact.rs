//! Takes secrets out of text that is about to be kept or sent.
//!
//! Two kinds of evidence give a secret away: its own shape (`ghp_…`, a private
//! key's armour) and what stands before it (`Authorization:`, `password=`, the
//! user's part of a URL). Both are looked for in a pass from left to right, and
//! in another one as long as the last found something. In a pass whatever is
//! recognised is skipped, and whatever is not was looked at for a bounded number
//! of bytes; passes are bounded too, so the time is linear in the length of the
//! text however hostile it is.
//!
//! Patches and logs go through here too, so a false alarm has a price: `let
//! token = parser.next();` must survive. A name such as `token` therefore only
//! condemns a value that looks like a literal.

mod assigned;
mod shapes;
mod spaced;

use std::borrow::Cow;

/// What stands where a secret was.
pub(crate) const MARK: &str = "[redacted]";

/// The furthest that is looked ahead for the end of a short thing.
const REACH: usize = 256;

/// The most passes over one text.
const PASSES: usize = 8;

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
    let mut safe = in_one_pass(text);
    if matches!(safe, Cow::Borrowed(_)) {
        return safe;
    }
    // A secret may have held the space or the slash that kept what stands
    // around it from being taken for one.
    for _ in 1..PASSES {
        match in_one_pass(&safe) {
            Cow::Borrowed(_) => break,
            Cow::Owned(safer) => safe = Cow::Owned(safer),
        }
    }
    safe
}

fn in_one_pass(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut kept_to = 0;
    let mut at = 0;
    while at < bytes.len() {
        let word_end = run_end(bytes, at, is_word);
        match secret_from(bytes, at, word_end) {
            Some(secret) => {
                out.push_str(&text[kept_to..secret.start]);
                out.push_str(MARK);
                kept_to = secret.end;
                at = secret.end;
            }
            None => at = word_end.max(at + 1),
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

/// The secret that the word, or the mark, at `at` is or announces.
fn secret_from(bytes: &[u8], at: usize, word_end: usize) -> Option<Span> {
    let span = if word_end > at {
        // A patch puts a dash before a line, and a shell before an option.
        let bare = run_end(&bytes[..word_end], at, |byte| byte == b'-');
        shapes::private_key(bytes, at, bare)
            .or_else(|| shapes::known_token(bytes, bare, word_end))
            .or_else(|| shapes::webhook_path(bytes, at, word_end))
            .or_else(|| assigned::value(bytes, at, word_end))
    } else if bytes[at] == b':' {
        shapes::password_in_url(bytes, at)
    } else {
        None
    }?;
    let already = bytes[span.start..].starts_with(MARK.as_bytes());
    (!already && !span.is_empty()).then_some(span)
}

fn run_end(bytes: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let run = bytes[at..].iter().take_while(|&&byte| belongs(byte));
    at + run.count()
}

/// What names and most secrets are made of. Letters beyond ASCII end a word:
/// where no spaces are written, a token still begins behind them.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests;
