//! Keys, read from the terminal itself.
//!
//! Reading must end when the terminal does. A reader that takes the end of a
//! terminal for a pause in the typing spins for ever beside a screen that nobody
//! sees, so the end is an answer of its own here.

use std::fs::File;
use std::io::{self, Read};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// What was pressed. What is not listed does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Enter,
    Escape,
    Backspace,
    /// Ctrl-C or Ctrl-D, which are keys like others on a screen like this.
    Leave,
    Char(char),
}

/// What came of waiting for keys.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Keys(Vec<Key>),
    /// The terminal is gone.
    Gone,
}

/// The keyboard of a terminal.
#[derive(Debug)]
pub(crate) struct Keyboard(File);

impl Keyboard {
    /// The keyboard of this process's terminal.
    pub(crate) fn open() -> io::Result<Self> {
        File::open("/dev/tty").map(Self)
    }

    /// Waits that long for keys.
    pub(crate) fn wait(&mut self, time: Duration) -> Typed {
        let mut ready = [PollFd::new(&self.0, PollFlags::IN)];
        let time = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        match poll(&mut ready, Some(&time)) {
            // A signal came; whoever waits looks at it next.
            Ok(0) | Err(rustix::io::Errno::INTR) => return Typed::Keys(Vec::new()),
            Err(_) => return Typed::Gone,
            Ok(_) => {}
        }
        // A sequence arrives whole, and nobody types as much as this at once.
        let mut bytes = [0; 256];
        match self.0.read(&mut bytes) {
            Ok(0) => Typed::Gone,
            Ok(count) => Typed::Keys(decoded(&bytes[..count])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Typed::Keys(Vec::new()),
            Err(_) => Typed::Gone,
        }
    }
}

/// The keys that a terminal says with these bytes.
fn decoded(bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_ref();
    while let Some(first) = rest.chars().next() {
        let (key, length) = match first {
            '\u{1b}' => sequence(rest),
            '\r' | '\n' => (Some(Key::Enter), 1),
            '\u{7f}' | '\u{8}' => (Some(Key::Backspace), 1),
            '\u{3}' | '\u{4}' => (Some(Key::Leave), 1),
            c if c.is_control() || c == char::REPLACEMENT_CHARACTER => (None, c.len_utf8()),
            c => (Some(Key::Char(c)), c.len_utf8()),
        };
        keys.extend(key);
        rest = &rest[length..];
    }
    keys
}

/// A key that is said with several characters, and how many bytes they are. An
/// escape that nothing follows is the key itself.
fn sequence(text: &str) -> (Option<Key>, usize) {
    let Some(body) = text
        .strip_prefix("\u{1b}[")
        .or(text.strip_prefix("\u{1b}O"))
    else {
        return (Some(Key::Escape), 1);
    };
    let is_final = |c: char| ('\u{40}'..='\u{7e}').contains(&c);
    let Some(end) = body.find(is_final) else {
        // Cut short; the rest of it is nothing that anybody typed.
        return (None, text.len());
    };
    let key = match &body[..=end] {
        "A" => Some(Key::Up),
        "B" => Some(Key::Down),
        "C" => Some(Key::Right),
        "D" => Some(Key::Left),
        "5~" => Some(Key::PageUp),
        "6~" => Some(Key::PageDown),
        _ => None,
    };
    (key, 2 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_terminals_send() {
        use Key::{Backspace, Char, Down, Enter, Escape, Leave, Left, PageDown, PageUp, Right, Up};
        for (bytes, keys) in [
            (&b"q"[..], &[Char('q')][..]),
            ("ä€".as_bytes(), &[Char('ä'), Char('€')]),
            (b"\x1b[A\x1b[B\x1bOC\x1b[D", &[Up, Down, Right, Left]),
            (b"\x1b[5~\x1b[6~", &[PageUp, PageDown]),
            (b"\x1b", &[Escape]),
            (b"\x1bx", &[Escape, Char('x')]),
            (b"\r\x7f\x08", &[Enter, Backspace, Backspace]),
            (b"\x03\x04", &[Leave, Leave]),
            // Function keys, a mouse, a paste: nothing that is listed.
            (b"\x1b[15~\x1b[<0;1;1M\x1b[200~", &[]),
            (b"\x1b[1;5", &[]),
            (b"\x00\x01\xff", &[]),
        ] {
            assert_eq!(decoded(bytes), keys, "{bytes:?}");
        }
    }

    #[test]
    fn the_end_of_a_terminal_is_an_answer() {
        let (reader, writer) = io::pipe().unwrap();
        let mut keyboard = Keyboard(File::from(std::os::fd::OwnedFd::from(reader)));
        let nothing = Typed::Keys(Vec::new());
        assert_eq!(keyboard.wait(Duration::from_millis(1)), nothing);
        drop(writer);
        assert_eq!(keyboard.wait(Duration::from_secs(60)), Typed::Gone);
    }
}
