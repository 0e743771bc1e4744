//! A hook's end: one question, one answer, and not long to wait for it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FileType, Mode, OFlags, fstat};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::geteuid;

use super::message::{MOST_BYTES, Reply, Report, line};

/// How long the supervisor may take. A hook has two seconds before a tool, and needs the rest
/// of them to judge by itself.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long to wait before a line that is busy is tried again.
const BUSY: Duration = Duration::from_millis(5);

/// What the process `supervisor`, which listens at `path`, has to say to a report; nothing if
/// it does not say it in time, or if somebody else listens there.
pub(crate) fn ask(path: &Path, supervisor: i32, report: &Report) -> Option<Reply> {
    let until = Instant::now() + PATIENCE;
    let mut stream = call(path, until)?;
    let peer = socket_peercred(&stream).ok()?;
    if peer.pid.as_raw_pid() != supervisor || peer.uid != geteuid() {
        return None;
    }
    stream.set_nonblocking(false).ok()?;
    stream.set_write_timeout(left(until)).ok()?;
    stream.write_all(&line(report)?).ok()?;
    serde_json::from_slice(&answer(&mut stream, until)?).ok()
}

/// Reaches whoever listens at `path`, which may be longer than an address. A link is not
/// followed, and anything but a socket is not even opened.
fn call(path: &Path, until: Instant) -> Option<UnixStream> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let about = fstat(&place).ok()?;
    if FileType::from_raw_mode(about.st_mode) != FileType::Socket {
        return None;
    }
    let near = format!("/proc/self/fd/{}", place.as_raw_fd());
    let address = SocketAddrUnix::new(near).ok()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    loop {
        match connect(&socket, &address) {
            Ok(()) => return Some(socket.into()),
            // More have called than fit into the queue.
            Err(Errno::AGAIN) => {
                left(until)?;
                thread::sleep(BUSY);
            }
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
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
