//! Whoever makes sure that the terminal is left as it was.
//!
//! A program that is killed cannot tidy up after itself, and a terminal left in
//! raw mode on another screen is no use to anybody. So there are two processes:
//! one draws, the other sleeps until the first has ended and restores what it
//! found, whatever became of it. Should the one that sleeps be killed, the system
//! tells the one that draws, which then leaves by itself. Neither outlives the
//! other, nor the terminal.

use std::io::{self, IsTerminal, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::LeaveAlternateScreen;
use rustix::process::{Pid, Signal};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::ending::{self, Ending};

/// How long the process that draws may take to leave when it is asked to.
const GRACE: Duration = Duration::from_secs(2);

/// Whether there is a terminal to draw on and to read keys from.
#[must_use]
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Runs the process that draws, passes on what it is asked to end by, and puts
/// the terminal back if it did not do so itself.
///
/// # Errors
/// When the process cannot be started or waited for.
pub fn guard(command: &mut Command) -> io::Result<ExitStatus> {
    let before = tcgetattr(io::stdin()).ok();
    let (asked, asking) = UnixStream::pair()?;
    for number in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(number, asking.try_clone()?)?;
    }
    let mut child = command.spawn()?;
    let status = wait(&mut child, &asked)?;
    if status.code().is_none() {
        restore(before.as_ref());
    }
    Ok(status)
}

/// Sleeps until the process has ended. Once asked to end, it has a moment to do
/// so by itself.
fn wait(child: &mut Child, asked: &UnixStream) -> io::Result<ExitStatus> {
    let ending = Ending::of(child)?;
    if !ending.wait(child, Some(asked), None)? {
        rustix::process::kill_process(Pid::from_child(child), Signal::TERM)?;
        if !ending.wait(child, None, Some(GRACE))? {
            child.kill()?;
        }
    }
    child.wait()
}

/// Makes this process end when its guardian does.
///
/// # Errors
/// When the guardian is gone already, or the system cannot tell.
pub fn follow_guardian(guardian: i32) -> io::Result<()> {
    ending::end_with_parent()?;
    if is_parent(guardian) {
        Ok(())
    } else {
        Err(io::Error::other("whoever started it is gone"))
    }
}

fn is_parent(guardian: i32) -> bool {
    let parent = rustix::process::getppid().map(Pid::as_raw_nonzero);
    parent.is_some_and(|parent| parent.get() == guardian)
}

fn restore(before: Option<&Termios>) {
    if let Some(before) = before {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
    }
    let mut out = io::stdout();
    let _ = execute!(out, LeaveAlternateScreen, Show);
    let _ = out.flush();
}
