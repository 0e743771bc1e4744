//! Values that a command has spelled out itself, and what comparing them says.
//!
//! A value that was read, printed or found in the environment may be another one when the
//! command runs. One that the command line itself has set is what it says.

use std::collections::BTreeSet;

use super::{Engine, Shell, Status};
use crate::regex::{Regex, Syntax};
use crate::text::Text;

impl Shell {
    pub(super) fn has_own(&self, name: &str) -> bool {
        let own = self.own.as_ref().is_some_and(|own| own.contains(name));
        own && !self.may_be_unset.contains(name)
    }

    /// A variable was given a value that is spelled out.
    pub(super) fn own(&mut self, name: &str) {
        self.own.as_mut().map(|own| own.insert(name.to_owned()));
    }

    pub(super) fn disown(&mut self, name: &str) {
        self.own
            .as_mut()
            .map(|own: &mut BTreeSet<String>| own.remove(name));
    }
}

/// Variables that are one of several things in each turn of a loop, and never several at once.
impl Shell {
    pub(super) fn take_in_turn(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    pub(super) fn is_taken_in_turn(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    pub(super) fn taken_in_turn(&self) -> impl Iterator<Item = &String> {
        self.taken.iter()
    }
}

impl Engine<'_> {
    /// A word of which every character is one that the command itself has written.
    fn spelled_out(&self, word: &Text) -> Option<String> {
        let is_plain = !self.borrows && self.shell.own.is_some() && *word == word.quoted();
        word.known().filter(|_| is_plain)
    }

    /// `-z` and `-n`.
    pub(super) fn is_empty(&self, word: &Text) -> Status {
        self.spelled_out(word).map(|text| text.is_empty())
    }

    /// What `(( a < b ))` says, of numbers and of variables that hold one.
    pub(super) fn counted(&self, expression: &str) -> Status {
        const SIGNS: [(&str, &str); 6] = [
            ("==", "-eq"),
            ("!=", "-ne"),
            ("<=", "-le"),
            (">=", "-ge"),
            ("<", "-lt"),
            (">", "-gt"),
        ];
        let (sign, operator) = SIGNS.iter().find(|(sign, _)| expression.contains(sign))?;
        let (left, right) = expression.split_once(sign)?;
        let number = |side: &str| {
            let side = side.trim();
            let name = side.strip_prefix('$').unwrap_or(side);
            let is_literal = name == side && side.parse::<i64>().is_ok();
            let own = || self.shell.known(name).filter(|_| self.shell.has_own(name));
            // A number that begins with a nought is counted by eights.
            let text = if is_literal {
                Some(side.to_owned())
            } else {
                own()
            };
            let is_plain = |text: &String| *text == "0" || !text.starts_with('0');
            text.filter(is_plain)
        };
        let status = compared(&number(left)?, operator, &number(right)?);
        status.filter(|_| self.shell.own.is_some())
    }

    /// What `[[ a == b* ]]` says. Which characters of a pattern are quoted is not known any more.
    pub(super) fn matched(&self, left: &Text, written: &str, pattern: &Text) -> Status {
        let known = pattern.known()?;
        if !crate::glob::is_pattern(&known) && !known.contains('(') {
            return self.compared(left, "==", pattern);
        }
        let is_plain = !written.contains(['"', '\'', '\\', '$', '`', '(']);
        let is_understood = is_plain && !self.borrows && !self.switches_case();
        let left = self.spelled_out(left).filter(|_| is_understood)?;
        Some(crate::glob::matches(&known, &left))
    }

    /// What `[[ a =~ b ]]` says. Backslashes are gone from the expression by now, so that it may
    /// match more than it did, and never less.
    pub(super) fn found(&self, left: &Text, written: &str, expression: &Text) -> Status {
        let left = self.spelled_out(left)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./-^$|".contains(c);
        let unquoted = written.replace("\\.", ".");
        let expression = expression
            .known()
            .filter(|_| unquoted.chars().all(is_plain))?;
        let is_understood = !self.borrows && !self.switches_case() && expression == unquoted;
        let regex = Regex::new(&expression, Syntax::Extended, false).filter(|_| is_understood)?;
        regex.finds(&left).filter(|finds| !finds)
    }

    /// What a comparison of two words says.
    pub(super) fn compared(&self, left: &Text, operator: &str, right: &Text) -> Status {
        let (left, right) = (self.spelled_out(left)?, self.spelled_out(right)?);
        compared(&left, operator, &right)
    }
}

fn compared(left: &str, operator: &str, right: &str) -> Status {
    let numbers = || Some((left.parse::<i64>().ok()?, right.parse::<i64>().ok()?));
    Some(match operator {
        "=" | "==" => left == right,
        "!=" => left != right,
        _ => {
            let (left, right) = numbers()?;
            match operator {
                "-eq" => left == right,
                "-ne" => left != right,
                "-lt" => left < right,
                "-le" => left <= right,
                "-gt" => left > right,
                "-ge" => left >= right,
                _ => return None,
            }
        }
    })
}
