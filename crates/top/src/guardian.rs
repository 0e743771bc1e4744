//! Whoever makes sure that the terminal is left as it was.
//!
//! A program that is killed cannot tidy up after itself, and a terminal left in
//! raw mode on another screen is no use to anybody. So there are two processes:
//! one draws, the other waits and restores what it found, whatever became of the
//! first. Should the one that waits be killed, the system tells the one that
//! draws, which then leaves by itself.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::LeaveAlternateScreen;
use rustix::process::{Pid, Signal};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// How often the process that draws is looked at.
const PULSE: Duration = Duration::from_millis(20);

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
    let asked = Arc::new(AtomicBool::new(false));
    for number in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(number, Arc::clone(&asked))?;
    }
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    loop {
        if let Some(status) = child.try_wait()? {
            if status.code().is_none() {
                restore(before.as_ref());
            }
            return Ok(status);
        }
        if asked.swap(false, Ordering::Relaxed) {
            // Should it be gone already, the next look says so.
            let _ = rustix::process::kill_process(pid, Signal::TERM);
        }
        std::thread::sleep(PULSE);
    }
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
