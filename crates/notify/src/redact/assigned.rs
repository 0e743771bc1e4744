//! Secrets that are known by the name before them.

use super::{MARK, REACH, Span, run_end};

/// The longest name that is taken for one.
const LONGEST_NAME: usize = 64;

/// How sure a name makes us, and so how much its value must look like a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    /// A header whose whole value is secret, spaces included.
    Header,
    /// Nobody calls anything else a password.
    Password,
    /// A word that programs also use for other things.
    Suspicious,
    /// `Bearer` and `Basic`: the secret follows after a space.
    Scheme,
}

/// The value that belongs to the name `bytes[at..end]`, if that is the name of
/// a secret and the value looks like one.
pub(super) fn value(bytes: &[u8], at: usize, end: usize) -> Option<Span> {
    let name = name_of(&bytes[at..end])?;
    let assigned = match name {
        Name::Scheme => Assignment::after_scheme(bytes, end)?,
        _ => Assignment::after(bytes, end, is_option(bytes, at))?,
    };
    if bytes[assigned.start..].starts_with(MARK.as_bytes()) {
        return None;
    }
    if name == Name::Header {
        return Some(assigned.start..line_end(bytes, assigned.start));
    }
    let seen = assigned.literal(bytes);
    let value = &bytes[seen.clone()];
    let is_secret = match name {
        Name::Password => assigned.is_data() && value.len() >= 4,
        _ if assigned.quoted => value.len() >= 8 && !value.contains(&b' '),
        _ => is_tokenlike(value),
    };
    is_secret.then(|| seen.start..assigned.whole(bytes, seen.end))
}

fn name_of(word: &[u8]) -> Option<Name> {
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
    match word {
        b"authorization" | b"proxyauthorization" | b"cookie" | b"setcookie" | b"xapikey" => {
            Some(Name::Header)
        }
        b"bearer" | b"basic" => Some(Name::Scheme),
        _ if ends(&["password", "passwd", "passphrase"]) => Some(Name::Password),
        _ if ends(&[
            "token",
            "secret",
            "apikey",
            "accesskey",
            "secretkey",
            "privatekey",
            "authkey",
            "accountkey",
            "credential",
            "credentials",
            "accesskeyid",
            "pwd",
        ]) =>
        {
            Some(Name::Suspicious)
        }
        _ => None,
    }
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
        let is = |at: usize, set: &[u8]| bytes.get(at).is_some_and(|byte| set.contains(byte));
        let skip_spaces = |at: usize| (at..at + 4).find(|&at| !is(at, b" \t"));
        let mut at = name_end;
        // The quote that closes a JSON key, possibly escaped in a string.
        at += usize::from(is(at, b"\\"));
        at += usize::from(is(at, b"\"'"));
        let before_sign = at;
        at = skip_spaces(at)?;
        let signed = is(at, b"=:");
        at += usize::from(signed);
        // `:=`, `=>` and `==` are signs of programs.
        if signed && is(at, b"=>:") {
            return None;
        }
        let after_sign = at;
        at = skip_spaces(at)?;
        let spaced = at > after_sign;
        let on_command_line = option && at > before_sign;
        if !signed && !on_command_line {
            return None;
        }
        let escape = usize::from(is(at, b"\\"));
        let quoted = is(at + escape, b"\"'");
        Some(Self {
            start: if quoted { at + escape + 1 } else { at },
            quoted,
            tight: signed && !spaced && after_sign == before_sign + 1,
            option: option && !signed,
        })
    }

    fn after_scheme(bytes: &[u8], scheme_end: usize) -> Option<Self> {
        (bytes.get(scheme_end) == Some(&b' ')).then_some(Self {
            start: scheme_end + 1,
            quoted: false,
            tight: false,
            option: false,
        })
    }

    /// As much of the value as it takes to judge it; nothing when it goes on
    /// with a parenthesis or the like, for then it is a call. The bound keeps
    /// values that are rejected, and so looked at again, from costing more
    /// than their length.
    fn literal(&self, bytes: &[u8]) -> Span {
        let window = &bytes[..bytes.len().min(self.start + REACH)];
        let end = run_end(window, self.start, self.belongs());
        match window.get(end) {
            Some(b'(' | b'[' | b'{' | b'<') if !self.quoted => self.start..self.start,
            _ => self.start..end,
        }
    }

    /// Where a value that is a secret really ends.
    fn whole(&self, bytes: &[u8], seen_to: usize) -> usize {
        run_end(bytes, seen_to, self.belongs())
    }

    fn belongs(&self) -> fn(u8) -> bool {
        if self.quoted {
            |byte| !matches!(byte, b'"' | b'\'' | b'\\' | b'\n')
        } else {
            |byte| !byte.is_ascii_whitespace() && !b"\"'`,;&<>(){}[]|\\".contains(&byte)
        }
    }

    /// Whether the value is data rather than an expression of a program.
    fn is_data(&self) -> bool {
        self.quoted || self.tight || self.option
    }
}

fn is_option(bytes: &[u8], at: usize) -> bool {
    bytes[at..].starts_with(b"--")
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
fn is_tokenlike(value: &[u8]) -> bool {
    value.len() >= 8
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
}
