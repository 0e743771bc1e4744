//! A hook's end: one question, one answer, and not long to wait for it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::geteuid;

use super::message::{MOST_BYTES, Reply, Report, line};
use super::socket;

/// How long the supervisor may take. A hook has two seconds before a tool, and needs the rest
/// of them to judge by itself.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long to wait before a line that is busy is tried again.
const BUSY: Duration = Duration::from_millis(5);

/// What the process `supervisor`, which listens at `path`, has to say to a report; nothing if
/// it does not say it in time, or if somebody else listens there.
pub(crate) fn ask(path: &Path, supervisor: i32, report: &Report) -> Option<Reply> {
    let until = Instant::now() + PATIENCE;
    let mut stream = socket::call(path, || {
        let waits = left(until).is_some();
        if waits {
            thread::sleep(BUSY);
        }
        waits
    })?;
    let peer = socket::peer(&stream)?;
    if peer.pid != supervisor || peer.uid != geteuid() {
        return None;
    }
    stream.set_nonblocking(false).ok()?;
    stream.set_write_timeout(left(until)).ok()?;
    stream.write_all(&line(report)?).ok()?;
    serde_json::from_slice(&answer(&mut stream, until)?).ok()
}

fn answer(stream: &mut UnixStream, until: Instant) -> Option<Vec<u8>> {
    let mut said = Vec::new();
    let mut piece = [0; 4096];
    loop {
        stream.set_read_timeout(Some(left(until)?)).ok()?;
        let read = stream.read(&mut piece).ok()?;
        said.extend_from_slice(&piece[..read]);
        if said.last() == Some(&b'\n') {
            return Some(said);
        }
        if read == 0 || said.len() > MOST_BYTES {
            return None;
        }
    }
}

/// What is left of the time; nothing if it is over.
fn left(until: Instant) -> Option<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}
