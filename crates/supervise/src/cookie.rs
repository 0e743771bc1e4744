//! The mark by which the processes of one step are known.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
#[cfg(feature = "fuzzing")]
use std::path::Path;

/// The environment variable that carries the [`Cookie`] through a tree.
pub const COOKIE_VARIABLE: &str = "FUSEBOX_COOKIE";

const BYTES: usize = 16;

/// 128 random bits in hexadecimal, new for every step.
///
/// It is a label and not a secret: the agent can read it. Its worth is that
/// nobody carries it by accident, so that a process found with it in its
/// environment belongs to the step, whoever its parent is by now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookie(String);

impl Cookie {
    /// Draws a new cookie from the kernel's random source.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(base16ct::lower::encode_string(&bytes)))
    }

    /// Reads a cookie back from where it was stored; `None` if it is not one.
    ///
    /// A cookie becomes part of a directory name, hence the strictness.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == 2 * BYTES && text.bytes().all(hex)).then(|| Self(text.to_owned()))
    }

    /// The cookie's 32 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a raw environment block, as in `/proc/<pid>/environ`, carries
    /// this very cookie.
    pub(crate) fn is_in(&self, environ: &[u8]) -> bool {
        let entry = format!("{COOKIE_VARIABLE}={}", self.0);
        environ
            .split(|byte| *byte == 0)
            .any(|variable| variable == entry.as_bytes())
    }
}

impl fmt::Display for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A door for the fuzzer: what stands around it hides no cookie, and nothing else passes for it.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_environment(environ: &[u8]) {
    const HEX: &str = "0123456789abcdef0123456789abcdef";
    let cookie = Cookie::parse(HEX).expect("it is one");
    let entry = format!("{COOKIE_VARIABLE}={HEX}");
    if memchr::memmem::find(environ, entry.as_bytes()).is_none() {
        assert!(!cookie.is_in(environ));
    }
    let around = [environ, b"\0", entry.as_bytes(), b"\0", environ].concat();
    assert!(cookie.is_in(&around));
    if let Some(read) = str::from_utf8(environ).ok().and_then(Cookie::parse) {
        assert!(Path::new(read.as_str()).components().count() == 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_cookies_differ_and_read_back() {
        let (one, two) = (Cookie::random().unwrap(), Cookie::random().unwrap());
        assert_ne!(one, two);
        assert_eq!(Cookie::parse(one.as_str()), Some(one));
    }

    #[test]
    fn anything_else_is_no_cookie() {
        let short = "0".repeat(31);
        let upper = "A".repeat(32);
        let path = "../".repeat(11);
        for text in ["", &short, &upper, &path[..32]] {
            assert_eq!(Cookie::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn only_a_whole_environment_entry_counts() {
        let cookie = Cookie::parse(&"a".repeat(32)).unwrap();
        let entry = format!("{COOKIE_VARIABLE}={cookie}");
        for (environ, expected) in [
            (format!("A=1\0{entry}\0B=2\0"), true),
            (entry.clone(), true),
            (format!("X{entry}\0"), false),
            (format!("{entry}b\0"), false),
            (format!("NOTE=see {entry}\0"), false),
            (String::new(), false),
        ] {
            assert_eq!(cookie.is_in(environ.as_bytes()), expected, "{environ:?}");
        }
    }
}
