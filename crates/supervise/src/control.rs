//! The socket between supervisor and keeper.
//!
//! Its end is a message too, and the most important one: when the supervisor
//! dies, by whatever means, the system closes its side.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// Lines on a socket that never blocks its reader.
pub(crate) struct Control {
    socket: UnixStream,
    partial: Vec<u8>,
    lines: VecDeque<String>,
    closed: bool,
}

impl Control {
    pub(crate) fn new(socket: UnixStream) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            partial: Vec::new(),
            lines: VecDeque::new(),
            closed: false,
        })
    }

    /// Sends one message. That the other side is gone shows when reading.
    pub(crate) fn send(&self, line: &str) {
        let _ = (&self.socket).write_all(line.as_bytes());
    }

    /// Takes in whatever has arrived.
    pub(crate) fn receive(&mut self) {
        let mut buffer = [0; 4096];
        loop {
            match self.socket.read(&mut buffer) {
                Ok(0) => self.closed = true,
                Ok(length) => {
                    self.partial.extend_from_slice(&buffer[..length]);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => self.closed |= error.kind() != io::ErrorKind::WouldBlock,
            }
            break;
        }
        self.split_lines();
    }

    fn split_lines(&mut self) {
        let Some(end) = self.partial.iter().rposition(|byte| *byte == b'\n') else {
            return;
        };
        let rest = self.partial.split_off(end + 1);
        let complete = std::mem::replace(&mut self.partial, rest);
        self.lines.extend(
            String::from_utf8_lossy(&complete)
                .lines()
                .map(str::to_owned),
        );
    }

    /// The next complete line that was taken in.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        self.lines.pop_front()
    }

    /// The other side is gone; lines taken in before may still be waiting.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A door for the fuzzer: lines are the same however they arrive, and what has no end is none.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_lines(bytes: &[u8]) {
    let heard = |chunk: usize| {
        let (near, far) = UnixStream::pair().expect("a socket");
        let mut control = Control::new(far).expect("a socket");
        for piece in bytes.chunks(chunk) {
            (&near).write_all(piece).expect("there is room");
            control.receive();
            assert!(!control.is_closed());
        }
        drop(near);
        control.receive();
        assert!(control.is_closed());
        control.lines.into_iter().collect::<Vec<_>>()
    };
    let lines = heard(bytes.len().max(1));
    assert_eq!(lines, heard(bytes.len() / 3 + 1));
    assert_eq!(lines.len(), memchr::memchr_iter(b'\n', bytes).count());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_arrive_whole_and_the_end_is_seen() {
        let (mut near, far) = UnixStream::pair().unwrap();
        let mut control = Control::new(far).unwrap();
        control.receive();
        assert!(!control.is_closed());
        near.write_all(b"stop\nki").unwrap();
        control.receive();
        assert_eq!(control.next_line().as_deref(), Some("stop"));
        assert_eq!(control.next_line(), None);
        near.write_all(b"ll\n").unwrap();
        drop(near);
        control.receive();
        assert!(control.is_closed());
        assert_eq!(control.next_line().as_deref(), Some("kill"));
    }
}
