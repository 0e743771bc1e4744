//! Collecting the dead, on the keeper's side.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus, wait};
use signal_hook::consts::SIGCHLD;
use signal_hook::low_level::pipe;

use crate::readiness::wait_readable;
use crate::report::LeaderEnd;

/// Waits for every child, born here or adopted.
///
/// A subreaper without children has no descendants at all, so "the tree is
/// gone" is something the system tells, not something to be searched for.
pub(crate) struct Reaper {
    deaths: UnixStream,
    leader: Option<i32>,
    leader_end: Option<LeaderEnd>,
    childless: bool,
}

impl Reaper {
    /// To be called before the first child is born.
    pub(crate) fn new() -> io::Result<Self> {
        let (deaths, handler) = UnixStream::pair()?;
        deaths.set_nonblocking(true)?;
        pipe::register(SIGCHLD, handler)?;
        Ok(Self {
            deaths,
            leader: None,
            leader_end: None,
            childless: true,
        })
    }

    /// Whose end is of interest.
    pub(crate) fn expect(&mut self, leader: i32) {
        self.leader = Some(leader);
        self.childless = false;
    }

    /// How the leader ended, once it has.
    pub(crate) fn leader_end(&self) -> Option<LeaderEnd> {
        self.leader_end
    }

    /// Whether the last [`Reaper::reap`] found nobody to wait for.
    pub(crate) fn is_childless(&self) -> bool {
        self.childless
    }

    /// Collects all that have died.
    pub(crate) fn reap(&mut self) {
        while matches!((&self.deaths).read(&mut [0; 64]), Ok(64)) {}
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if Some(pid.as_raw_pid()) == self.leader => {
                    self.leader_end = self.leader_end.or(leader_end(status));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return self.childless = false,
                // The only other answer there is: no children.
                Err(_) => return self.childless = true,
            }
        }
    }

    /// Collects, and says whether nobody is left; if someone is, waits for
    /// the next death first, but not longer than `time`.
    pub(crate) fn all_gone_within(&mut self, time: Duration) -> bool {
        self.reap();
        if !self.childless {
            let _ = wait_readable(&[self.deaths.as_fd()], Some(Instant::now() + time));
            self.reap();
        }
        self.childless
    }
}

impl AsFd for Reaper {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.deaths.as_fd()
    }
}

fn leader_end(status: WaitStatus) -> Option<LeaderEnd> {
    let exited = status.exit_status().map(LeaderEnd::Exited);
    exited.or_else(|| status.terminating_signal().map(LeaderEnd::Signaled))
}
