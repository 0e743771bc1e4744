//! What becomes of the three standard descriptors with which a keeper is born.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::control::Control;

/// Moves the socket out of the way of the leader, which must not inherit it.
pub(crate) fn claim_control() -> io::Result<Control> {
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    dup2_stdin(null()?)?;
    Control::new(UnixStream::from(socket))
}

/// Lets go of the command's output: its end must mean that the tree closed it.
pub(crate) fn release_output() -> io::Result<()> {
    let null = null()?;
    dup2_stdout(&null)?;
    Ok(dup2_stderr(&null)?)
}

fn null() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/null")
}
