//! Telling data from words: times, durations, identifiers, addresses, numbers.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::normalise::continues;
use crate::text::clip;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// A date, a time of day, or both.
    Time,
    /// A span of time.
    Duration,
    /// A UUID.
    Id,
    /// A number, decimal or hexadecimal.
    Number,
}

/// No piece of data is looked for beyond this many bytes: a word may be as long as an output, and is
/// looked at from each of its pieces. A digest in hexadecimal has at most 128.
const LONGEST: usize = 192;
/// An IPv6 address has at most 45 characters; one more tells that a text goes on.
const LONGEST_ADDRESS: usize = 48;

/// Says how long a piece of data at the beginning of a text is.
type Reader = fn(&str) -> Option<usize>;

/// What data `rest` begins with, and how long it is. What goes on with a letter
/// or digit is a word.
pub(super) fn at(rest: &str) -> Option<(Data, usize)> {
    let readers: [(Data, Reader); 5] = [
        (Data::Id, uuid),
        (Data::Time, time),
        (Data::Duration, duration),
        (Data::Number, hexadecimal),
        (Data::Number, decimal),
    ];
    let near = clip(rest, LONGEST);
    readers.into_iter().find_map(|(kind, read)| {
        let length = read(near).filter(|length| !continues(rest, *length))?;
        Some((kind, length))
    })
}

/// How long the IP address is that `rest` begins with.
pub(super) fn address(rest: &str) -> Option<usize> {
    let near = clip(rest, LONGEST_ADDRESS);
    let end = |allowed: fn(char) -> bool| near.find(|c| !allowed(c)).unwrap_or(near.len());
    let four = near[..end(|c| c.is_ascii_digit() || c == '.')].trim_end_matches('.');
    if four.parse::<Ipv4Addr>().is_ok() && !continues(rest, four.len()) {
        return Some(four.len());
    }
    let six = &near[..end(|c| c.is_ascii_hexdigit() || c == ':')];
    let six = six
        .strip_suffix(':')
        .filter(|s| !s.ends_with(':'))
        .unwrap_or(six);
    // Without a digit it is more likely a path of modules.
    let numeric = six.bytes().any(|b| b.is_ascii_digit());
    (numeric && six.parse::<Ipv6Addr>().is_ok() && !continues(rest, six.len())).then_some(six.len())
}

fn uuid(rest: &str) -> Option<usize> {
    const SHAPE: [usize; 5] = [8, 4, 4, 4, 12];
    let mut at = 0;
    for (n, length) in SHAPE.into_iter().enumerate() {
        if n > 0 {
            at += rest[at..].strip_prefix('-').map(|_| 1)?;
        }
        let group = rest.get(at..at + length)?;
        group.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
        at += length;
    }
    Some(at)
}

/// `2024-01-02`, `2024-01-02T03:04:05.678+01:00`, `03:04:05`.
fn time(rest: &str) -> Option<usize> {
    match date(rest) {
        Some(end) => {
            let clock = rest[end..].strip_prefix('T').and_then(clock);
            Some(end + clock.map_or(0, |length| length + 1))
        }
        None => clock(rest),
    }
}

fn date(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes().get(..10)?;
    let separated = matches!((bytes[4], bytes[7]), (b'-', b'-') | (b'/', b'/'));
    let digits = [0, 1, 2, 3, 5, 6, 8, 9];
    (separated && digits.iter().all(|at| bytes[*at].is_ascii_digit())).then_some(10)
}

fn clock(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes().get(..8)?;
    let digits = [0, 1, 3, 4, 6, 7];
    let shaped = bytes[2] == b':' && bytes[5] == b':';
    (shaped && digits.iter().all(|at| bytes[*at].is_ascii_digit())).then_some(())?;
    let fraction = rest[8..].strip_prefix(['.', ',']).map_or(0, digits_of);
    let end = 8 + if fraction > 0 { fraction + 1 } else { 0 };
    Some(end + zone(&rest[end..]))
}

/// `Z`, `+01:00` or `-0500`; 0 if there is none.
fn zone(rest: &str) -> usize {
    if rest.starts_with('Z') {
        return 1;
    }
    let Some(offset) = rest.strip_prefix(['+', '-']) else {
        return 0;
    };
    match digits_of(offset) {
        4 => 5,
        2 if offset[2..].strip_prefix(':').map_or(0, digits_of) == 2 => 6,
        _ => 0,
    }
}

/// `1.25s`, `350ms`, `2m30s`.
fn duration(rest: &str) -> Option<usize> {
    const UNITS: [&str; 10] = ["ns", "us", "µs", "ms", "s", "secs", "sec", "min", "m", "h"];
    let mut at = 0;
    while let Some(number) = decimal(&rest[at..]) {
        let unit = &rest[at + number..];
        let end = unit
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(unit.len());
        let unit = UNITS.iter().find(|known| **known == &unit[..end])?;
        at += number + unit.len();
    }
    (at > 0).then_some(at)
}

/// `0x…`, or eight and more hexadecimal digits with a decimal one among them.
fn hexadecimal(rest: &str) -> Option<usize> {
    let prefix = if rest.starts_with("0x") { 2 } else { 0 };
    let digits = &rest[prefix..];
    let end = digits
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(digits.len());
    let enough = if prefix > 0 {
        end > 0
    } else {
        end >= 8 && digits[..end].bytes().any(|b| b.is_ascii_digit())
    };
    enough.then_some(prefix + end)
}

/// `3`, `3.5`, `1,234`, `1.2.3`.
fn decimal(rest: &str) -> Option<usize> {
    let mut end = digits_of(rest);
    if end == 0 {
        return None;
    }
    while let Some(more) = rest[end..].strip_prefix(['.', ',']).map(digits_of) {
        if more == 0 {
            break;
        }
        end += more + 1;
    }
    Some(end)
}

fn digits_of(rest: &str) -> usize {
    rest.bytes().take_while(u8::is_ascii_digit).count()
}
