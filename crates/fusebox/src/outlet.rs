//! Writing to a terminal or a pipe that may take nothing.
//!
//! Ctrl-S stops a terminal, and so does anybody who can open it, an agent among them. Whoever
//! writes to it then waits for as long as it is stopped. A supervisor must not: its limits and
//! whoever wants to end it come first. So what does not fit is not shown, and that is said as
//! soon as there is room again.
//!
//! The reader of a pipe may stop as well. One that is only slow wants everything, though: see
//! [`pipe`].

mod pipe;

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fusebox_view::phrase;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

/// How long a terminal may take nothing before it counts as stopped: longer than the gaps of
/// a slow line.
const PATIENCE: Duration = Duration::from_millis(500);
/// Written at once where a write could block. A terminal that takes anything takes this.
const MORSEL: usize = 64;

/// Whether this process would rather lose words than wait.
static HURRIED: AtomicBool = AtomicBool::new(false);
/// The bytes that were not shown since the terminal stopped. A process has one terminal.
static UNSHOWN: AtomicU64 = AtomicU64::new(0);
/// The bytes that readers of pipes did not get, and that nobody was told of yet.
static UNPASSED: AtomicU64 = AtomicU64::new(0);
/// Whether somebody draws on the terminal, who says by itself what is [`owed`].
static IS_DRAWN_ON: AtomicBool = AtomicBool::new(false);

/// From now on, neither terminal nor pipe is waited for.
pub(crate) fn never_wait() {
    HURRIED.store(true, Ordering::Relaxed);
}

/// Whether no terminal and no pipe is waited for.
pub(crate) fn is_hurried() -> bool {
    HURRIED.load(Ordering::Relaxed)
}

/// Whether whoever reads a pipe is so far behind that no more should be written for now.
pub(crate) fn is_held_up() -> bool {
    pipe::is_any_held_up()
}

/// Waits until whoever reads a pipe has everything, unless they have stopped or `is_cut_short`,
/// and says what they did not get.
pub(crate) fn settle(is_cut_short: impl FnMut() -> bool) {
    let dropped = pipe::settle(is_cut_short);
    UNPASSED.fetch_add(dropped, Ordering::Relaxed);
    own_up();
}

/// Says on standard error what readers of pipes did not get.
fn own_up() {
    if let Some(note) = unpassed() {
        let said = Outlet::on(io::stderr().as_fd());
        let _ = said.and_then(|mut outlet| outlet.write_all(note.as_bytes()));
    }
}

fn unpassed() -> Option<String> {
    let bytes = UNPASSED.swap(0, Ordering::Relaxed);
    let size = phrase::bytes(bytes);
    (bytes > 0).then(|| {
        format!("fusebox: {size} of output was not passed on: whoever reads it had stopped\n")
    })
}

/// Where words go, possibly a terminal.
pub(crate) struct Outlet {
    to: File,
    /// A pipe that is not waited for.
    pipe: Option<Arc<pipe::Pipe>>,
    is_terminal: bool,
    /// Whether a write that finds no room comes back.
    never_blocks: bool,
    /// Whether somebody draws there, between whose lines nothing may come.
    is_drawn_on: bool,
}

impl Outlet {
    /// What writes to `device`.
    pub(crate) fn on(device: BorrowedFd<'_>) -> io::Result<Self> {
        let is_terminal = device.is_terminal();
        let own = is_terminal.then(|| opened_anew(device)).flatten();
        let own = own.filter(File::is_terminal);
        let pipe = is_hurried().then(|| pipe::on(device)).flatten();
        let never_blocks = own.is_some();
        let to = match own {
            Some(own) => own,
            None => device.try_clone_to_owned()?.into(),
        };
        Ok(Self {
            to,
            pipe,
            is_terminal,
            never_blocks,
            is_drawn_on: false,
        })
    }

    /// Whether whoever writes here comes back in time, whatever becomes of what is written.
    pub(crate) fn never_waits(&self) -> bool {
        self.is_terminal || self.pipe.is_some()
    }

    /// The same for whoever draws on the terminal, and so says by itself what is [`owed`].
    pub(crate) fn drawn_on(self) -> Self {
        IS_DRAWN_ON.store(true, Ordering::Relaxed);
        Self {
            is_drawn_on: true,
            ..self
        }
    }

    /// Shows as much as there is room for in time.
    fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        if UNSHOWN.load(Ordering::Relaxed) > 0 {
            if !has_room(self.to.as_fd(), Duration::ZERO) {
                note_unshown(bytes.len());
                return Ok(());
            }
            if !self.is_drawn_on
                && let Some(note) = owed(self.to.as_fd())
            {
                self.push(note.replace('\n', "\r\n").as_bytes())?;
            }
        }
        self.push(bytes)
    }

    fn push(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let until = Instant::now() + PATIENCE;
        while !bytes.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            if !has_room(self.to.as_fd(), left) {
                note_unshown(bytes.len());
                return Ok(());
            }
            let most = if self.never_blocks {
                bytes.len()
            } else {
                MORSEL.min(bytes.len())
            };
            match self.to.write(&bytes[..most]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => bytes = &bytes[taken..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= until {
                        note_unshown(bytes.len());
                        return Ok(());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(pipe) = &self.pipe {
            UNPASSED.fetch_add(pipe.pass(bytes)?, Ordering::Relaxed);
            if !IS_DRAWN_ON.load(Ordering::Relaxed) {
                own_up();
            }
            return Ok(bytes.len());
        }
        if !self.is_terminal || !is_hurried() {
            return self.to.write(bytes);
        }
        self.show(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl AsFd for Outlet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.to.as_fd()
    }
}

/// That something was not shown or not passed on, once there is room to say so.
pub(crate) fn owed(device: BorrowedFd<'_>) -> Option<String> {
    if UNSHOWN.load(Ordering::Relaxed) == 0 {
        return unpassed();
    }
    if !has_room(device, Duration::ZERO) {
        return None;
    }
    let size = phrase::bytes(UNSHOWN.swap(0, Ordering::Relaxed));
    Some(format!(
        "\nfusebox: {size} of output was not shown while the terminal was stopped\n"
    ))
}

fn has_room(device: BorrowedFd<'_>, within: Duration) -> bool {
    let mut ends = [PollFd::from_borrowed_fd(device, PollFlags::OUT)];
    let limit = Timespec::try_from(within).ok();
    // A signal is for the loop to see, and there may be room all the same. What else may be wrong
    // is said by the write.
    poll(&mut ends, limit.as_ref()).map_or(true, |ready| ready > 0)
}

fn note_unshown(bytes: usize) {
    UNSHOWN.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// The same terminal or pipe, opened for this process alone: whether it waits is a matter of each
/// opening, and that of the user's shell stays as it is.
fn opened_anew(device: BorrowedFd<'_>) -> Option<File> {
    if cfg!(not(target_os = "linux")) || !is_hurried() {
        return None;
    }
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options
        .write(true)
        .custom_flags(i32::try_from(flags.bits()).ok()?);
    let path = format!("/proc/self/fd/{}", device.as_raw_fd());
    options.open(path).ok()
}
