//! The breaker is open: ask the person at the terminal, if there is one.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};

use fusebox_core::machine;
use fusebox_supervise::Signals;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::screen::Screen;
use crate::authority;
use crate::failure::Failure;
use crate::session::{Outcome, Session};

const MENU: &str = "\
  [r] reset and go on      [w] wait for the cooldown, then probe
  [e] explain              [s] stop
> ";

/// What the person said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The breaker is closed again.
    Released,
    Wait,
    Stop,
    /// There is nobody to ask.
    Nobody,
    /// A signal ended the question.
    Signal(i32),
}

/// How often a signal is looked for while nobody types.
const PULSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

pub(super) fn ask(
    session: &Session,
    outcome: &Outcome,
    signals: &mut Signals,
    screen: &mut Screen,
) -> Result<Answer, Failure> {
    let Some(mut terminal) = terminal() else {
        return Ok(Answer::Nobody);
    };
    screen.opened(outcome);
    loop {
        if terminal.write_all(MENU.as_bytes()).is_err() {
            return Ok(Answer::Nobody);
        }
        if let Some(signal) = wait_for_line(&terminal, signals) {
            return Ok(Answer::Signal(signal));
        }
        let Some(answer) = read_line(&terminal) else {
            return Ok(Answer::Stop);
        };
        match answer.trim() {
            "r" => match release(session) {
                Ok(()) => return Ok(Answer::Released),
                Err(failure) => screen.complain(&failure),
            },
            "w" => return Ok(Answer::Wait),
            "s" | "q" => return Ok(Answer::Stop),
            "e" => screen.explained(outcome),
            _ => {}
        }
    }
}

fn release(session: &Session) -> Result<(), Failure> {
    let actor = authority::person(
        &session.layers.borrow(),
        "This closes the breaker and starts counting anew.",
    )?;
    let reason = "released from the pause menu".to_owned();
    session
        .try_apply(|circuit, policy, now| {
            machine::reset(circuit, policy, reason, actor, now).map_err(Failure::from)
        })
        .map(drop)
}

/// The terminal, if a person can be expected at it: somebody sees what we say.
fn terminal() -> Option<File> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    File::options().read(true).write(true).open("/dev/tty").ok()
}

/// Returns when there is a line to read, or with the signal that came instead.
/// Our signals are caught, so a plain read would sleep through Ctrl-C.
fn wait_for_line(terminal: &File, signals: &mut Signals) -> Option<i32> {
    loop {
        if let Some(signal) = signals.take() {
            return Some(signal);
        }
        let mut typed = [PollFd::new(terminal, PollFlags::IN)];
        match poll(&mut typed, Some(&PULSE)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

/// `None` when the terminal is gone.
fn read_line(terminal: &File) -> Option<String> {
    let mut line = String::new();
    let read = BufReader::new(terminal.take(64)).read_line(&mut line);
    matches!(read, Ok(count) if count > 0).then_some(line)
}
