//! Which colours a stream has left switched on.
//!
//! Our lines must not be painted by the agent's colours, and the agent's next
//! line must be painted as if ours had not come between. So what it switched
//! on is remembered, switched off for our lines and on again after them.

use std::ops::Range;

const ESC: u8 = 0x1b;
const RESET: &[u8] = b"\x1b[0m";

/// The most that is remembered. Whoever nests colours deeper loses them at our
/// lines and nowhere else.
const MOST: usize = 256;

/// The colour sequences since the last reset.
#[derive(Debug, Default)]
pub(super) struct Colours {
    on: Vec<u8>,
}

impl Colours {
    /// Takes note of what `bytes` switch on and off. They hold colour
    /// sequences whole and no other ones.
    pub(super) fn follow(&mut self, bytes: &[u8]) {
        for sequence in sequences(bytes) {
            let sequence = &bytes[sequence];
            let parameters = &sequence[2..sequence.len() - 1];
            if parameters.iter().all(|&byte| byte == b'0') {
                self.on.clear();
            } else if self.on.len() + sequence.len() <= MOST {
                self.on.extend_from_slice(sequence);
            }
        }
    }

    /// Makes room for our lines.
    pub(super) fn suspend(&self, out: &mut Vec<u8>) {
        if !self.on.is_empty() {
            out.extend_from_slice(RESET);
        }
    }

    /// Goes on as before our lines.
    pub(super) fn resume(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.on);
    }
}

/// `bytes` without their colours.
pub(super) fn without(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut kept_to = 0;
    for sequence in sequences(bytes) {
        out.extend_from_slice(&bytes[kept_to..sequence.start]);
        kept_to = sequence.end;
    }
    out.extend_from_slice(&bytes[kept_to..]);
    out
}

/// Where `bytes` hold `ESC [ … m`.
fn sequences(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(start) = bytes[at..].iter().position(|&byte| byte == ESC) {
            let start = at + start;
            at = start + 1;
            if let Some(length) = colour_length(&bytes[start..]) {
                at = start + length;
                return Some(start..at);
            }
        }
        None
    })
}

/// The length of the colour sequence that `bytes` begin with.
fn colour_length(bytes: &[u8]) -> Option<usize> {
    let parameters = bytes.strip_prefix(b"\x1b[")?;
    let end = parameters
        .iter()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    (parameters[end] == b'm').then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_is_switched_off_and_on_again() {
        for (stream, off, on) in [
            ("plain", "", ""),
            ("\x1b[31mred", "\x1b[0m", "\x1b[31m"),
            ("\x1b[31mred\x1b[0m", "", ""),
            ("\x1b[31mred\x1b[m", "", ""),
            ("\x1b[1m\x1b[31mx", "\x1b[0m", "\x1b[1m\x1b[31m"),
            ("\x1b[1m\x1b[0m\x1b[4mx", "\x1b[0m", "\x1b[4m"),
            ("\x1b[\x1b[2Kx\x1b", "", ""),
        ] {
            let mut colours = Colours::default();
            colours.follow(stream.as_bytes());
            let (mut suspended, mut resumed) = (Vec::new(), Vec::new());
            colours.suspend(&mut suspended);
            colours.resume(&mut resumed);
            assert_eq!(suspended, off.as_bytes(), "{stream:?}");
            assert_eq!(resumed, on.as_bytes(), "{stream:?}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut colours = Colours::default();
        (0..1_000).for_each(|_| colours.follow(b"\x1b[31m"));
        assert!(colours.on.len() <= MOST);
    }

    #[test]
    fn text_without_colours_is_text() {
        assert_eq!(without(b"a\x1b[1;31mb\x1b[mc\x1b["), b"abc\x1b[");
    }
}
