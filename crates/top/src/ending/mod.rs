//! Noticing the end of another process.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod macos;

#[cfg(target_os = "linux")]
pub(crate) use linux::{Ending, end_with_parent};
#[cfg(target_os = "macos")]
pub(crate) use macos::{Ending, end_with_parent};

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, Result};

/// Waits until one of them can be read, or for so long; says for each whether it can.
fn wait_for(sources: &[BorrowedFd<'_>], time: Option<Duration>) -> Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = sources
        .iter()
        .map(|source| PollFd::from_borrowed_fd(*source, PollFlags::IN))
        .collect();
    let time = time.map(|time| Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(1),
        tv_nsec: time.subsec_nanos().into(),
    });
    loop {
        match poll(&mut polled, time.as_ref()) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
            Ok(_) => break,
        }
    }
    Ok(polled.iter().map(|one| !one.revents().is_empty()).collect())
}
