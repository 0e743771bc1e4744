//! A YAML text taken apart, each part with its place.

use std::borrow::Cow;

/// A part of a text.
#[derive(Clone, Debug)]
pub struct Node<'t> {
    /// What it is.
    pub kind: Kind<'t>,
    /// The line it begins on, counted from 1.
    pub line: usize,
    pub(super) start: usize,
    /// Where the last of it ends; what follows on that line is not part of it.
    pub(super) end: usize,
    /// Whether it is a collection within braces or brackets.
    pub(super) flows: bool,
}

/// What a part of a text is.
#[derive(Clone, Debug)]
pub enum Kind<'t> {
    /// A single value.
    Scalar {
        /// What it says.
        text: Cow<'t, str>,
        /// Whether it stands there without quotes.
        plain: bool,
    },
    /// Names with values.
    Map(Vec<Entry<'t>>),
    /// One value after another.
    List(Vec<Node<'t>>),
    /// A reference to another part that was not followed.
    Alias,
    /// Something that nobody wanted: it is sound, and what it says was not kept.
    Passed,
}

/// A name with its value.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    /// The name.
    pub key: Cow<'t, str>,
    /// The line it stands on, counted from 1.
    pub line: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The value.
    pub value: Node<'t>,
}

impl<'t> Node<'t> {
    /// The value of a name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value of a name, or the item of that number.
    pub(super) fn at(&self, key: &str) -> Option<&Self> {
        match self.items() {
            Some(items) => items.get(key.parse::<usize>().ok()?),
            None => self.get(key),
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry<'t>> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    /// Its names and values, if it has such.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry<'t>]> {
        match &self.kind {
            Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Its values, if it is a list.
    #[must_use]
    pub fn items(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    /// What it says, if it says anything.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// How many parts it has, itself among them.
    pub(super) fn parts(&self) -> usize {
        let inside: usize = match &self.kind {
            Kind::Map(entries) => entries.iter().map(|entry| 1 + entry.value.parts()).sum(),
            Kind::List(items) => items.iter().map(Self::parts).sum(),
            Kind::Scalar { .. } | Kind::Alias | Kind::Passed => 0,
        };
        1 + inside
    }

    /// Whether it stands for nothing.
    #[must_use]
    pub fn is_null(&self) -> bool {
        let nothing = |text: &str| matches!(text, "" | "~" | "null" | "Null" | "NULL");
        matches!(&self.kind, Kind::Scalar { text, plain: true } if nothing(text))
    }
}
