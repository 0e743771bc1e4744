//! `[ -f x ]` and its kin, where the answer is certain.
//!
//! It is for files that are protected, are there, and were not touched on the way: nobody
//! takes those away without being denied. Whatever else is tested may be or not be.

use std::path::Path;

use brush_parser::ast::{BinaryPredicate, ExtendedTestExpr, UnaryPredicate};

use super::{Engine, Place, Status};
use crate::stop::Stop;
use crate::text::Text;
use crate::tree::Kind;

/// What is asked about a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Exists,
    IsFile,
    IsDirectory,
    HoldsSomething,
    Readable,
    Writable,
}

impl Asked {
    fn of(option: &str) -> Option<Self> {
        Some(match option {
            "-e" => Self::Exists,
            "-f" => Self::IsFile,
            "-d" => Self::IsDirectory,
            "-s" => Self::HoldsSomething,
            "-r" => Self::Readable,
            "-w" => Self::Writable,
            _ => return None,
        })
    }
}

impl Engine<'_> {
    /// `test …` and `[ … ]`.
    pub(super) fn test(&mut self, name: &str, words: &[Text]) -> Result<Status, Stop> {
        let words = match words.split_last() {
            Some((last, words)) if name == "[" && last.known().as_deref() == Some("]") => words,
            _ => words,
        };
        self.asked_of(words)
    }

    fn asked_of(&mut self, words: &[Text]) -> Result<Status, Stop> {
        let is = |word: &Text, sign: &str| word.known().as_deref() == Some(sign);
        match words {
            [first, rest @ ..] if is(first, "!") && !rest.is_empty() => {
                Ok(self.asked_of(rest)?.map(|passes| !passes))
            }
            [asks, word] => {
                let asks = asks.known().unwrap_or_default();
                match (asks.as_str(), Asked::of(&asks)) {
                    ("-z", _) => Ok(self.is_empty(word)),
                    ("-n", _) => Ok(self.is_empty(word).map(|is_empty| !is_empty)),
                    (_, Some(asked)) => Ok(self.is_certain(asked, word)?.then_some(true)),
                    _ => Ok(None),
                }
            }
            [left, operator, right] => {
                let operator = operator.known().unwrap_or_default();
                Ok(self.compared(left, &operator, right))
            }
            _ if words.iter().any(|word| is(word, "(") || is(word, ")")) => Ok(None),
            // `-a` binds more closely than `-o`.
            _ => match words.iter().position(|word| is(word, "-o")) {
                Some(at) => {
                    let (one, other) = (self.asked_of(&words[..at])?, &words[at + 1..]);
                    Ok(either(one, self.asked_of(other)?))
                }
                None => match words.iter().position(|word| is(word, "-a")) {
                    Some(at) => {
                        let (one, other) = (self.asked_of(&words[..at])?, &words[at + 1..]);
                        Ok(both(one, self.asked_of(other)?))
                    }
                    None => Ok(None),
                },
            },
        }
    }

    /// `[[ … ]]`, in which substitutions are followed as well.
    pub(super) fn extended_test(&mut self, test: &ExtendedTestExpr) -> Result<Status, Stop> {
        let outer = std::mem::take(&mut self.borrows);
        let status = self.extended(test);
        self.borrows = outer;
        status
    }

    fn extended(&mut self, test: &ExtendedTestExpr) -> Result<Status, Stop> {
        Ok(match test {
            ExtendedTestExpr::And(a, b) => both(self.extended(a)?, self.extended(b)?),
            ExtendedTestExpr::Or(a, b) => either(self.extended(a)?, self.extended(b)?),
            ExtendedTestExpr::Not(inner) => self.extended(inner)?.map(|passes| !passes),
            ExtendedTestExpr::Parenthesized(inner) => self.extended(inner)?,
            ExtendedTestExpr::UnaryTest(asks, word) => {
                let word = self.text(&word.value)?.quoted();
                match (asks, Asked::of(&asks.to_string())) {
                    (UnaryPredicate::StringHasZeroLength, _) => self.is_empty(&word),
                    (UnaryPredicate::StringHasNonZeroLength, _) => {
                        self.is_empty(&word).map(|is_empty| !is_empty)
                    }
                    (_, Some(asked)) => self.is_certain(asked, &word)?.then_some(true),
                    _ => None,
                }
            }
            ExtendedTestExpr::BinaryTest(operator, left, right) => {
                use BinaryPredicate as P;
                let left = self.text(&left.value)?.quoted();
                let written = right.value.as_str();
                let right = self.text(written)?;
                match operator {
                    P::StringExactlyMatchesPattern => self.matched(&left, written, &right),
                    P::StringDoesNotExactlyMatchPattern => {
                        self.matched(&left, written, &right).map(|matches| !matches)
                    }
                    P::StringMatchesRegex => self.found(&left, written, &right),
                    _ => self.compared(&left, &operator.to_string(), &right),
                }
            }
        })
    }

    /// Whether something is certain to be there as it is asked, wherever the shell may be.
    pub(crate) fn is_certain(&mut self, asked: Asked, file: &Text) -> Result<bool, Stop> {
        let places = self.places(file)?;
        let is_there = |place: &Place| {
            let Place::At(path, _) = place else {
                return false;
            };
            let real = self.resolver().beyond_links(path);
            let found = self.tree.kind(&real);
            let is_directory = found == Some(Kind::Directory);
            let holds = || is_directory || self.tree.length(&real).is_some_and(|all| all > 0);
            let fits = match asked {
                Asked::Exists => found.is_some(),
                Asked::IsFile => found == Some(Kind::File),
                Asked::IsDirectory => is_directory,
                Asked::HoldsSomething => found.is_some() && holds(),
                Asked::Readable => self.tree.permits(&real, false),
                Asked::Writable => self.tree.permits(&real, true),
            };
            let is_protected = self.protected.rule_of(&real).is_some();
            fits && is_protected && !self.may_have_touched(&real)
        };
        Ok(places.len() == self.shell.directories.len() && places.iter().all(is_there))
    }

    /// Whether something was done so far that may have been done to this path.
    pub(crate) fn may_have_touched(&self, path: &Path) -> bool {
        let was_made = self.shell.files.contains_key(path) || self.shell.links.contains_key(path);
        let mut effects = self.effects.iter();
        was_made || effects.any(|effect| effect.target.reaches(path))
    }
}

fn both(one: Status, other: Status) -> Status {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn either(one: Status, other: Status) -> Status {
    match (one, other) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}
