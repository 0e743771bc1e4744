//! Saying things: data on stdout, talk on stderr, both possibly gone.

use std::borrow::Cow;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use fusebox_view::escape;
use serde::Serialize;

use crate::exit;
use crate::failure::Failure;
use crate::outlet::{self, Outlet};

/// The widest that a complaint or a path is shown: room for any real one.
const WIDTH: usize = 4096;

/// The longest word that is repeated in a complaint, unless it is a path.
const WORD: usize = 200;

/// How whoever called wants to be spoken to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) colors: ColorChoice,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

/// How this command speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speech {
    pub(crate) json: bool,
    quiet: bool,
    verbose: bool,
}

impl Speech {
    pub(crate) fn new(manner: Manner) -> Self {
        manner.colors.write_global();
        Self {
            json: manner.json,
            quiet: manner.quiet,
            verbose: manner.verbose && !manner.quiet,
        }
    }

    /// The same voice, speaking to people whatever was asked for.
    pub(crate) fn for_people(self) -> Self {
        Self {
            json: false,
            ..self
        }
    }

    /// Data: what was asked for.
    pub(crate) fn data(self, text: &str) {
        noted(to_stdout(text.as_bytes(), true));
    }

    /// Data that is not text, byte by byte: for a program, never for a terminal.
    pub(crate) fn bytes(self, bytes: &[u8]) {
        noted(io::stdout().lock().write_all(bytes));
    }

    /// Data whose colours are meant for whoever started us, terminal or not.
    pub(crate) fn painted(self, line: &str) {
        noted(writeln!(io::stdout().lock(), "{line}"));
    }

    /// Data as one JSON document on a line.
    pub(crate) fn json(self, value: &impl Serialize) {
        if let Ok(line) = serde_json::to_string(value) {
            let line = format!("{}\n", escape::json(&line));
            noted(to_stdout(line.as_bytes(), false));
        }
    }

    /// The same for whoever goes on for as long as anybody listens: whether somebody does.
    pub(crate) fn json_heard(self, value: &impl Serialize) -> bool {
        let line = serde_json::to_string(value).unwrap_or_default();
        let line = escape::json(&line);
        let mut out = io::stdout().lock();
        noted(writeln!(out, "{line}").and_then(|()| out.flush()))
    }

    /// Talk: a line for a person, unless they asked for quiet.
    pub(crate) fn say(self, line: &str) {
        if !self.quiet {
            to_stderr(&format!("fusebox: {line}\n"));
        }
    }

    /// Talk that is put into lines already.
    pub(crate) fn talk(self, text: &str) {
        if !self.quiet {
            to_stderr(text);
        }
    }

    /// Whether a person wants to hear what a command is about, too.
    pub(crate) fn is_verbose(self) -> bool {
        self.verbose
    }

    /// Whether lines that stay on the screen are wanted.
    pub(crate) fn is_for_watching(self) -> bool {
        !self.quiet && !self.json
    }

    /// A further line of the same remark.
    pub(crate) fn add(self, line: &str) {
        if !self.quiet {
            to_stderr(&format!("  {line}\n"));
        }
    }

    /// What went wrong. Said even to those who asked for quiet.
    pub(crate) fn fail(failure: &Failure) {
        let red: Style = AnsiColor::Red.on_default().bold();
        let what = escape::line(&shortened(&failure.what), WIDTH);
        let mut text = format!("{red}error:{red:#} {what}\n");
        for line in &failure.excerpt {
            text += &format!("{}\n", escape::line(line, WIDTH));
        }
        for hint in &failure.hints {
            text += &format!("hint: {}\n", escape::line(hint, WIDTH));
        }
        to_stderr(&text);
        failure.also.iter().for_each(Self::fail);
    }
}

/// Talk, and complaints. Nobody can be told that they could not be written.
fn to_stderr(text: &str) {
    let stderr = io::stderr();
    let _ = match hurried(stderr.as_fd()) {
        Some(outlet) => coloured(outlet, text.as_bytes(), AutoStream::choice(&stderr)),
        None => anstream::stderr().write_all(text.as_bytes()),
    };
}

/// Data, with its colours if `may_be_coloured` and somebody sees them.
fn to_stdout(bytes: &[u8], may_be_coloured: bool) -> io::Result<()> {
    let stdout = io::stdout();
    match hurried(stdout.as_fd()) {
        Some(outlet) if may_be_coloured => coloured(outlet, bytes, AutoStream::choice(&stdout)),
        Some(mut outlet) => outlet.write_all(bytes),
        None if may_be_coloured => anstream::stdout().write_all(bytes),
        None => stdout.lock().write_all(bytes),
    }
}

/// What writes to a terminal or a pipe that is not waited for.
fn hurried(device: BorrowedFd<'_>) -> Option<Outlet> {
    let outlet = outlet::is_hurried().then(|| Outlet::on(device).ok());
    outlet.flatten().filter(Outlet::never_waits)
}

/// In one write, so that what does not fit is counted once.
fn coloured(mut outlet: Outlet, bytes: &[u8], choice: ColorChoice) -> io::Result<()> {
    let mut stream = AutoStream::new(Vec::new(), choice);
    stream.write_all(bytes)?;
    outlet.write_all(&stream.into_inner())
}

/// A text in which no word goes on for ever. Whoever typed thousands of characters knows them
/// by the first, and the complaint about them must not be lost behind the rest. Paths are
/// spared: they are as long as they have to be, and of no use without their ends.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    let is_long = |word: &str| word.len() > WORD && !word.contains('/');
    if !text.split(' ').any(is_long) {
        return text.into();
    }
    let words = text.split(' ').map(|word| match is_long(word) {
        true => {
            let start: String = word.chars().take(WORD / 2).collect();
            // The quotation mark that it ends with, and what follows that.
            let end = word.rfind(['`', '\'', '"']).map(|at| &word[at..]);
            format!(
                "{start}…{}",
                end.filter(|end| end.len() < 4).unwrap_or_default()
            )
        }
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ").into()
}

/// Why data could not be written, the first time that it could not. There is one standard
/// output, and voices are copied freely.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// Notes what became of writing data, and says whether it was written. Whoever closed the
/// pipe does not want to hear about it; anybody else must not take half an answer for one.
fn noted(written: io::Result<()>) -> bool {
    match written {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => false,
        Err(error) => {
            let _ = UNWRITTEN.set(error.to_string());
            false
        }
    }
}

/// The code of a command that was carried out, if all that it had to tell was written.
pub(crate) fn told(code: u8) -> Result<u8, Failure> {
    noted(io::stdout().flush());
    match UNWRITTEN.get() {
        // What went wrong otherwise is the graver news, and has its own code.
        Some(why) if code == exit::GO => Err(unwritten(why)),
        Some(why) => {
            Speech::fail(&unwritten(why));
            Ok(code)
        }
        None => Ok(code),
    }
}

/// A page of help from the parser of the command line, and the code that comes of it.
pub(crate) fn page(text: &str) -> u8 {
    noted(anstream::stdout().write_all(text.as_bytes()));
    told(exit::GO).unwrap_or_else(|failure| {
        Speech::fail(&failure);
        failure.code
    })
}

/// What the parser of the command line has against it.
pub(crate) fn complain(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

fn unwritten(why: &str) -> Failure {
    Failure::new(
        exit::INTERNAL,
        format!("the output cannot be written: {why}"),
    )
}

/// A path that is safe to show: an agent may have chosen the name.
pub(crate) fn shown(path: &Path) -> String {
    escape::bytes(path.as_os_str().as_bytes(), WIDTH)
}
