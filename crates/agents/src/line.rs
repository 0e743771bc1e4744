//! Chunks of bytes become lines.
//!
//! An agent writes one event a line, and a line may be three hundred kilobytes
//! of tool output or, after a `cat` of the wrong file, a gigabyte. So the length
//! that is kept is bounded, and the length that was written is counted.

use std::borrow::Cow;

use memchr::memchr;

use crate::excerpt::without_escapes;

/// The longest line that is kept whole, in bytes.
pub const LINE_BYTES: usize = 8 * 1024 * 1024;

/// One line, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its bytes, or the first of them.
    pub bytes: &'a [u8],
    /// How many there were.
    pub full_length: u64,
}

impl<'a> Line<'a> {
    /// A line that is all there.
    #[must_use]
    pub fn whole(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            full_length: bytes.len() as u64,
        }
    }

    /// Its text; bytes that are none are replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'a, str> {
        // Text that is valid, which it nearly always is, is borrowed. Asked
        // for separately, because the lossy way is several times slower.
        match std::str::from_utf8(self.bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(self.bytes),
        }
    }

    /// Its text without colours, for whoever looks at what it says. JSON has none: there, an
    /// escape character is itself escaped.
    #[must_use]
    pub fn plain(&self) -> Cow<'a, str> {
        match self.text() {
            Cow::Borrowed(text) => without_escapes(text),
            Cow::Owned(text) => Cow::Owned(without_escapes(&text).into_owned()),
        }
    }

    /// Whether its end was left out for its length.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.full_length > self.bytes.len() as u64
    }
}

/// Finds the lines of one stream.
///
/// ```
/// use fusebox_agents::LineSplitter;
///
/// let mut lines = Vec::new();
/// let mut splitter = LineSplitter::default();
/// splitter.push(b"one\ntw", |line| lines.push(line.bytes.to_vec()));
/// splitter.push(b"o\r\n", |line| lines.push(line.bytes.to_vec()));
/// assert_eq!(lines, [b"one", b"two"]);
/// ```
#[derive(Debug)]
pub struct LineSplitter {
    limit: usize,
    pending: Vec<u8>,
    pending_length: u64,
    /// Of a line that is cut the last byte is not among the kept ones.
    pending_return: bool,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_limit(LINE_BYTES)
    }
}

impl LineSplitter {
    /// A splitter that keeps at most `limit` bytes of a line.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            pending: Vec::new(),
            pending_length: 0,
            pending_return: false,
        }
    }

    /// Takes the next bytes and hands over each line that they complete.
    pub fn push(&mut self, mut chunk: &[u8], mut on_line: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr(b'\n', chunk) {
            let (last, rest) = (&chunk[..end], &chunk[end + 1..]);
            if self.pending_length == 0 {
                // The usual case, and it copies nothing.
                let returns = last.ends_with(b"\r");
                on_line(bounded(last, last.len() as u64, returns, self.limit));
            } else {
                self.keep(last);
                self.flush(&mut on_line);
            }
            chunk = rest;
        }
        self.keep(chunk);
    }

    /// Hands over what stands after the last line end, if anything does.
    pub fn finish(&mut self, mut on_line: impl FnMut(Line<'_>)) {
        if self.pending_length > 0 {
            self.flush(&mut on_line);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else {
            return;
        };
        let room = self.limit.saturating_sub(self.pending.len());
        self.pending
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.pending_length += bytes.len() as u64;
        self.pending_return = *last == b'\r';
    }

    fn flush(&mut self, on_line: &mut impl FnMut(Line<'_>)) {
        on_line(bounded(
            &self.pending,
            self.pending_length,
            self.pending_return,
            self.limit,
        ));
        self.pending.clear();
        self.pending_length = 0;
    }
}

/// The line without its carriage return and without what is too much of it.
fn bounded(bytes: &[u8], length: u64, returns: bool, limit: usize) -> Line<'_> {
    let full_length = length - u64::from(returns);
    let kept = usize::try_from(full_length).unwrap_or(usize::MAX);
    Line {
        bytes: &bytes[..bytes.len().min(limit).min(kept)],
        full_length,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines_of(chunks: &[&[u8]], limit: usize) -> Vec<(Vec<u8>, u64)> {
        let mut lines = Vec::new();
        let mut splitter = LineSplitter::with_limit(limit);
        for chunk in chunks {
            splitter.push(chunk, |line| {
                lines.push((line.bytes.to_vec(), line.full_length));
            });
        }
        splitter.finish(|line| lines.push((line.bytes.to_vec(), line.full_length)));
        lines
    }

    #[test]
    fn a_long_line_keeps_its_head_and_its_exact_length() {
        let long = vec![b'x'; 1000];
        assert_eq!(
            lines_of(&[&long, b"\nend"], 10),
            [(vec![b'x'; 10], 1000), (b"end".to_vec(), 3)]
        );
    }

    #[test]
    fn a_line_that_just_fits_is_whole_also_with_a_carriage_return() {
        assert_eq!(
            lines_of(&[b"1234", b"5\r", b"\n"], 5),
            [(b"12345".to_vec(), 5)]
        );
    }

    #[test]
    fn empty_lines_are_lines_and_an_empty_end_is_none() {
        assert_eq!(lines_of(&[b"\n\na\n"], 5).len(), 3);
    }

    proptest! {
        #[test]
        fn where_the_chunks_end_makes_no_difference(
            bytes in prop::collection::vec(prop::sample::select(b"ab\r\n".to_vec()), 0..60),
            cuts in prop::collection::vec(0usize..60, 0..6),
            limit in 1usize..8,
        ) {
            let whole = lines_of(&[&bytes], limit);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts {
                chunks.push(&bytes[from..cut]);
                from = cut;
            }
            chunks.push(&bytes[from..]);
            prop_assert_eq!(lines_of(&chunks, limit), whole);
        }
    }
}
