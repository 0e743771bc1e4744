//! The supervisor's end: a socket, and the few who may be on the line at once.
//!
//! Nothing here ever waits. Whoever calls is read as far as something is there, and answered
//! in one write; who says nothing, too much or nonsense is hung up on and heard no answer,
//! which a hook takes for "judge by yourself".

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::geteuid;

use super::message::{MOST_BYTES, Reply, Report, line};
use super::socket;

/// Callers at once; more wait until one has gone.
const MOST_CALLERS: usize = 32;
/// More than these cannot wait to be let in.
const MOST_WAITING: usize = 4096;
/// How long a caller may take to say what it has to say.
const PATIENCE: Duration = Duration::from_millis(500);

/// The socket of a supervisor, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Switchboard {
    path: PathBuf,
    listener: UnixListener,
    callers: Vec<Caller>,
}

#[derive(Debug)]
struct Caller {
    stream: UnixStream,
    said: Vec<u8>,
    since: Instant,
}

/// What is known of a caller after it was read.
enum Heard {
    /// It has not finished.
    Part,
    /// This is what it says.
    Line(usize),
    /// It is gone, or said too much.
    Nothing,
}

impl Switchboard {
    /// Listens at `path`. Whoever holds the lock of the run may take away what stands there:
    /// it was left by a supervisor that is dead.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = socket::bind(path)?;
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            path: path.to_owned(),
            listener,
            callers: Vec::new(),
        })
    }

    /// What to wait for. With all lines taken nobody else is let in.
    pub(crate) fn sources(&self) -> Vec<BorrowedFd<'_>> {
        let mut sources: Vec<_> = self.callers.iter().map(|one| one.stream.as_fd()).collect();
        if self.callers.len() < MOST_CALLERS {
            sources.push(self.listener.as_fd());
        }
        sources
    }

    /// Hears everybody who has something to say, and answers.
    pub(crate) fn serve(&mut self, mut answer: impl FnMut(&Report) -> Reply) {
        self.let_in();
        self.callers.retain_mut(|caller| match caller.listen() {
            Heard::Part => true,
            Heard::Nothing => false,
            Heard::Line(end) => {
                if let Some(report) = Report::read(&caller.said[..end]) {
                    caller.tell(&answer(&report));
                }
                false
            }
        });
        self.hang_up_on_the_silent();
    }

    /// Hangs up on those who have had their time.
    pub(crate) fn hang_up_on_the_silent(&mut self) {
        let now = Instant::now();
        self.callers
            .retain(|caller| now.saturating_duration_since(caller.since) < PATIENCE);
    }

    /// Forgets whoever called before now: what they ran in has ended.
    pub(crate) fn begin_anew(&mut self) {
        self.callers.clear();
        let waiting = (0..MOST_WAITING).map_while(|_| self.listener.accept().ok());
        waiting.for_each(drop);
    }

    fn let_in(&mut self) {
        while self.callers.len() < MOST_CALLERS {
            let Ok((stream, _)) = self.listener.accept() else {
                return;
            };
            let ours = socket::peer(&stream).is_some_and(|peer| peer.uid == geteuid());
            if ours && stream.set_nonblocking(true).is_ok() {
                self.callers.push(Caller {
                    stream,
                    said: Vec::new(),
                    since: Instant::now(),
                });
            }
        }
    }
}

impl Caller {
    fn listen(&mut self) -> Heard {
        let mut piece = [0; 4096];
        loop {
            match self.stream.read(&mut piece) {
                Ok(0) => return Heard::Nothing,
                Ok(read) => {
                    let before = self.said.len();
                    self.said.extend_from_slice(&piece[..read]);
                    if let Some(end) = memchr::memchr(b'\n', &piece[..read]) {
                        return Heard::Line(before + end);
                    }
                    if self.said.len() > MOST_BYTES {
                        return Heard::Nothing;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Heard::Part,
                Err(_) => return Heard::Nothing,
            }
        }
    }

    fn tell(&mut self, reply: &Reply) {
        if let Some(line) = line(reply) {
            // It fits into the socket, or the caller has gone.
            let _ = self.stream.write_all(&line);
        }
    }
}

impl Drop for Switchboard {
    fn drop(&mut self) {
        // One that is left behind refuses whoever calls.
        let _ = fs::remove_file(&self.path);
    }
}
