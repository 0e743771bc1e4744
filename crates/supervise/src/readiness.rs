//! Waiting on several descriptors at once.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Waits until one of `sources` can be read (or has ended) or `until` comes,
/// and says for each whether it can.
///
/// A signal that interrupts the wait counts as "nothing yet": whoever waits
/// here recomputes its deadlines anyway.
pub(crate) fn wait_readable(
    sources: &[BorrowedFd<'_>],
    until: Option<Instant>,
) -> io::Result<Vec<bool>> {
    let timeout = until.map(|until| timespec(until.saturating_duration_since(Instant::now())));
    look(sources, timeout)
}

/// Says for each of `sources` whether it can be read at this moment.
pub(crate) fn readable_now(sources: &[BorrowedFd<'_>]) -> io::Result<Vec<bool>> {
    look(sources, Some(Timespec::default()))
}

fn look(sources: &[BorrowedFd<'_>], timeout: Option<Timespec>) -> io::Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = sources
        .iter()
        .map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN))
        .collect();
    match poll(&mut polled, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(polled
        .iter()
        .map(|source| !source.revents().is_empty())
        .collect())
}

/// Rounded up to a millisecond, so that a wait never ends just before the
/// moment it was for and then spins.
fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration + Duration::from_millis(1)).unwrap_or(Timespec {
        tv_sec: i64::from(i32::MAX),
        tv_nsec: 0,
    })
}

/// The earlier of two optional moments; none means never.
pub(crate) fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    one.into_iter().chain(other).min()
}
