//! Sees the command's output: shows it, counts it, keeps its two ends.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use fusebox_supervise::{HeadTail, StepObserver, Stream};
use fusebox_view::escape::Passthrough;

use super::screen::Screen;

/// Kept of the beginning and of the end of the output.
const HEAD: usize = 256 * 1024;
const TAIL: usize = 768 * 1024;
/// Kept of standard error, for the line a failing command ends with.
const LAST_WORDS: usize = 8 * 1024;

/// Where one of the command's streams is shown.
struct Sink {
    to: Box<dyn Write>,
    /// Escapes what would act on a terminal; absent where nobody looks.
    neutral: Option<Passthrough>,
    /// Whoever closed the pipe wants no more.
    closed: bool,
}

impl Sink {
    fn new(to: Box<dyn Write>, terminal: bool) -> Self {
        Self {
            to,
            neutral: terminal.then(Passthrough::default),
            closed: false,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        let written = match &mut self.neutral {
            Some(neutral) => neutral.write(bytes, &mut self.to),
            None => self.to.write_all(bytes),
        };
        self.closed = written.and_then(|()| self.to.flush()).is_err();
    }

    fn finish(self) {
        let Self {
            mut to, neutral, ..
        } = self;
        if let Some(neutral) = neutral {
            let _ = neutral.finish(&mut to);
        }
    }
}

/// The observer of one iteration.
pub(super) struct Recorder {
    stdout: Sink,
    stderr: Sink,
    kept: HeadTail,
    errors: HeadTail,
}

/// Standard output without the line buffer of the standard library, which would
/// look at every byte once more and copy what holds no newline.
fn unbuffered_stdout() -> Box<dyn Write> {
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(own) => Box::new(File::from(own)),
        Err(_) => Box::new(io::stdout()),
    }
}

/// What is left of an iteration's output.
pub(super) struct Kept {
    all: HeadTail,
    errors: HeadTail,
}

impl Recorder {
    pub(super) fn new(screen: &Screen) -> Self {
        // With --json the data stream is ours, and the command's output is talk.
        let stdout = if screen.is_json() {
            Sink::new(Box::new(io::stderr()), io::stderr().is_terminal())
        } else {
            Sink::new(unbuffered_stdout(), io::stdout().is_terminal())
        };
        Self {
            stdout,
            stderr: Sink::new(Box::new(io::stderr()), io::stderr().is_terminal()),
            kept: HeadTail::new(HEAD, TAIL),
            errors: HeadTail::new(0, LAST_WORDS),
        }
    }

    pub(super) fn finish(self) -> Kept {
        self.stdout.finish();
        self.stderr.finish();
        Kept {
            all: self.kept,
            errors: self.errors,
        }
    }
}

impl StepObserver for Recorder {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.kept.push(bytes);
        match stream {
            Stream::Stdout => self.stdout.write(bytes),
            Stream::Stderr => {
                self.errors.push(bytes);
                self.stderr.write(bytes);
            }
        }
    }
}

impl Kept {
    pub(super) fn kept(&self) -> &HeadTail {
        &self.all
    }

    /// The last line that says anything: of standard error, else of all output.
    pub(super) fn last_words(&self) -> String {
        [&self.errors, &self.all]
            .into_iter()
            .find_map(last_line)
            .unwrap_or_default()
    }
}

fn last_line(kept: &HeadTail) -> Option<String> {
    let mut bytes = Vec::new();
    kept.write_to(&mut bytes).ok()?;
    let end = &bytes[bytes.len().saturating_sub(LAST_WORDS)..];
    let text = String::from_utf8_lossy(end);
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}
