//! Keeping the two ends of an output that may be of any length.
//!
//! The beginning of an agent's output says what it set out to do and the end
//! says how that went; the middle can be gigabytes. So a fixed number of bytes
//! is kept at both ends, and everything is counted.

use std::io::{self, Write};

use crate::output::StreamStats;

/// The first and the last bytes of a stream, in bounded memory.
#[derive(Clone, Debug)]
pub struct HeadTail {
    head: Vec<u8>,
    head_limit: usize,
    /// A ring: once it is full, `oldest` is where it begins.
    tail: Vec<u8>,
    tail_limit: usize,
    oldest: usize,
    stats: StreamStats,
}

impl HeadTail {
    /// Keeps at most the first `head` and the last `tail` bytes.
    #[must_use]
    pub fn new(head: usize, tail: usize) -> Self {
        Self {
            head: Vec::new(),
            head_limit: head,
            tail: Vec::new(),
            tail_limit: tail,
            oldest: 0,
            stats: StreamStats::default(),
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.stats.count(bytes);
        let room = self.head_limit - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.push_tail(rest);
    }

    fn push_tail(&mut self, bytes: &[u8]) {
        // What would be overwritten within this very call is not written.
        let mut bytes = &bytes[bytes.len().saturating_sub(self.tail_limit)..];
        let room = self.tail_limit - self.tail.len();
        let (fresh, over) = bytes.split_at(room.min(bytes.len()));
        self.tail.extend_from_slice(fresh);
        bytes = over;
        while !bytes.is_empty() {
            let length = bytes.len().min(self.tail_limit - self.oldest);
            self.tail[self.oldest..self.oldest + length].copy_from_slice(&bytes[..length]);
            self.oldest = (self.oldest + length) % self.tail_limit;
            bytes = &bytes[length..];
        }
    }

    /// Exact counts of all that was pushed, kept or not.
    #[must_use]
    pub fn stats(&self) -> StreamStats {
        self.stats
    }

    /// How many bytes between head and tail were not kept.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.stats.bytes - (self.head.len() + self.tail.len()) as u64
    }

    /// Writes the stream, with a line of its own in place of what was left
    /// out, if anything was.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.head)?;
        let left_out = self.left_out();
        if left_out > 0 {
            let fresh_line = if self.head.last().is_none_or(|last| *last == b'\n') {
                ""
            } else {
                "\n"
            };
            writeln!(out, "{fresh_line}[{left_out} bytes left out]")?;
        }
        out.write_all(&self.tail[self.oldest..])?;
        out.write_all(&self.tail[..self.oldest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(head: usize, tail: usize, text: &[u8], chunk: usize) -> String {
        let mut keep = HeadTail::new(head, tail);
        text.chunks(chunk).for_each(|chunk| keep.push(chunk));
        assert_eq!(keep.stats().bytes, text.len() as u64);
        let mut out = Vec::new();
        keep.write_to(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn both_ends_are_kept_whatever_the_chunks() {
        let text = b"0123456789abcdef";
        for (head, tail, expected) in [
            (4, 4, "0123\n[8 bytes left out]\ncdef"),
            (0, 3, "[13 bytes left out]\ndef"),
            (3, 0, "012\n[13 bytes left out]\n"),
            (8, 8, "0123456789abcdef"),
            (100, 100, "0123456789abcdef"),
            (0, 0, "[16 bytes left out]\n"),
        ] {
            for chunk in 1..=text.len() {
                let got = written(head, tail, text, chunk);
                assert_eq!(got, expected, "{head}+{tail} in chunks of {chunk}");
            }
        }
    }

    #[test]
    fn a_head_that_ends_its_line_gets_no_empty_one() {
        assert_eq!(written(3, 1, b"ab\ncdef", 7), "ab\n[3 bytes left out]\nf");
    }

    #[test]
    fn memory_stays_bounded() {
        let mut keep = HeadTail::new(1000, 1000);
        for _ in 0..1000 {
            keep.push(&[b'x'; 4096]);
        }
        assert!(keep.head.capacity() <= 4096 && keep.tail.capacity() <= 4096);
        assert_eq!(keep.left_out(), 4096 * 1000 - 2000);
    }
}
