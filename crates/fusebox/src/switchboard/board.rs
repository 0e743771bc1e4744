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
    /// How much of that is its report, once it is whole.
    whole: Option<usize>,
    since: Instant,
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

    /// Hears everybody who has something to say.
    pub(crate) fn hear(&mut self) {
        self.let_in();
        self.callers.retain_mut(Caller::listen);
    }

    /// Answers those who have said all they have to say.
    pub(crate) fn answer(&mut self, mut answer: impl FnMut(&Report) -> Reply) {
        self.callers.retain_mut(|caller| {
            let Some(end) = caller.whole else {
                return true;
            };
            if let Some(report) = Report::read(&caller.said[..end]) {
                caller.tell(&answer(&report));
            }
            false
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
                    whole: None,
                    since: Instant::now(),
                });
            }
        }
    }
}

impl Caller {
    /// Reads what is there. Answers whether it stays on the line: not if it is gone, or said
    /// too much.
    fn listen(&mut self) -> bool {
        let mut piece = [0; 4096];
        while self.whole.is_none() {
            match self.stream.read(&mut piece) {
                Ok(0) => return false,
                Ok(read) => {
                    let before = self.said.len();
                    self.said.extend_from_slice(&piece[..read]);
                    let end = memchr::memchr(b'\n', &piece[..read]);
                    self.whole = end.map(|end| before + end);
                    if self.whole.is_none() && self.said.len() > MOST_BYTES {
                        return false;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
        true
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
