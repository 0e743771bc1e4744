//! What a search finds, and whether a test holds for it.

use std::path::Path;

use super::expression::Test;
use crate::commands::search::display;
use crate::glob;
use crate::regex::Regex;
use crate::shell::Engine;
use crate::tree::{Kind, Tree};

/// Of more effects it is not asked what each was done to.
const MOST_EFFECTS: usize = 64;

/// Whether a test holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    No,
    Maybe,
    Yes,
}

/// What was put at a path on the way.
fn put_kind(engine: &Engine<'_>, path: &Path) -> Option<Kind> {
    if engine.shell.files.contains_key(path) {
        return Some(Kind::File);
    }
    let mut below = engine.shell.put_below(path);
    below.next().map(|_| Kind::Directory)
}

/// An entry below a starting point.
pub(super) struct Entry<'e> {
    pub(super) path: &'e Path,
    /// As `find` would print it.
    pub(super) shown: String,
    /// The same without the starting point.
    pub(super) below: String,
    kind: Option<Kind>,
    tree: &'e dyn Tree,
    /// Whether it may hold something else than is on disk.
    is_touched: bool,
}

impl<'e> Entry<'e> {
    /// What lies this far below a starting point.
    pub(super) fn new(engine: &Engine<'e>, path: &'e Path, start: &str, below: &Path) -> Self {
        Self {
            tree: engine.tree,
            is_touched: engine.effects.len() > MOST_EFFECTS || engine.may_have_touched(path),
            kind: engine.tree.kind(path).or_else(|| put_kind(engine, path)),
            path,
            shown: display(start, below),
            below: below.to_string_lossy().into_owned(),
        }
    }

    pub(super) fn name(&self) -> &str {
        let path = self.shown.trim_end_matches('/');
        path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether there is nothing in it, if that can be told.
    fn is_empty(&self) -> Option<bool> {
        match self.kind? {
            Kind::Directory => Some(self.tree.list(self.path).is_empty()),
            Kind::File => self.tree.length(self.path).map(|length| length == 0),
            Kind::Link => Some(false),
        }
    }

    /// How much is in it, if that can be told.
    fn length(&self) -> Option<u64> {
        let is_file = self.kind == Some(Kind::File) && !self.is_touched;
        is_file.then(|| self.tree.length(self.path)).flatten()
    }

    pub(super) fn above(&self) -> &str {
        self.shown.rsplit_once('/').map_or(".", |(above, _)| above)
    }
}

impl Test {
    /// What can be told of anything that has this name.
    pub(super) fn holds_by_name(&self, name: &str) -> Holds {
        let fits = match self {
            Self::Name(pattern, any_case) => fits(pattern, *any_case, name),
            Self::False => false,
            _ => return Holds::Maybe,
        };
        if fits { Holds::Yes } else { Holds::No }
    }

    pub(super) fn holds(&self, entry: &Entry<'_>) -> Holds {
        let name = entry.name();
        let certain = match self {
            Self::Name(pattern, any_case) => Some(fits(pattern, *any_case, name)),
            Self::Path(pattern, any_case) => Some(fits(pattern, *any_case, &entry.shown)),
            Self::Regex(ways) => agreed(ways, &entry.shown),
            Self::Kind(kind) => Some(entry.kind == Some(*kind)),
            Self::Empty => entry.is_empty(),
            Self::Size(size) if entry.kind == Some(Kind::Directory) => {
                size.is_much().then_some(false)
            }
            Self::Size(size) => entry.length().map(|length| size.fits(length)),
            Self::False => Some(false),
            Self::Unsure => None,
        };
        match certain {
            Some(true) => Holds::Yes,
            Some(false) => Holds::No,
            None => Holds::Maybe,
        }
    }
}

fn fits(pattern: &str, any_case: bool, text: &str) -> bool {
    match any_case {
        true => glob::matches(&pattern.to_lowercase(), &text.to_lowercase()),
        false => glob::matches(pattern, text),
    }
}

/// Whether a path matches, if each way in which an expression may be meant says the same.
fn agreed(ways: &[Option<Regex>], path: &str) -> Option<bool> {
    let mut answers = ways.iter().map(|way| way.as_ref()?.matches(path));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}
