//! Names of circuits, which are also names of files.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Longest name, in bytes; the log's header reserves exactly this much.
pub(crate) const MAX_NAME: usize = 64;

/// A name that is safe as one path component and as a command-line argument:
/// 1 to 64 of `A-Z a-z 0-9 . _ -`, not starting with `.` or `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CircuitName(String);

impl CircuitName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CircuitName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let sound = (1..=MAX_NAME).contains(&text.len())
            && text.bytes().all(allowed)
            && !text.starts_with(['.', '-']);
        if sound {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::CircuitName(
                text.chars().take(MAX_NAME + 1).collect(),
            ))
        }
    }
}

impl fmt::Display for CircuitName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_file_names_are_circuit_names() {
        let longest = "x".repeat(64);
        for good in ["default", "a", "A.b_c-9", "0", longest.as_str()] {
            assert_eq!(good.parse::<CircuitName>().unwrap().as_str(), good);
        }
        let too_long = "x".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            "-x",
            ".hidden",
            "a/b",
            "a b",
            "ä",
            "a\0",
            "a\n",
            too_long.as_str(),
        ] {
            assert!(bad.parse::<CircuitName>().is_err(), "{bad:?} was accepted");
        }
        // Quoted so far that it is seen to be too long, and no further.
        match "x".repeat(1_000).parse::<CircuitName>() {
            Err(Error::CircuitName(quoted)) => assert_eq!(quoted.len(), 65),
            other => panic!("{other:?}"),
        }
    }
}
