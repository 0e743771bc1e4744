//! The terminal itself, and not whatever standard input and output lead to.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};

use rustix::termios::{QueueSelector, tcflush};

/// The longest line that is read from a terminal.
const LINE_BYTES: u64 = 1_024;

/// The terminal, if a person can be expected at it: somebody sees what we say.
pub(crate) fn open() -> Option<File> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    File::options().read(true).write(true).open("/dev/tty").ok()
}

/// Forgets what was typed so far. Nobody has answered a question before it was asked: whatever
/// waits by then was meant for something else, or queued by what ran on the terminal before. To be
/// called right before the question is shown: after it, a fast answer would be forgotten too.
pub(crate) fn discard_typed(terminal: &File) {
    // Where there is nothing to be forgotten, there is no terminal.
    let _ = tcflush(terminal, QueueSelector::IFlush);
}

/// `None` when the terminal is gone.
pub(crate) fn read_line(terminal: &File) -> Option<String> {
    let mut line = String::new();
    let read = BufReader::new(terminal.take(LINE_BYTES)).read_line(&mut line);
    matches!(read, Ok(count) if count > 0).then_some(line)
}
