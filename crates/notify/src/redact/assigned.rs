//! Secrets that are known by the name before them.

use super::{MARK, REACH, Span, is_word, run_end, spaced};

/// The longest name that is taken for one.
const LONGEST_NAME: usize = 64;

/// How sure a name makes us, and so how much its value must look like a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// `Authorization` and its like: a scheme and credentials.
    Authorization,
    /// `Cookie`: names and values.
    Cookie,
    /// Nobody calls anything else a password.
    Password,
    /// What signs an address, and lets whoever has it in.
    Signature,
    /// A word that programs also use for other things.
    Suspicious,
}

/// The value that belongs to the name `bytes[at..end]`, if that is the name of
/// a secret and the value looks like one.
pub(super) fn value(bytes: &[u8], at: usize, end: usize) -> Option<Span> {
    let word = &bytes[at..end];
    let Some(assigned) = Assignment::after(bytes, end, word.starts_with(b"--")) else {
        return credentials(bytes, word, end).or_else(|| spaced::value(bytes, at, end));
    };
    if word == b"--user" {
        return spaced::value(bytes, at, end);
    }
    let name = name_of(word)?;
    if bytes[assigned.start..].starts_with(MARK.as_bytes()) {
        return None;
    }
    let seen = assigned.literal(bytes);
    let value = &bytes[seen.clone()];
    let whole_line = match name {
        Name::Authorization => begins_with_scheme(value, bytes.get(seen.end)),
        Name::Cookie => value.get(run_end(value, 0, is_word)) == Some(&b'='),
        Name::Password | Name::Signature | Name::Suspicious => false,
    };
    if whole_line {
        return Some(seen.start..line_end(bytes, seen.start));
    }
    let is_secret = match name {
        Name::Cookie => false,
        // A type or another name is an expression; few of them have digits.
        Name::Password => match assigned.is_data() {
            true => value.len() >= 4,
            false => is_tokenlike(value),
        },
        Name::Signature => assigned.tight && value.len() >= 16 && is_tokenlike(value),
        _ if assigned.quoted => value.len() >= 8 && !value.contains(&b' '),
        _ => is_tokenlike(value),
    };
    is_secret.then(|| seen.start..assigned.whole(bytes, seen.end))
}

pub(super) fn name_of(word: &[u8]) -> Option<Name> {
    // `bypass` and the directory in `PWD` are none.
    let short = [&b"_pass"[..], b"-pass", b"_pwd", b"-pwd"];
    let ends_short = short.iter().any(|end| ends_with(word, end));
    if ends_short && word.iter().all(|byte| !byte.is_ascii_lowercase()) {
        return Some(Name::Password);
    }
    if ends_short || word.eq_ignore_ascii_case(b"pass") {
        return Some(Name::Suspicious);
    }
    if word.eq_ignore_ascii_case(b"sig") || ends_with(word, b"signature") {
        return Some(Name::Signature);
    }
    const SUSPICIOUS: [&str; 11] = [
        "token",
        "secret",
        "apikey",
        "accesskey",
        "accesskeyid",
        "secretkey",
        "privatekey",
        "authkey",
        "accountkey",
        "credential",
        "credentials",
    ];
    let mut letters = [0; LONGEST_NAME];
    if word.len() > letters.len() {
        return None;
    }
    let mut length = 0;
    for byte in word.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        letters[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    let word = &letters[..length];
    let ends = |endings: &[&str]| endings.iter().any(|end| word.ends_with(end.as_bytes()));
    if ends(&["authorization"]) {
        Some(Name::Authorization)
    } else if ends(&["cookie"]) {
        Some(Name::Cookie)
    } else if ends(&["password", "passwd", "passphrase"]) {
        Some(Name::Password)
    } else {
        ends(&SUSPICIOUS).then_some(Name::Suspicious)
    }
}

fn ends_with(word: &[u8], end: &[u8]) -> bool {
    let from = word.len().checked_sub(end.len());
    from.is_some_and(|from| word[from..].eq_ignore_ascii_case(end))
}

/// What follows `Bearer` or `Basic` in the middle of a text.
fn credentials(bytes: &[u8], word: &[u8], end: usize) -> Option<Span> {
    let announces = |scheme: &[u8]| word.eq_ignore_ascii_case(scheme);
    if !(announces(b"bearer") || announces(b"basic")) || bytes.get(end) != Some(&b' ') {
        return None;
    }
    let assigned = Assignment {
        start: end + 1,
        quoted: false,
        tight: false,
        option: false,
    };
    let seen = assigned.literal(bytes);
    is_tokenlike(&bytes[seen.clone()]).then(|| seen.start..assigned.whole(bytes, seen.end))
}

/// Whether the value of an `Authorization` is a scheme with credentials behind
/// it. A quoted value was read to its quote, any other one to the first space.
fn begins_with_scheme(value: &[u8], next: Option<&u8>) -> bool {
    const SCHEMES: [&[u8]; 5] = [b"basic", b"bearer", b"token", b"digest", b"negotiate"];
    let (word, rest) = value.split_at(run_end(value, 0, is_word));
    let followed = rest.first().or(next) == Some(&b' ');
    followed
        && SCHEMES
            .iter()
            .any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// The right side of `name = value`, `"name": "value"` and `--name value`.
struct Assignment {
    /// The first byte of the value, behind its quote.
    start: usize,
    quoted: bool,
    /// Nothing but the sign stands between name and value, as in a shell, an
    /// environment file or a query.
    tight: bool,
    /// It follows an option on a command line.
    option: bool,
}

impl Assignment {
    fn after(bytes: &[u8], name_end: usize, option: bool) -> Option<Self> {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(b'\n');
        let skip_spaces = |at: usize| (at..at + 4).find(|&at| !matches!(byte(at), b' ' | b'\t'));
        let is_quote = |at: usize| matches!(byte(at), b'"' | b'\'');
        let mut at = name_end;
        // The quote that closes a JSON key, possibly escaped in a string.
        at += usize::from(byte(at) == b'\\');
        at += usize::from(is_quote(at));
        let before_sign = at;
        at = skip_spaces(at)?;
        let signed = matches!(byte(at), b'=' | b':');
        let on_command_line = option && at > before_sign;
        if !signed && !on_command_line {
            return None;
        }
        at += usize::from(signed);
        // `:=`, `=>`, `==` and `::` are signs of programs.
        if signed && matches!(byte(at), b'=' | b'>' | b':') {
            return None;
        }
        let after_sign = at;
        at = skip_spaces(at)?;
        let escape = usize::from(byte(at) == b'\\');
        let quoted = is_quote(at + escape);
        Some(Self {
            start: (if quoted { at + escape + 1 } else { at }).min(bytes.len()),
            quoted,
            tight: at == before_sign + 1 && at == after_sign,
            option: !signed,
        })
    }

    /// As much of the value as it takes to judge it; nothing when it goes on
    /// with a parenthesis or the like, for then it is a call. The bound keeps
    /// values that are rejected, and so looked at again, from costing more
    /// than their length.
    fn literal(&self, bytes: &[u8]) -> Span {
        let window = &bytes[..bytes.len().min(self.start + REACH)];
        let end = self.run_end(window, self.start);
        match window.get(end) {
            Some(b'(' | b'[' | b'{' | b'<') if !self.quoted => self.start..self.start,
            _ => self.start..end,
        }
    }

    /// Where a value that is a secret really ends.
    fn whole(&self, bytes: &[u8], seen_to: usize) -> usize {
        self.run_end(bytes, seen_to)
    }

    fn run_end(&self, bytes: &[u8], at: usize) -> usize {
        if self.quoted {
            run_end(bytes, at, |byte| {
                !matches!(byte, b'"' | b'\'' | b'\\' | b'\n')
            })
        } else {
            run_end(bytes, at, |byte| {
                !byte.is_ascii_whitespace() && !is_delimiter(byte)
            })
        }
    }

    /// Whether the value is data rather than an expression of a program.
    fn is_data(&self) -> bool {
        self.quoted || self.tight || self.option
    }
}

/// What ends a value that has no quotes around it.
fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'\''
            | b'`'
            | b','
            | b';'
            | b'&'
            | b'<'
            | b'>'
            | b'('
            | b')'
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b'|'
            | b'\\'
    )
}

/// A header's value reaches to the end of its line, or to the quote that a
/// shell or JSON puts around it.
fn line_end(bytes: &[u8], start: usize) -> usize {
    run_end(bytes, start, |byte| {
        !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\')
    })
}

/// Letters and digits mixed, and enough of them. Plain words and plain numbers
/// (`tokens=12000`) are neither.
pub(super) fn is_tokenlike(value: &[u8]) -> bool {
    value.len() >= 8
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
}
