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
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

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
    let pid = Pid::from_child(child);
    let ended = pidfd_open(pid, PidfdFlags::empty())?;
    let mut both = [
        PollFd::new(&ended, PollFlags::IN),
        PollFd::new(asked, PollFlags::IN),
    ];
    while let Err(rustix::io::Errno::INTR) = poll(&mut both, None) {}
    if both[0].revents().is_empty() {
        rustix::process::kill_process(pid, Signal::TERM)?;
        let grace = Timespec {
            tv_sec: i64::try_from(GRACE.as_secs()).unwrap_or(1),
            tv_nsec: 0,
        };
        let mut ended = [PollFd::new(&ended, PollFlags::IN)];
        if matches!(poll(&mut ended, Some(&grace)), Ok(0)) {
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
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
    let parent = rustix::process::getppid().map(Pid::as_raw_nonzero);
    if parent.is_some_and(|parent| parent.get() == guardian) {
        Ok(())
    } else {
        Err(io::Error::other("whoever started it is gone"))
    }
}

fn restore(before: Option<&Termios>) {
    if let Some(before) = before {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
    }
    let mut out = io::stdout();
    let _ = execute!(out, LeaveAlternateScreen, Show);
    let _ = out.flush();
}
