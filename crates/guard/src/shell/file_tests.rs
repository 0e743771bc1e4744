//! `[ -f x ]` and its kin, where the answer is certain.
//!
//! It is for files that are protected, are there, and were not touched on the way: nobody
//! takes those away without being denied. Whatever else is tested may be or not be.

use std::path::Path;

use brush_parser::ast::{ExtendedTestExpr, UnaryPredicate};

use super::{Engine, Place, Status};
use crate::stop::Stop;
use crate::text::Text;
use crate::tree::Kind;

impl Engine<'_> {
    /// `test …` and `[ … ]`.
    pub(super) fn test(&mut self, name: &str, words: &[Text]) -> Result<Status, Stop> {
        let words = match words.split_last() {
            Some((last, words)) if name == "[" && last.known().as_deref() == Some("]") => words,
            _ => words,
        };
        let (words, negated) = match words.split_first() {
            Some((first, rest)) if first.known().as_deref() == Some("!") => (rest, true),
            _ => (words, false),
        };
        let [asks, file] = words else {
            return Ok(None);
        };
        let kind = match asks.known().as_deref() {
            Some("-e") => None,
            Some("-f") => Some(Kind::File),
            Some("-d") => Some(Kind::Directory),
            _ => return Ok(None),
        };
        let passes = self.is_certain(kind, file)?;
        Ok(passes.then_some(!negated))
    }

    /// `[[ … ]]`, in which substitutions are followed as well.
    pub(super) fn extended_test(&mut self, test: &ExtendedTestExpr) -> Result<Status, Stop> {
        use UnaryPredicate as Asks;
        Ok(match test {
            ExtendedTestExpr::And(a, b) => match (self.extended_test(a)?, self.extended_test(b)?) {
                (Some(a), Some(b)) => Some(a && b),
                (Some(false), _) | (_, Some(false)) => Some(false),
                _ => None,
            },
            ExtendedTestExpr::Or(a, b) => match (self.extended_test(a)?, self.extended_test(b)?) {
                (Some(a), Some(b)) => Some(a || b),
                (Some(true), _) | (_, Some(true)) => Some(true),
                _ => None,
            },
            ExtendedTestExpr::Not(inner) => self.extended_test(inner)?.map(|passes| !passes),
            ExtendedTestExpr::Parenthesized(inner) => self.extended_test(inner)?,
            ExtendedTestExpr::UnaryTest(asks, word) => {
                let file = self.text(&word.value)?.quoted();
                let kind = match asks {
                    Asks::FileExists => None,
                    Asks::FileExistsAndIsRegularFile => Some(Kind::File),
                    Asks::FileExistsAndIsDir => Some(Kind::Directory),
                    _ => return Ok(None),
                };
                self.is_certain(kind, &file)?.then_some(true)
            }
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.text(&left.value)?;
                self.text(&right.value)?;
                None
            }
        })
    }

    /// Whether something of a kind is certain to be there, wherever the shell may be.
    fn is_certain(&mut self, kind: Option<Kind>, file: &Text) -> Result<bool, Stop> {
        let places = self.places(file)?;
        let is_there = |place: &Place| {
            let Place::At(path, _) = place else {
                return false;
            };
            let real = self.resolver().beyond_links(path);
            let found = self.tree.kind(&real);
            let fits = kind.is_none_or(|kind| found == Some(kind));
            let is_protected = self.protected.rule_of(&real).is_some();
            found.is_some() && fits && is_protected && !self.may_have_touched(&real)
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
