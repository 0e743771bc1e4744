//! The two streams a command writes to.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd};

use crate::platform::enlarge;

/// Large enough that a fast writer is not woken for every page. The system
/// may refuse it; a smaller pipe is only slower.
pub(crate) const PIPE_SIZE: usize = 1 << 20;

/// One of the command's output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What went through one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStats {
    /// Bytes in total.
    pub bytes: u64,
    /// Complete lines, that is, newline characters.
    pub lines: u64,
    /// The last byte was no newline.
    pub ended_mid_line: bool,
}

impl StreamStats {
    pub(crate) fn count(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.bytes += bytes.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.ended_mid_line = *last != b'\n';
    }
}

/// What went through both streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputStats {
    /// Standard output.
    pub stdout: StreamStats,
    /// Standard error.
    pub stderr: StreamStats,
}

/// The reading end of one stream, until it has ended.
pub(crate) struct Outlet {
    pub(crate) stream: Stream,
    pipe: Option<PipeReader>,
    pub(crate) stats: StreamStats,
}

impl Outlet {
    /// A new pipe: the outlet, and the end that becomes the command's.
    pub(crate) fn open(stream: Stream) -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        enlarge(&reader, PIPE_SIZE);
        Ok((
            Self {
                stream,
                pipe: Some(reader),
                stats: StreamStats::default(),
            },
            writer,
        ))
    }

    pub(crate) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Reads once what is there, to be called when there is something, and
    /// returns it; empty at the end, after which the outlet is closed.
    pub(crate) fn read<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(&[]);
        };
        let length = match pipe.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(&[]),
            read => read?,
        };
        if length == 0 {
            self.pipe = None;
        }
        let bytes = &buffer[..length];
        self.stats.count(bytes);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_do_not_depend_on_the_chunks() {
        let text = b"one\ntwo\n\nthree";
        for size in 1..=text.len() {
            let mut stats = StreamStats::default();
            for chunk in text.chunks(size) {
                stats.count(chunk);
                stats.count(b"");
            }
            let expected = StreamStats {
                bytes: 14,
                lines: 3,
                ended_mid_line: true,
            };
            assert_eq!(stats, expected, "chunks of {size}");
        }
    }
}
