//! The supervisor's own signals, as something that can be waited for.
//!
//! One self-pipe per signal: a handler may do hardly anything, but it may
//! write a byte, and the pipe it went to says which signal it was.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::{pipe, unregister};

use crate::platform::ignored_signals;

/// SIGINT, SIGTERM and SIGHUP, caught as long as this lives.
///
/// During [`Supervisor::run`](crate::Supervisor::run) the first of them asks
/// for the end and the second kills at once. One that arrives between two
/// steps waits for [`Signals::take`].
///
/// The signals of job control keep their meaning: Ctrl-Z stops this process as
/// any other. SIGCONT is noted, so that limits do not run meanwhile.
#[derive(Debug)]
pub struct Signals {
    caught: Vec<Caught>,
    continued: Arc<AtomicBool>,
    noting: Option<SigId>,
}

#[derive(Debug)]
struct Caught {
    signal: i32,
    arrivals: UnixStream,
    registration: SigId,
}

impl Signals {
    /// Begins to catch. A signal that is ignored stays ignored: whoever
    /// started us with `nohup`, or in the background, meant it.
    pub fn catch() -> io::Result<Self> {
        let ignored = ignored_signals();
        let mut signals = Self::none();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if ignored & (1 << (signal - 1)) == 0 {
                signals.caught.push(Caught::register(signal)?);
            }
        }
        let noting = flag::register(SIGCONT, Arc::clone(&signals.continued))?;
        signals.noting = Some(noting);
        Ok(signals)
    }

    /// Catches nothing, for a supervisor inside a program that handles signals
    /// in its own way.
    #[must_use]
    pub fn none() -> Self {
        Self {
            caught: Vec::new(),
            continued: Arc::default(),
            noting: None,
        }
    }

    /// The next signal that has arrived, if any; never waits.
    pub fn take(&mut self) -> Option<i32> {
        self.caught.iter_mut().find_map(|caught| {
            matches!(caught.arrivals.read(&mut [0]), Ok(1)).then_some(caught.signal)
        })
    }

    /// Whether SIGCONT has come since this was asked last.
    pub(crate) fn was_continued(&self) -> bool {
        self.continued.swap(false, Ordering::SeqCst)
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.caught.iter().map(|caught| caught.arrivals.as_fd())
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        if let Some(noting) = self.noting {
            unregister(noting);
        }
    }
}

impl Caught {
    fn register(signal: i32) -> io::Result<Self> {
        let (arrivals, handler) = UnixStream::pair()?;
        arrivals.set_nonblocking(true)?;
        let registration = pipe::register(signal, handler)?;
        Ok(Self {
            signal,
            arrivals,
            registration,
        })
    }
}

impl Drop for Caught {
    fn drop(&mut self) {
        unregister(self.registration);
    }
}
