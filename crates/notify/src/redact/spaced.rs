//! Secrets that nothing but a space stands before, as on command lines and in `.netrc`. In prose a
//! space means nothing, so each is known by what else stands around it.

use super::assigned::{Name, is_tokenlike, name_of};
use super::{MARK, REACH, Span, is_word, run_end};

/// Programs that take `-u user:password`.
const LOGGING_IN: [&[u8]; 4] = [b"curl", b"wget", b"http", b"smbclient"];
/// Programs that take `-ppassword`.
const TAKING_A_PASSWORD: [&[u8]; 3] = [b"mysql", b"mariadb", b"sshpass"];

/// The secret that the word `bytes[at..end]` announces or holds.
pub(super) fn value(bytes: &[u8], at: usize, end: usize) -> Option<Span> {
    match &bytes[at..end] {
        b"-u" | b"--user" => of_a_user(bytes, at, end),
        word if word.starts_with(b"-p") => {
            let whole = run_end(bytes, end, is_bare);
            let said = line_before(bytes, at);
            (whole >= at + 6 && mentions(said, &TAKING_A_PASSWORD)).then_some(at + 2..whole)
        }
        b"password" | b"PASSWORD" => in_netrc(bytes, at, end),
        word => {
            let is_variable = word.iter().all(|byte| !byte.is_ascii_lowercase());
            if !is_variable || !word.contains(&b'_') {
                return None;
            }
            matches!(name_of(word)?, Name::Password | Name::Suspicious).then_some(())?;
            following(bytes, end).filter(|span| is_tokenlike(&bytes[span.clone()]))
        }
    }
}

/// What stands behind the colon in `-u user:password`.
fn of_a_user(bytes: &[u8], at: usize, end: usize) -> Option<Span> {
    let from = end + usize::from(matches!(bytes.get(end), Some(b' ' | b'=')));
    let from = from + usize::from(matches!(bytes.get(from), Some(b'"' | b'\'')));
    let name = from
        + run_end(&bytes[from..bytes.len().min(from + REACH)], 0, |byte| {
            is_bare(byte) && byte != b':'
        });
    if from == end
        || bytes.get(name) != Some(&b':')
        || bytes[name + 1..].starts_with(MARK.as_bytes())
    {
        return None;
    }
    let secret = name + 1..run_end(bytes, name + 1, is_bare);
    let known = mentions(line_before(bytes, at), &LOGGING_IN) && secret.len() >= 4;
    (known || is_tokenlike(&bytes[secret.clone()])).then_some(secret)
}

/// What stands behind `login NAME password`.
fn in_netrc(bytes: &[u8], at: usize, end: usize) -> Option<Span> {
    let before = &bytes[at.saturating_sub(REACH)..at];
    let mut words = before
        .rsplit(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let is_login = words.nth(1)? == b"login";
    let secret = following(bytes, end)?;
    let value = &bytes[secret.clone()];
    let sure = value.iter().any(u8::is_ascii_digit) || mentions(before, &[b"machine "]);
    (is_login && sure && value.len() >= 4).then_some(secret)
}

/// The word behind a space.
fn following(bytes: &[u8], end: usize) -> Option<Span> {
    matches!(bytes.get(end), Some(b' ' | b'\t')).then_some(())?;
    let window = &bytes[..bytes.len().min(end + 1 + REACH)];
    Some(end + 1..run_end(window, end + 1, is_bare))
}

/// What stands before a word on its line, as far as it is looked at.
fn line_before(bytes: &[u8], at: usize) -> &[u8] {
    let before = &bytes[at.saturating_sub(REACH)..at];
    let line = before.iter().rposition(|&byte| byte == b'\n');
    &before[line.map_or(0, |newline| newline + 1)..]
}

fn mentions(text: &[u8], names: &[&[u8]]) -> bool {
    let named = |name: &&[u8]| text.windows(name.len()).any(|window| window == *name);
    names.iter().any(named)
}

/// What a word on a command line goes on with.
fn is_bare(byte: u8) -> bool {
    is_word(byte)
        || !(byte.is_ascii_whitespace()
            || matches!(
                byte,
                b'"' | b'\''
                    | b'`'
                    | b'['
                    | b']'
                    | b'('
                    | b')'
                    | b'<'
                    | b'>'
                    | b'|'
                    | b';'
                    | b','
                    | b'\\'
            ))
}
