//! The question that a way of working asks at an open breaker, and what follows
//! from the answer.

use std::fs::File;
use std::io::Write;

use fusebox_core::clip;
use fusebox_core::journal::Actor;
use fusebox_core::machine::{self, Reset};
use fusebox_core::observation::NAME_BYTES;
use fusebox_seeds::{Choice, Menu};

use crate::authority;
use crate::failure::Failure;
use crate::session::{Outcome, Session};
use crate::terminal::{self, discard_typed, read_line};

/// What somebody chose, and what came of it.
pub(crate) struct Chosen {
    pub(crate) choice: Choice,
    pub(crate) released: Outcome,
}

/// Asks on the terminal until there is an answer. `None` if nobody is there, or
/// the answer leaves the breaker open.
pub(crate) fn ask(session: &Session, menu: &Menu) -> Result<Option<Chosen>, Failure> {
    let Some(mut terminal) = terminal::open() else {
        return Ok(None);
    };
    discard_typed(&terminal);
    loop {
        let Some(line) = read_line(&terminal) else {
            return Ok(None);
        };
        let Some(choice) = chosen(&menu.choices, &line) else {
            discard_typed(&terminal);
            if terminal.write_all(b"Enter choice: ").is_err() {
                return Ok(None);
            }
            continue;
        };
        if choice == Choice::Abort {
            return Ok(None);
        }
        let by = authority::person_at_the_terminal(session)?;
        let guidance = match choice {
            Choice::Guide => guidance(&mut terminal),
            _ => None,
        };
        let released = release(session, choice, guidance, by)?;
        return Ok(Some(Chosen { choice, released }));
    }
}

/// Does what was chosen by somebody who may. What a person asked to be done differently before
/// stays asked for, unless there is something new.
pub(crate) fn release(
    session: &Session,
    choice: Choice,
    guidance: Option<String>,
    by: Actor,
) -> Result<Outcome, Failure> {
    session.try_apply(|circuit, policy, now| {
        let step = match choice {
            Choice::SkipPhase => {
                let reason = "skipped from the menu".to_owned();
                machine::skip_phase(circuit, policy, reason, by, now)
            }
            Choice::Reset | Choice::Guide | Choice::Abort => {
                let reason = "released from the menu".to_owned();
                let guidance = guidance.or_else(|| circuit.core.guidance.clone());
                let wish = Reset {
                    reason,
                    by,
                    guidance,
                };
                machine::redirect(circuit, policy, wish, now)
            }
        };
        step.map_err(Failure::from)
    })
}

/// The choice that was typed: by its letter, or by its number.
pub(crate) fn chosen<C: Copy>(choices: &[(char, C)], typed: &str) -> Option<C> {
    let mut keys = typed.trim().chars();
    let (key, None) = (keys.next()?.to_ascii_lowercase(), keys.next()) else {
        return None;
    };
    let number = key.to_digit(10).and_then(|n| usize::try_from(n).ok());
    let by_number = number.and_then(|n| choices.get(n.checked_sub(1)?));
    let by_letter = choices.iter().find(|(letter, _)| *letter == key);
    by_letter.or(by_number).map(|(_, choice)| *choice)
}

/// What is to be done differently, in the person's words.
pub(crate) fn guidance(terminal: &mut File) -> Option<String> {
    discard_typed(terminal);
    terminal.write_all(b"New guidance: ").ok()?;
    let line = read_line(terminal)?;
    let words = clip(line.trim(), NAME_BYTES);
    (!words.is_empty()).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_its_letter_in_any_case_or_its_number() {
        let choices = [('r', 1), ('m', 2)];
        for (typed, choice) in [
            ("r", Some(1)),
            (" M\n", Some(2)),
            ("1", Some(1)),
            ("2\n", Some(2)),
            ("0", None),
            ("3", None),
            ("rm", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(chosen(&choices, typed), choice, "{typed:?}");
        }
    }
}
