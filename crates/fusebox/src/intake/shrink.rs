//! Reads JSON of any size into little memory.
//!
//! A failing build can hand over a hundred megabytes as one string. The
//! beginning of it is all that is ever used, so the rest is dropped while it is
//! being read, before any parser has to hold it.

use std::io::{self, Read};

/// The most that is kept of one string, in bytes.
const STRING_BYTES: usize = 16 * 1024;
/// The most that is kept altogether.
const TOTAL_BYTES: usize = 2 * 1024 * 1024;

/// JSON text with over-long strings cut.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shrunk {
    pub(super) bytes: Vec<u8>,
    /// How many bytes were dropped.
    pub(super) dropped: u64,
}

/// Reads `input` to its end.
pub(super) fn read(mut input: impl Read) -> io::Result<Shrunk> {
    let mut scanner = Scanner::default();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => return Ok(scanner.out),
            Ok(count) => chunk[..count].iter().for_each(|byte| scanner.take(*byte)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if scanner.out.bytes.len() > TOTAL_BYTES {
            let why = format!("it is larger than {} MiB", TOTAL_BYTES >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
    }
}

/// Where in the text the scanner is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    /// Inside a string, between two characters.
    Inside,
    /// After a backslash.
    Escape,
    /// Inside `\uXXXX`, with so many digits to come.
    Digits(u8),
}

#[derive(Debug, Default)]
struct Scanner {
    out: Shrunk,
    place: Place,
    /// Bytes of the current string so far.
    length: usize,
    cutting: bool,
}

impl Scanner {
    fn take(&mut self, byte: u8) {
        let closing = self.place == Place::Inside && byte == b'"';
        if self.place == Place::Inside && !closing && !self.cutting {
            self.cutting = self.length >= STRING_BYTES && self.may_cut_before(byte);
        }
        if self.cutting && !closing {
            self.out.dropped += 1;
        } else {
            self.out.bytes.push(byte);
        }
        self.length += 1;
        self.place = match (self.place, byte) {
            (Place::Outside, b'"') => {
                self.length = 0;
                Place::Inside
            }
            (Place::Outside, _) => Place::Outside,
            (Place::Inside, b'"') => {
                self.cutting = false;
                Place::Outside
            }
            (Place::Inside, b'\\') => Place::Escape,
            (Place::Inside, _) => Place::Inside,
            (Place::Escape, b'u') => Place::Digits(4),
            (Place::Escape, _) | (Place::Digits(1), _) => Place::Inside,
            (Place::Digits(left), _) => Place::Digits(left - 1),
        };
    }

    /// Never inside a character, never between the halves of a surrogate pair.
    fn may_cut_before(&self, byte: u8) -> bool {
        let continuation = byte & 0b1100_0000 == 0b1000_0000;
        let kept = &self.out.bytes;
        let last = &kept[kept.len().saturating_sub(6)..];
        let after_high_half = last.len() == 6
            && last.starts_with(b"\\u")
            && matches!(last[2], b'd' | b'D')
            && matches!(last[3], b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B');
        !continuation && !after_high_half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrink(text: &str) -> (String, u64) {
        let shrunk = read(text.as_bytes()).unwrap();
        (String::from_utf8(shrunk.bytes).unwrap(), shrunk.dropped)
    }

    #[test]
    fn what_fits_is_untouched() {
        for text in [
            "",
            "{}",
            r#"{"a": "x\"y\\", "b": [1, "\u00e9"]}"#,
            "not json \" at all",
        ] {
            assert_eq!(shrink(text), (text.to_owned(), 0));
        }
    }

    #[test]
    fn long_strings_are_cut_and_stay_json() {
        for unit in ["x", "é", "日", r"\n", r"\u00e9", r"\ud83d\ude00", "\\\""] {
            for shift in 0..12 {
                let text = format!(
                    r#"{{"a": "{}{}", "b": 7}}"#,
                    "y".repeat(shift),
                    unit.repeat(20_000)
                );
                let (short, dropped) = shrink(&text);
                assert!(dropped > 0 && short.len() < STRING_BYTES + 64, "{unit}");
                let value: serde_json::Value = serde_json::from_str(&short).unwrap();
                assert_eq!(value["b"], 7);
            }
        }
    }

    #[test]
    fn a_hundred_megabytes_pass_through_little_memory() {
        let head = br#"{"errors": [{"message": ""#;
        let tail = br#""}], "files_changed": 2}"#;
        let input = head
            .chain(io::repeat(b'e').take(100 << 20))
            .chain(&tail[..]);
        let shrunk = read(input).unwrap();
        assert!(shrunk.bytes.len() < STRING_BYTES + 100);
        assert_eq!(shrunk.dropped, (100 << 20) - STRING_BYTES as u64);
        assert!(serde_json::from_slice::<serde_json::Value>(&shrunk.bytes).is_ok());
    }

    #[test]
    fn too_much_of_anything_else_is_refused() {
        let many = format!("[{}]", "1,".repeat(2 << 20));
        assert!(read(many.as_bytes()).is_err());
    }
}
