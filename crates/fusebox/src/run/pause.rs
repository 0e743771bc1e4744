//! The breaker is open: ask the person at the terminal, if there is one.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};

use fusebox_core::machine;

use super::screen::Screen;
use crate::authority;
use crate::commands::Context;
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
}

pub(super) fn ask(
    context: &Context<'_>,
    session: &Session,
    outcome: &Outcome,
    screen: &mut Screen,
) -> Result<Answer, Failure> {
    let Some(mut terminal) = terminal() else {
        return Ok(Answer::Nobody);
    };
    screen.opened(session, outcome);
    loop {
        if terminal.write_all(MENU.as_bytes()).is_err() {
            return Ok(Answer::Nobody);
        }
        let Some(answer) = read_line(&terminal) else {
            return Ok(Answer::Stop);
        };
        match answer.trim() {
            "r" => match release(context, session) {
                Ok(()) => return Ok(Answer::Released),
                Err(failure) => screen.complain(&failure),
            },
            "w" => return Ok(Answer::Wait),
            "s" | "q" => return Ok(Answer::Stop),
            "e" => screen.explained(session, outcome),
            _ => {}
        }
    }
}

fn release(context: &Context<'_>, session: &Session) -> Result<(), Failure> {
    let actor = authority::person(
        &context.cli.global,
        "This closes the breaker and starts counting anew.",
    )?;
    let reason = "released from the pause menu".to_owned();
    session
        .apply(|circuit, policy, now| machine::reset(circuit, policy, reason, actor, None, now))
        .map(drop)
}

/// The terminal, if a person can be expected at it: somebody sees what we say.
fn terminal() -> Option<File> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    File::options().read(true).write(true).open("/dev/tty").ok()
}

/// `None` when the terminal is gone.
fn read_line(terminal: &File) -> Option<String> {
    let mut line = String::new();
    let read = BufReader::new(terminal.take(64)).read_line(&mut line);
    matches!(read, Ok(count) if count > 0).then_some(line)
}
