//! Loops: what happens again and again, with what is taken in turn.

use brush_parser::ast::ForClauseCommand;

use super::narrowing::is_stand_in;
use super::{Engine, Shell, Status};
use crate::stop::Stop;
use crate::text::Text;

/// More turns of a loop than these are not followed one by one.
const MOST_TURNS: usize = 64;

/// A turn of a loop while it is followed.
pub(super) struct Turn {
    depth: usize,
    /// The shells in which it was left by `continue` or `break`.
    left: Vec<Shell>,
}

impl Engine<'_> {
    /// Follows one turn, which may be left in the middle.
    fn turn(&mut self, follow: impl FnOnce(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        let depth = self.depth;
        let left = Vec::new();
        self.turns.push(Turn { depth, left });
        let result = follow(self);
        let left = self.turns.pop().map_or(Vec::new(), |turn| turn.left);
        for other in left {
            let here = self.shell.clone();
            self.shell = here.or(other);
        }
        result
    }

    /// `continue` and `break`: nothing behind them is reached in this turn. Whether there is
    /// another one is not asked.
    pub(super) fn leave_turn(&mut self, arguments: &[Text]) {
        // A function, and code that is put together, may be in no loop.
        let depth = self.depth;
        let own = self.turns.last_mut().filter(|turn| turn.depth + 1 == depth);
        if let (Some(turn), []) = (own, arguments) {
            turn.left.push(self.shell.clone());
            self.shell.has_ended = true;
        }
    }

    /// Follows what may happen any number of times. A second turn starts from what the first
    /// one left behind, if that is something else; and what is still different after it
    /// could be anything after more of them.
    pub(super) fn again_and_again(
        &mut self,
        mut follow: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<Status, Stop> {
        for number in 1..=3 {
            let before = self.shell.clone();
            self.turn(&mut follow)?;
            let after = std::mem::replace(&mut self.shell, before.clone());
            self.shell = after.or(before.clone());
            if self.shell.stands_as(&before) {
                break;
            }
            if number == 2 {
                self.shell.forget_what_differs(&before);
            }
        }
        Ok(None)
    }

    pub(super) fn for_clause(&mut self, clause: &ForClauseCommand) -> Result<Status, Stop> {
        let name = clause.variable_name.as_str();
        // Each with whether it is what a turn has, and nothing else.
        let mut values: Vec<(Text, bool)> = Vec::new();
        let outer = std::mem::take(&mut self.borrows);
        for word in clause.values.iter().flatten() {
            let is_split = !word.value.contains('"');
            for field in self.fields(&word.value)? {
                let named = self.named_from_here(&field)?;
                let is_exact = |value: &Text| match value.known() {
                    Some(known) => {
                        !self.borrows && *value == value.quoted() && !is_stand_in(&known)
                    }
                    None => is_split,
                };
                values.extend(
                    named
                        .into_iter()
                        .map(|value| (value.clone(), is_exact(&value))),
                );
            }
            self.borrows = false;
        }
        self.borrows = outer;
        if clause.values.is_none() {
            let arguments = self.shell.arguments.iter();
            values = arguments.map(|value| (value.clone(), false)).collect();
        }
        if values.len() > MOST_TURNS {
            let is_exact = values.iter().all(|(_, is_exact)| *is_exact);
            let values_only = values.iter().map(|(value, _)| value);
            let either = values_only.fold(Text::default(), |either, value| either.or(value));
            values = vec![(either, is_exact)];
        }
        for (value, is_exact) in values {
            let is_one_turn = value.known().is_some_and(|value| !value.is_empty());
            let turn = |engine: &mut Self| {
                engine.shell.set_text(name, value.clone());
                match is_one_turn {
                    true if is_exact => engine.shell.own(name),
                    false if is_exact => engine.shell.take_in_turn(name),
                    _ => {}
                }
                engine.list(&clause.body.list).map(drop)
            };
            if is_one_turn {
                self.turn(turn)?;
            } else {
                self.again_and_again(turn)?;
            }
        }
        // Which one was the last depends on what there is.
        self.shell.disown(name);
        Ok(None)
    }
}
