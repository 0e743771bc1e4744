//! Where an iteration's output is shown.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use fusebox_view::escape::Passthrough;

use super::stage::Stage;
use crate::outlet::Outlet;

/// Where one of the command's streams is shown.
pub(super) struct Sink {
    to: Box<dyn Write>,
    /// Escapes what would act on a terminal; absent where nobody looks.
    neutral: Option<Passthrough>,
    /// Whoever closed the pipe wants no more.
    closed: bool,
}

impl Sink {
    /// Our standard output; with `json` that is a stream of data, and what the
    /// command says is talk.
    pub(super) fn stdout(json: bool, stage: &Stage) -> Self {
        if json {
            return Self::stderr(stage);
        }
        let terminal = io::stdout().is_terminal();
        match stage.writer() {
            Some(writer) if terminal => Self::new(Box::new(writer), terminal),
            _ => Self::new(unbuffered_stdout(), terminal),
        }
    }

    pub(super) fn stderr(stage: &Stage) -> Self {
        match stage.writer() {
            Some(writer) => Self::new(Box::new(writer), true),
            None => Self::new(unbuffered_stderr(), io::stderr().is_terminal()),
        }
    }

    fn new(to: Box<dyn Write>, terminal: bool) -> Self {
        Self {
            to,
            neutral: terminal.then(Passthrough::default),
            closed: false,
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        let written = match &mut self.neutral {
            Some(neutral) => neutral.write(bytes, &mut self.to),
            None => self.to.write_all(bytes),
        };
        self.closed = written.and_then(|()| self.to.flush()).is_err();
    }

    pub(super) fn finish(self) {
        let Self {
            mut to, neutral, ..
        } = self;
        if let Some(neutral) = neutral {
            let _ = neutral.finish(&mut to);
        }
    }
}

/// Standard output without the line buffer of the standard library, which would
/// look at every byte once more and copy what holds no newline.
fn unbuffered_stdout() -> Box<dyn Write> {
    match Outlet::on(io::stdout().as_fd()) {
        Ok(own) => Box::new(own),
        Err(_) => Box::new(io::stdout()),
    }
}

fn unbuffered_stderr() -> Box<dyn Write> {
    match Outlet::on(io::stderr().as_fd()) {
        Ok(own) => Box::new(own),
        Err(_) => Box::new(io::stderr()),
    }
}
