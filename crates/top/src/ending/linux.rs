//! By what Linux tells: a pidfd can be waited for, and a child be told of its parent's end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};

use super::wait_for;

/// The end of a child.
pub(crate) struct Ending(OwnedFd);

impl Ending {
    pub(crate) fn of(child: &Child) -> io::Result<Self> {
        Ok(Self(pidfd_open(
            Pid::from_child(child),
            PidfdFlags::empty(),
        )?))
    }

    /// Waits until the child has ended, something was asked, or the time is over;
    /// says whether it has ended.
    pub(crate) fn wait(
        &self,
        _: &mut Child,
        asked: Option<&UnixStream>,
        time: Option<Duration>,
    ) -> io::Result<bool> {
        let mut sources = vec![self.0.as_fd()];
        sources.extend(asked.map(AsFd::as_fd));
        Ok(wait_for(&sources, time)?[0])
    }
}

/// Has this process asked to end when its parent has ended.
pub(crate) fn end_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(
        Signal::TERM,
    ))?)
}
