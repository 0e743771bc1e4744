//! Reads one file, whatever it holds.
//!
//! In pieces, so that a file of any size takes the same memory. What cannot be
//! read is passed over and told in one line, because one bad file among a
//! thousand is no reason to give up on the others.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use fusebox_agents::{Line, LineSplitter};

use crate::desk::{Desk, Told};
use crate::follow::Follower;
use crate::format::Format;
use crate::lines::Lines;
use crate::readers::LineReader;
use crate::readers::openhands::{OpenHands, OpenHandsList};
use crate::readers::sweagent::Trajectories;

/// The longest line that is read, in bytes. A collection has a whole session on
/// one line.
const LINE: usize = 64 << 20;
/// The largest document that is read, in bytes.
const DOCUMENT: u64 = 256 << 20;
/// What is read at once, in bytes.
const PIECE: usize = 256 << 10;
/// How the logs of fusebox itself begin.
const LOG: &[u8] = b"FUSEBOX\n";
/// How compressed files begin.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileReport {
    /// The format of its first session, if it holds any.
    pub format: Option<Format>,
    /// How long it was, unpacked, as far as it was read.
    pub bytes: u64,
    /// What could not be read, each in a line.
    pub notes: Vec<String>,
}

/// Reads a file and hands over its sessions as they end. `read` counts the bytes
/// of the file, for whoever shows how far it is.
pub(crate) fn read_file<F: Follower>(
    path: &Path,
    read: &AtomicU64,
    begin: &dyn Fn() -> F,
    done: &mut dyn FnMut(Told<F::Outcome>),
) -> FileReport {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    match open(path, read) {
        Ok(file) => read_from(&name, file, begin, done),
        Err(error) => FileReport {
            notes: vec![format!("it cannot be read: {error}")],
            ..FileReport::default()
        },
    }
}

/// Reads sessions from anywhere, unpacked if need be, and hands them over as they
/// end. A session that has no name gets this one.
pub fn read_from<F: Follower>(
    name: &str,
    input: impl Read,
    begin: &dyn Fn() -> F,
    done: &mut dyn FnMut(Told<F::Outcome>),
) -> FileReport {
    let mut desk = Desk::new(name, begin, done);
    let mut report = FileReport::default();
    let followed = unpacked(input).and_then(|input| follow(input, &mut desk, &mut report));
    if let Err(error) = followed {
        let why = format!("it could not be read to its end: {error}");
        report.notes.push(why);
    }
    if desk.twice > 0 {
        let times = desk.twice;
        let why = format!("{times} lines stand there twice and were read once");
        report.notes.push(why);
    }
    desk.close_all();
    if report.format.is_none() && report.notes.is_empty() {
        let why = "it holds no session in a supported format";
        report.notes.push(why.to_owned());
    }
    report
}

fn open<'a>(path: &Path, read: &'a AtomicU64) -> io::Result<Counted<'a>> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    Ok(Counted { file, read })
}

fn unpacked<'a>(mut input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut start = [0; 2];
    let (got, trouble) = fill(&mut input, &mut start);
    if let Some(error) = trouble {
        return Err(error);
    }
    let whole = io::Cursor::new(start).take(got as u64).chain(input);
    Ok(if start == GZIP {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
}

fn follow<F: Follower>(
    mut input: impl Read,
    desk: &mut Desk<'_, F>,
    report: &mut FileReport,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    // A packed file that ends too soon still has a beginning.
    let (got, mut trouble) = fill(&mut input, &mut piece);
    let start = &piece[..got];
    if start.starts_with(LOG) {
        let why = "it is the log of a circuit; `fusebox history --json` prints it in a form that can be read here";
        report.notes.push(why.to_owned());
        return Ok(());
    }
    if is_document(start) {
        return document(start, input, desk, report);
    }
    let mut lines = Lines::default();
    let mut splitter = LineSplitter::with_limit(LINE);
    let mut took = got;
    while took > 0 {
        report.bytes += took as u64;
        splitter.push(&piece[..took], |line| lines.take(line, desk));
        took = 0;
        if trouble.is_none() {
            (took, trouble) = fill(&mut input, &mut piece);
        }
    }
    splitter.finish(|line| lines.take(line, desk));
    lines.finish(desk, report);
    trouble.map_or(Ok(()), Err)
}

/// Whether all of the file is one value, written over several lines.
fn is_document(start: &[u8]) -> bool {
    let start = start
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(start)
        .trim_ascii_start();
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
    first.first() == Some(&b'[') || first.trim_ascii() == b"{"
}

fn document<F: Follower>(
    start: &[u8],
    input: impl Read,
    desk: &mut Desk<'_, F>,
    report: &mut FileReport,
) -> io::Result<()> {
    let mut bytes = start.to_vec();
    input
        .take(DOCUMENT + 1 - start.len() as u64)
        .read_to_end(&mut bytes)?;
    report.bytes = bytes.len() as u64;
    if report.bytes > DOCUMENT {
        return Err(io::Error::other(
            "a single value of more than 256 MB is not read",
        ));
    }
    let line = Line::whole(&bytes);
    let text = line.text();
    let text = text.trim_start_matches('\u{feff}');
    let readers: [(Format, Box<dyn LineReader>); 3] = [
        (Format::SweAgent, Box::new(Trajectories)),
        (Format::OpenHands, Box::new(OpenHands)),
        (Format::OpenHands, Box::new(OpenHandsList)),
    ];
    for (format, mut reader) in readers {
        desk.source = format.name();
        if reader.line(text, desk).is_some() {
            report.format = Some(format);
            return Ok(());
        }
    }
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        report
            .notes
            .push("it begins like a document and is none; perhaps it was cut off".to_owned());
    }
    Ok(())
}

/// Counts what is read.
struct Counted<'a> {
    file: File,
    read: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read(into)?;
        self.read.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

/// Reads until the buffer is full or there is no more, for whichever reason.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(got) => filled += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}
