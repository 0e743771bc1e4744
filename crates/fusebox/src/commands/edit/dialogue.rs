//! Questions to a person, or to whoever wrote the answers down beforehand.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;

use fusebox_core::journal::Actor;

use crate::authority;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal;

/// Somebody to ask.
pub(super) struct Dialogue {
    who: Who,
    closed: bool,
}

enum Who {
    /// A person at the terminal: what they type is theirs.
    Person(File),
    /// Answers that were written down, by somebody who holds the operator's key.
    Beforehand(VecDeque<String>, Box<Actor>),
}

impl Dialogue {
    /// Whoever there is; nobody else may edit.
    pub(super) fn open(session: &Session, answers: &[String]) -> Result<Self, Failure> {
        let who = if answers.is_empty() {
            authority::person_at_the_terminal(session)?;
            let nobody = || {
                Failure::new(
                    exit::REFUSED,
                    "editing needs a person, and there is no terminal to ask on",
                )
                .hint("run it in a terminal, or give `--answer …` with FUSEBOX_OPERATOR_KEY")
            };
            Who::Person(terminal::open().ok_or_else(nobody)?)
        } else {
            let by = authority::operator(session)?;
            Who::Beforehand(answers.iter().cloned().collect(), Box::new(by))
        };
        Ok(Self { who, closed: false })
    }

    /// Shows something.
    pub(super) fn show(&self, text: &str) {
        if let Who::Person(terminal) = &self.who {
            let _ = (&*terminal).write_all(text.as_bytes());
        } else {
            let _ = anstream::stderr().write_all(text.as_bytes());
        }
    }

    /// A line in answer to `asked`; `None` if nobody answers any more.
    pub(super) fn line(&mut self, asked: &str) -> Option<String> {
        if self.closed {
            return None;
        }
        self.show(asked);
        match &mut self.who {
            Who::Person(terminal) => {
                terminal::discard_typed(terminal);
                terminal::read_line(terminal)
            }
            Who::Beforehand(answers, _) => {
                let answer = answers.pop_front()?;
                let _ = writeln!(
                    anstream::stderr(),
                    "{}",
                    fusebox_view::escape::line(&answer, 120)
                );
                Some(answer)
            }
        }
    }

    /// The first letter of an answer, small.
    pub(super) fn key(&mut self, asked: &str) -> Option<char> {
        let line = self.line(asked)?;
        Some(
            line.trim()
                .chars()
                .next()
                .map_or(' ', |key| key.to_ascii_lowercase()),
        )
    }

    /// Answers nothing more.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Who it is that answers.
    pub(super) fn person(&self, session: &Session) -> Result<Actor, Failure> {
        match &self.who {
            Who::Person(_) => authority::person_at_the_terminal(session),
            Who::Beforehand(_, by) => {
                // The key may have been taken back since.
                authority::operator(session)?;
                Ok((**by).clone())
            }
        }
    }
}
